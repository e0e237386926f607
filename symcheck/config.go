package symcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// ConfigName is the name of the configuration file that is looked for in the
// working directory.
const ConfigName = ".wasm-debugid.json"

// maxConfig is the size in bytes of a configuration file that is read.
const maxConfig = 1 << 20

// ReadConfig reads a configuration file and applies it to o: one JSON object with
// any of the fields
//
//	{
//	  "rules": {"WD112": "warning", "shadowed-definitions": "off"},
//	  "for": "sentry",
//	  "min_coverage": {"user": 95, "runtime": 0},
//	  "loops": true,
//	  "require_id": true,
//	  "forbid_dwarf": true
//	}
//
// A field that does not exist is an error: a setting with a typing error would be
// one that is silently not applied.
func (o *Options) ReadConfig(r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if err != nil {
		return err
	}
	if len(text) > maxConfig {
		return fmt.Errorf("the configuration is larger than %d bytes", maxConfig)
	}
	var c struct {
		Rules       map[string]string  `json:"rules"`
		For         *string            `json:"for"`
		MinCoverage map[string]float64 `json:"min_coverage"`
		Loops       *bool              `json:"loops"`
		RequireID   *bool              `json:"require_id"`
		ForbidDWARF *bool              `json:"forbid_dwarf"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the configuration's closing brace")
	}
	if o.Rules == nil {
		o.Rules = Settings{}
	}
	for key, value := range c.Rules {
		if err := o.Rules.Set(key + "=" + value); err != nil {
			return err
		}
	}
	if c.For != nil {
		if o.For, err = ParseClient(*c.For); err != nil {
			return err
		}
	}
	if len(c.MinCoverage) > 0 && o.MinCoverage == nil {
		o.MinCoverage = Thresholds{}
	}
	for class, p := range c.MinCoverage {
		if err := o.MinCoverage.put(class, p); err != nil {
			return err
		}
	}
	for _, b := range []struct {
		from *bool
		to   *bool
	}{{c.Loops, &o.Loops}, {c.RequireID, &o.RequireID}, {c.ForbidDWARF, &o.ForbidDWARF}} {
		if b.from != nil {
			*b.to = *b.from
		}
	}
	return nil
}

// severity returns what a rule is set to, or else the given severity.
func (o *Options) severity(code string, otherwise report.Severity) report.Severity {
	if s, ok := o.Rules[code]; ok {
		return s
	}
	return otherwise
}
