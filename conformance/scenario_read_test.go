package conformance

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestScenarioMistakes: each says where it is and what is wrong, in words of the file.
func TestScenarioMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "line 1: the scenario is empty; it is one JSON object",
		" \n":                            "line 1: the scenario is empty; it is one JSON object",
		"[]":                             `line 1: the scenario is one JSON object, as in {"calls": [{"export": "run"}]}`,
		"null":                           `line 1: the scenario is one JSON object, as in {"calls": [{"export": "run"}]}`,
		"{}\n{}":                         "line 1: there is something behind the scenario's closing brace",
		"{\n\"calls\": [,]}":             "line 2: this is no JSON: invalid character ',' looking for beginning of value",
		"{\"calls\": [\n{":               "line 2: this is no JSON: the text ends too early",
		"{\n\"call\": []}":               `line 2: unknown field "call"`,
		"{\"calls\": {}}":                "line 1: calls is not to be a JSON object",
		"{\n\n\"stdin\": 5}":             "line 3: stdin is not to be a JSON number",
		`{"calls": [{"args": "0"}]}`:     "line 1: calls.args is not to be a JSON string",
		"{\"calls\": [],\n\"Calls\":[]}": `line 2: the field "Calls" stands there twice`,
		`{"env": {"A": "1", "A": "2"}}`:  `line 1: the field "A" stands there twice`,
		`{"env": {"A=B": "1"}}`:          `env has a variable of the name "A=B", which no variable can have`,
		`{"env": {"": "1"}}`:             `env has a variable of the name "", which no variable can have`,
		`{"dirs": {"": "."}}`:            `dirs has an empty path ("": "."); it is an object of the path that the module sees and the directory`,
		`{"dirs": {"/": ""}}`:            `dirs has an empty path ("/": ""); it is an object of the path that the module sees and the directory`,
		`{"calls": ` + strings.Repeat("[", 1<<20): "line 1: values are nested deeper than those of a scenario",
		strings.Repeat(" ", maxScenario+1):        "the scenario is larger than 16777216 bytes",
	} {
		_, err := ReadScenario(strings.NewReader(text), "")
		var mistake *ScenarioError
		if !errors.As(err, &mistake) || err.Error() != want {
			t.Errorf("%.60q: %v\nwant %s", text, err, want)
		}
	}
	// What two names of variables or paths mean is not the decoder's matter.
	s, err := ReadScenario(strings.NewReader("\xef\xbb\xbf"+`{"env": {"a": "1", "A": "2"}}`), "")
	if err != nil || s.Env["a"] != "1" || s.Env["A"] != "2" {
		t.Errorf("%+v, %v", s, err)
	}
	// What a number means is the matter of the parameter that it is for.
	if s, err := ReadScenario(strings.NewReader(`{"calls": [{"export": "f", "args": [1e999, 18446744073709551615]}]}`), ""); err != nil || s.Calls[0].String() != "f:1e999,18446744073709551615" {
		t.Errorf("%+v, %v", s, err)
	}
	// A file that cannot be read is no mistake in it.
	var mistake *ScenarioError
	if _, err := ReadScenario(iotest.ErrReader(io.ErrClosedPipe), ""); !errors.Is(err, io.ErrClosedPipe) || errors.As(err, &mistake) {
		t.Error(err)
	}
}
