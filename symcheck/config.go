package symcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
// one that is silently not applied. Errors say on which line they are.
//
// Rules of other commands may be set in the same file: others find them, and what they
// are set to is returned by code.
func (o *Options) ReadConfig(r io.Reader, others ...func(codeOrName string) (report.Rule, bool)) (Settings, error) {
	foreign := Settings{}
	return foreign, o.readConfig(r, foreign, others)
}

func (o *Options) readConfig(r io.Reader, foreign Settings, others []func(string) (report.Rule, bool)) error {
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if err != nil {
		return err
	}
	if len(text) > maxConfig {
		return fmt.Errorf("the configuration is larger than %d bytes", maxConfig)
	}
	c := &config{o: o, text: text, seen: map[string]bool{}, seenRule: map[string]string{}, foreign: foreign, others: others}
	if err := c.read(); err != nil {
		return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:min(c.at, len(text))], []byte("\n")), err)
	}
	return nil
}

// config is a configuration that is being read.
type config struct {
	o    *Options
	text []byte
	at   int // offset of what is being read, for the line of an error
	seen map[string]bool

	seenRule map[string]string // by code: what it was called where it was set
	foreign  Settings          // of rules of other commands
	others   []func(string) (report.Rule, bool)
}

// field is one field of a configuration.
type field struct {
	name, want string // want says what the value should be
	apply      func(c *config, value json.RawMessage) error
}

// errKind: the value is of another type than the field's.
var errKind = errors.New("another type")

// decode decodes a value whose type is that of v.
func decode(value json.RawMessage, v any) error {
	if value[0] == 'n' || json.Unmarshal(value, v) != nil {
		return errKind
	}
	return nil
}

// entry is one field of an object in a configuration.
type entry[V any] struct {
	key   string
	value V
}

// entries decodes an object whose values are of one type, in the order in which its
// fields stand. A field that stands there twice is an error: one of the two would be
// a setting that is silently not applied.
func entries[V any](value json.RawMessage) ([]entry[V], error) {
	if value[0] != '{' {
		return nil, errKind
	}
	d := json.NewDecoder(bytes.NewReader(value))
	if _, err := d.Token(); err != nil {
		return nil, errKind
	}
	var list []entry[V]
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, errKind
		}
		e := entry[V]{key: key.(string)}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, errKind
		}
		if err := decode(raw, &e.value); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(o entry[V]) bool { return o.key == e.key }) {
			return nil, fmt.Errorf("%q stands there twice", e.key)
		}
		list = append(list, e)
	}
	return list, nil
}

// fields are the fields of a configuration.
var fields = []field{
	{"rules", `an object with a severity for each rule, as in {"WD112": "warning"}`, func(c *config, value json.RawMessage) error {
		o := c.o
		rules, err := entries[string](value)
		if err != nil {
			return err
		}
		if o.Rules == nil {
			o.Rules = Settings{}
		}
		for _, e := range rules {
			if err := c.rule(e.key, e.value); err != nil {
				return err
			}
		}
		return nil
	}},
	{"for", `the name of a client, as in "sentry"`, func(c *config, value json.RawMessage) (err error) {
		o := c.o
		var name string
		if err := decode(value, &name); err != nil {
			return err
		}
		o.For, err = ParseClient(name)
		return err
	}},
	{"min_coverage", `an object with a percentage for each class, as in {"user": 95}`, func(c *config, value json.RawMessage) error {
		o := c.o
		list, err := entries[float64](value)
		if err != nil {
			return err
		}
		if o.MinCoverage == nil {
			o.MinCoverage = Thresholds{}
		}
		for _, e := range list {
			if err := o.MinCoverage.put(e.key, e.value); err != nil {
				return err
			}
		}
		return nil
	}},
	{"loops", "true or false", func(c *config, value json.RawMessage) error { return decode(value, &c.o.Loops) }},
	{"require_id", "true or false", func(c *config, value json.RawMessage) error { return decode(value, &c.o.RequireID) }},
	{"forbid_dwarf", "true or false", func(c *config, value json.RawMessage) error { return decode(value, &c.o.ForbidDWARF) }},
}

// rule sets a rule of a check, or of another command.
func (c *config) rule(key, value string) error {
	own, ok := FindRule(key)
	if ok {
		return c.once(own.Code, key, func() error { return c.o.Rules.Set(key + "=" + value) })
	}
	for _, find := range c.others {
		rule, ok := find(key)
		if !ok {
			continue
		}
		return c.once(rule.Code, key, func() error {
			severity, err := report.ParseSeverity(value)
			if err != nil {
				return err
			}
			c.foreign[rule.Code] = severity
			return nil
		})
	}
	return c.o.Rules.Set(key + "=" + value)
}

// once sets a rule, which has a code and a name and may be set by one of them.
func (c *config) once(code, key string, set func() error) error {
	if other, ok := c.seenRule[code]; ok {
		return fmt.Errorf("%s is set twice, as %q and as %q", code, other, key)
	}
	c.seenRule[code] = key
	return set()
}

// read reads the one object that a configuration is.
func (c *config) read() error {
	d := json.NewDecoder(bytes.NewReader(c.text))
	open, err := d.Token()
	if err != nil {
		return c.malformed(err)
	}
	if open != json.Delim('{') {
		return errors.New(`the configuration is one JSON object, as in {"for": "sentry"}`)
	}
	for d.More() {
		c.at = int(d.InputOffset())
		key, err := d.Token()
		if err != nil {
			return c.malformed(err)
		}
		c.at = int(d.InputOffset())
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return c.malformed(err)
		}
		if err := c.set(key.(string), value); err != nil {
			return err
		}
	}
	c.at = int(d.InputOffset())
	if _, err := d.Token(); err != nil {
		return c.malformed(err)
	}
	c.at = int(d.InputOffset())
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the configuration's closing brace")
	}
	return nil
}

// set applies one field.
func (c *config) set(name string, value json.RawMessage) error {
	k := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if k < 0 {
		var names []string
		for i := range fields {
			names = append(names, fields[i].name)
		}
		return fmt.Errorf("there is no field %q; the fields are %s", name, strings.Join(names, ", "))
	}
	if c.seen[name] {
		return fmt.Errorf("the field %q stands there twice", name)
	}
	c.seen[name] = true
	err := fields[k].apply(c, value)
	if errors.Is(err, errKind) {
		return fmt.Errorf("the field %q should be %s, and is %s", name, fields[k].want, kindOf(value))
	}
	if err != nil {
		return fmt.Errorf("the field %q: %w", name, err)
	}
	return nil
}

// kindOf says what a JSON value is. A list or an object may be one whose parts are of
// another type.
func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "an object with other values"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// malformed is an error for text that is no JSON.
func (c *config) malformed(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		c.at = int(syntax.Offset)
		return fmt.Errorf("this is no JSON: %w", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		c.at = len(c.text)
		return errors.New("this is no JSON: the text ends too early")
	}
	return err
}

// severity returns what a rule is set to, or else the given severity.
func (o *Options) severity(code string, otherwise report.Severity) report.Severity {
	if s, ok := o.Rules[code]; ok {
		return s
	}
	return otherwise
}
