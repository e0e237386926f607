package debugid

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wasm-debugid/wasm-debugid/stacktrace"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// namedTraces is a module with names whose traces are in testdata.
var namedTraces = filepath.Join("testdata", "traces", "traps-named.wasm")

const namedFrame = "    at https://x/traps-named.wasm:wasm-function[1]:0x1e5\n"

// TestSymbolicateKinds: text is told from JSON, and a log that begins like JSON is
// passed through whole.
func TestSymbolicateKinds(t *testing.T) {
	const sites = `[{"functionName":"f","fileName":"https://x/traps-named.wasm","lineNumber":1,"columnNumber":486}]`
	for _, c := range []struct {
		about, text string
		kind        TraceInput
		format      TraceFormat
		want        string // part of the output
		frames      int64
	}{
		{"text", "a\n" + namedFrame, TraceAuto, "", "a\n" + namedFrame + "      => t_unreachable", 1},
		{"empty", "", TraceAuto, "", "", 0},
		{"blanks", "\n \n", TraceAuto, "", "\n \n", 0},
		{"a log with brackets", "[2026-05-01] start\n" + namedFrame, TraceAuto, "", "[2026-05-01] start\n" + namedFrame + "      => t_unreachable", 1},
		{"a log with braces", "{\"a\": 1} {\"b\": 2}\n" + namedFrame, TraceAuto, "", "{\"a\": 1} {\"b\": 2}\n" + namedFrame + "      => t_unreachable", 1},
		{"one document a line", "{\"a\":1}\n{\"b\":2}\n", TraceAuto, "", "{\"a\":1}\n{\"b\":2}\n", 0},
		{"JSON without a trace", `{"a": [1, 2]}` + "\n", TraceAuto, "", `{"a": [1, 2]}` + "\n", 0},
		{"JSON that is cut off", `[{"functionName":"f",`, TraceAuto, "", `[{"functionName":"f",`, 0},
		{"call sites", "\n  " + sites + "\n", TraceAuto, "", `"symbolicated":{`, 1},
		{"call sites as text", sites, TraceAuto, FormatText, "[0] f https://x/traps-named.wasm file 0x1e5\n  => t_unreachable", 1},
		{"call sites as JSON", sites, TraceJSON, FormatJSON, `"function":"t_unreachable"`, 1},
		{"call sites taken for text", sites, TraceText, "", sites, 0},
		{"text as JSON", namedFrame, TraceText, FormatJSON, `"function":"t_unreachable"`, 1},
		{"text as an event", namedFrame, TraceText, FormatSentry, `"function":"t_unreachable"`, 1},
	} {
		for how, in := range map[string]io.Reader{"at once": strings.NewReader(c.text), "by byte": iotest.OneByteReader(strings.NewReader(c.text))} {
			var out bytes.Buffer
			r, err := Symbolicate(context.Background(), SymbolicateOptions{Input: in, Output: &out, Kind: c.kind, Format: c.format, Debug: []string{namedTraces}})
			if err != nil {
				t.Errorf("%s, read %s: %v", c.about, how, err)
				continue
			}
			if !strings.Contains(out.String(), c.want) || r.Frames != c.frames || r.Unresolved != 0 {
				t.Errorf("%s, read %s: %+v, output\n%s\nwant %q", c.about, how, r.Summary, out.String(), c.want)
			}
		}
	}
}

func TestSymbolicateErrors(t *testing.T) {
	base := func() SymbolicateOptions {
		return SymbolicateOptions{Input: strings.NewReader(namedFrame), Output: io.Discard, Debug: []string{namedTraces}}
	}
	broken := errors.New("broken")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		change func(*SymbolicateOptions)
		is     error
	}{
		"no files":       {context.Background(), func(o *SymbolicateOptions) { o.Debug = nil }, nil},
		"unknown format": {context.Background(), func(o *SymbolicateOptions) { o.Format = "xml" }, nil},
		"unknown kind":   {context.Background(), func(o *SymbolicateOptions) { o.Kind = "xml" }, nil},
		"no JSON":        {context.Background(), func(o *SymbolicateOptions) { o.Kind = TraceJSON }, nil},
		"no root":        {context.Background(), func(o *SymbolicateOptions) { o.Source.Roots = []string{"missing"} }, nil},
		"broken input":   {context.Background(), func(o *SymbolicateOptions) { o.Input = iotest.ErrReader(broken) }, broken},
		"broken JSON":    {context.Background(), func(o *SymbolicateOptions) { o.Input, o.Kind = iotest.ErrReader(broken), TraceJSON }, broken},
		"cancelled":      {cancelled, func(*SymbolicateOptions) {}, context.Canceled},
	} {
		o := base()
		c.change(&o)
		if _, err := Symbolicate(c.ctx, o); err == nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var bad *TraceError
	o := base()
	o.Kind = TraceJSON
	if _, err := Symbolicate(context.Background(), o); !errors.As(err, &bad) {
		t.Errorf("text for JSON: %v", err)
	}
	if text := (&UnresolvedError{stacktrace.Summary{Frames: 3, Unresolved: 2}}).Error(); text != "2 of 3 WebAssembly frames did not resolve" {
		t.Error(text)
	}
}

// TestSymbolicateBinary: what is no text is refused before anything is written,
// and files that are swapped are told.
func TestSymbolicateBinary(t *testing.T) {
	module, err := os.ReadFile(namedTraces)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		about      string
		input      string
		want, hint string // want: empty if it is passed through
	}{
		{"a module", string(module), "a core module", "may be swapped"},
		{"a component", "\x00asm\x0d\x00\x01\x00rest", "a component", "may be swapped"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00", "gzip-compressed data", "gzip -d"},
		{"ELF", "\x7fELF\x02\x01\x01\x00", "an ELF file", "give the text"},
		{"UTF-16", "\xff\xfea\x00t\x00", "UTF-16", "iconv"},
		{"a log that was cut", "\x00\x00\x00\x00 12:00 start\n", "", ""},
		{"a log that begins like a program", "MZ 12:00 start\n", "", ""},
		{"one byte", "\x00", "", ""},
		{"JavaScript", "// log\n", "", ""},
		{"the text format", "(module)\n", "", ""},
	} {
		for how, in := range map[string]io.Reader{"at once": strings.NewReader(c.input), "by byte": iotest.OneByteReader(strings.NewReader(c.input))} {
			var out bytes.Buffer
			_, err := Symbolicate(context.Background(), SymbolicateOptions{Input: in, Output: &out, Debug: []string{namedTraces}})
			var bad *TraceError
			switch {
			case c.want == "" && (err != nil || out.String() != c.input):
				t.Errorf("%s, read %s: error %v, output %q", c.about, how, err, out.String())
			case c.want != "" && (!errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || !strings.Contains(Hint(err), c.hint) || out.Len() > 0):
				t.Errorf("%s, read %s: error %v, hint %q, %d bytes written", c.about, how, err, Hint(err), out.Len())
			}
		}
	}
	dir := t.TempDir()
	trace, page, event := filepath.Join(dir, "trace.txt"), filepath.Join(dir, "page.wasm"), filepath.Join(dir, "event.json")
	for name, text := range map[string]string{trace: "boom\n" + namedFrame, page: "<html>", event: `[{"functionName":"f","fileName":"https://x/a.wasm","lineNumber":1,"columnNumber":486}]`} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, isTrace := range map[string]bool{trace: true, page: false, event: true} {
		for _, o := range []SymbolicateOptions{{Debug: []string{name}}, {Debug: []string{dir}, Modules: []string{name}}} {
			o.Input, o.Output = strings.NewReader(namedFrame), io.Discard
			_, err := Symbolicate(context.Background(), o)
			if !errors.Is(err, wasm.ErrNotModule) || !strings.Contains(err.Error(), name+": ") || strings.Contains(err.Error(), "a stack trace") != isTrace || strings.Contains(Hint(err), "may be swapped") != isTrace {
				t.Errorf("%s as a companion: %v, hint %q", name, err, Hint(err))
			}
		}
	}
}

// TestSymbolicateNotes: notes are there before the input is read.
func TestSymbolicateNotes(t *testing.T) {
	dir := t.TempDir()
	var notes []string
	r, err := Symbolicate(context.Background(), SymbolicateOptions{Input: readFunc(func() {
		if len(notes) != 1 || !strings.Contains(notes[0], dir+" holds no companion") {
			t.Errorf("notes before the input is read: %q", notes)
		}
	}), Output: io.Discard, Debug: []string{dir}, Note: func(text string) { notes = append(notes, text) }})
	if err != nil || len(r.Notes) != 1 {
		t.Errorf("error %v, result %+v", err, r)
	}
}

// readFunc is an empty input that calls a function when it is read.
type readFunc func()

func (f readFunc) Read([]byte) (int, error) { f(); return 0, io.EOF }
