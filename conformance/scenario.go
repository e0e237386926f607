package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Scenario is what to run: what the module is given, and calls in their order. A
// scenario without calls runs _start, or explores the exports.
//
// It is one JSON object in a file:
//
//	{
//	  "args": ["app", "--fast"],
//	  "env": {"LANG": "C"},
//	  "stdin": "some text",
//	  "dirs": {"/data": "testdata"},
//	  "calls": [
//	    {"export": "setup"},
//	    {"export": "run", "args": [0, 20], "expect": {
//	      "outcome": "trap",
//	      "frames": [{"function": "level3", "file": "trap.c", "line": 17}]
//	    }}
//	  ]
//	}
type Scenario struct {
	Args  []string          `json:"args"`  // arguments, the program's name first
	Env   map[string]string `json:"env"`   // environment
	Stdin string            `json:"stdin"` // standard input
	// Dirs maps paths that the module sees to directories, which it can only read.
	// In a file they are relative to the file.
	Dirs  map[string]string `json:"dirs"`
	Calls []Call            `json:"calls"`
}

// Call is the call of an export.
type Call struct {
	Export string  `json:"export"`
	Args   []Arg   `json:"args"`
	Expect *Expect `json:"expect"` // nil: whatever happens
}

// String formats the call as --invoke takes it.
func (c Call) String() string {
	if len(c.Args) == 0 {
		return c.Export
	}
	words := make([]string, len(c.Args))
	for i, a := range c.Args {
		words[i] = string(a)
	}
	return c.Export + ":" + strings.Join(words, ",")
}

// Arg is an argument as text: a number in any base of Go's syntax, negative ones
// included. In JSON it is a number or a string.
type Arg string

// UnmarshalJSON implements json.Unmarshaler.
func (a *Arg) UnmarshalJSON(b []byte) error {
	var text string
	if len(b) > 0 && b[0] == '"' {
		err := json.Unmarshal(b, &text)
		*a = Arg(text)
		return err
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return errors.New("an argument is a number or a string")
	}
	*a = Arg(n)
	return nil
}

// Expect says what a call must come to.
type Expect struct {
	Outcome string          `json:"outcome"` // return, trap or exit; empty: any
	Exit    *uint32         `json:"exit"`    // exit code
	Frames  []ExpectedFrame `json:"frames"`  // what the trap's frames resolve to, innermost first; more may follow
}

// ExpectedFrame is a frame as the source has it. What is empty is not compared, so that
// an empty one stands for any frame.
type ExpectedFrame struct {
	Function string `json:"function"`
	File     string `json:"file"` // without directories
	Line     uint32 `json:"line"`
}

// String formats the frame as "level3 trap.c:17".
func (e ExpectedFrame) String() string { return fmt.Sprintf("%s %s:%d", e.Function, e.File, e.Line) }

// check looks for mistakes that would make a scenario prove less than it seems to.
func (s *Scenario) check() error {
	for _, name := range sortedKeys(s.Env) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("env has a variable of the name %q, which no variable can have", name)
		}
	}
	for _, guest := range sortedKeys(s.Dirs) {
		if guest == "" || s.Dirs[guest] == "" {
			return fmt.Errorf("dirs has an empty path (%q: %q); it is an object of the path that the module sees and the directory", guest, s.Dirs[guest])
		}
	}
	for i, c := range s.Calls {
		if c.Export == "" {
			return fmt.Errorf("call %d of the scenario names no export", i+1)
		}
		if e := c.Expect; e != nil {
			switch e.Outcome {
			case "", "return", "trap", "exit":
			default:
				return fmt.Errorf("call %d of the scenario expects the outcome %q: it is return, trap or exit", i+1, e.Outcome)
			}
			if len(e.Frames) > 0 && e.Outcome != "" && e.Outcome != "trap" {
				return fmt.Errorf("call %d of the scenario expects frames without a trap", i+1)
			}
			if e.Exit != nil && e.Outcome != "" && e.Outcome != "exit" {
				return fmt.Errorf("call %d of the scenario expects an exit code without an exit", i+1)
			}
		}
	}
	return nil
}

// ParseInvoke parses a call such as "run:0,20" or "setup". The export's name may
// hold colons: what stands behind the last one are the arguments if they read as
// such.
func ParseInvoke(text string) (Call, error) {
	if text == "" {
		return Call{}, errors.New("a call names an export: run, or run:0,20 with arguments")
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return Call{Export: text}, nil
	}
	c := Call{Export: text[:i]}
	if c.Export == "" {
		return Call{}, fmt.Errorf("the call %q names no export", text)
	}
	for word := range strings.SplitSeq(text[i+1:], ",") {
		word = strings.TrimSpace(word)
		if !plausible(word) {
			return Call{}, fmt.Errorf("the argument %q of %s is not a number", word, c.Export)
		}
		c.Args = append(c.Args, Arg(word))
	}
	return c, nil
}
