package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// maxScenario is the size in bytes of a scenario that is read.
const maxScenario = 16 << 20

// maxNesting is how deep values of a scenario may lie in each other.
const maxNesting = 16

// ScenarioError reports a mistake in a scenario.
type ScenarioError struct {
	Line int // where it is, from 1; 0 if it is about more than one line
	Msg  string
}

// Error returns the line and the message.
func (e *ScenarioError) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

// ReadScenario reads a scenario. Relative directories in it are taken from dir. A
// field that does not exist, or that stands there twice, is an error: it would be one
// that is silently not applied. Mistakes are a *ScenarioError; any other error is one
// of reading.
func ReadScenario(r io.Reader, dir string) (*Scenario, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxScenario+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxScenario {
		return nil, &ScenarioError{Msg: fmt.Sprintf("the scenario is larger than %d bytes", maxScenario)}
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // editors on Windows write a byte order mark
	s := &Scenario{}
	if at, err := s.decode(text); err != nil {
		return nil, &ScenarioError{1 + bytes.Count(text[:min(at, len(text))], []byte("\n")), err.Error()}
	}
	if err := s.check(); err != nil {
		return nil, &ScenarioError{Msg: err.Error()}
	}
	for guest, host := range s.Dirs {
		if !filepath.IsAbs(host) {
			s.Dirs[guest] = filepath.Join(dir, host)
		}
	}
	return s, nil
}

// decode decodes the one object that a scenario is. With an error comes the offset of
// the mistake.
func (s *Scenario) decode(text []byte) (at int, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return 0, errors.New("the scenario is empty; it is one JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // what a number means is the parameter's matter
	if at, err := once(d, "", maxNesting); err != nil {
		return at, err
	}
	if first := bytes.TrimSpace(text)[0]; first != '{' {
		return 0, errors.New(`the scenario is one JSON object, as in {"calls": [{"export": "run"}]}`)
	}
	at = int(d.InputOffset())
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return at, errors.New("there is something behind the scenario's closing brace")
	}
	d = json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = d.Decode(s)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return int(kind.Offset), fmt.Errorf("%s is not to be a JSON %s", or(kind.Field, "the scenario"), kind.Value)
	case err != nil:
		return int(d.InputOffset()), errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return 0, nil
}

// once walks a JSON value and refuses objects in which a field stands twice: of the
// two, the last would count. in is the name of the field that holds the value, and
// nesting how deep its parts may lie.
func once(d *json.Decoder, in string, nesting int) (at int, err error) {
	if nesting == 0 {
		return int(d.InputOffset()), errors.New("values are nested deeper than those of a scenario")
	}
	token, err := d.Token()
	if err != nil {
		return malformed(d, err)
	}
	open, ok := token.(json.Delim)
	if !ok {
		return 0, nil
	}
	seen := map[string]bool{}
	for d.More() {
		name := in
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return malformed(d, err)
			}
			name = key.(string)
			same := name
			if in != "env" && in != "dirs" {
				same = strings.ToLower(name) // the decoder takes names of fields in any case
			}
			if seen[same] {
				return int(d.InputOffset()), fmt.Errorf("the field %q stands there twice", name)
			}
			seen[same] = true
		}
		if at, err := once(d, name, nesting-1); err != nil {
			return at, err
		}
	}
	if _, err := d.Token(); err != nil {
		return malformed(d, err)
	}
	return 0, nil
}

// malformed is the error for text that is no JSON.
func malformed(d *json.Decoder, err error) (at int, _ error) {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return int(syntax.Offset), fmt.Errorf("this is no JSON: %w", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return int(d.InputOffset()), errors.New("this is no JSON: the text ends too early")
	}
	return int(d.InputOffset()), err
}
