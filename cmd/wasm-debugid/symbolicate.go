package main

import (
	"fmt"
	"slices"
	"strconv"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/internal/printable"
	"github.com/wasm-debugid/wasm-debugid/stacktrace"
)

// Defaults and limits of --context.
const (
	defaultContext = 2
	maxContext     = 1000
)

func symbolicateCommand() command {
	return command{
		name: "symbolicate", summary: "turn a pasted stack trace into functions, files and lines", synopsis: "[FILE | -] --debug FILE|DIR...",
		about: `Reads a text with stack traces of WebAssembly code, from FILE or standard input, and writes it to standard output with what each frame stands for below it: function, file and line, and what was inlined there. Everything else in the text is copied as it is, so that a whole log can be piped through; it is streamed, and may be of any size.

Traces of V8 (Chrome, Node.js, Deno), Firefox, Safari, wasmtime, wasmer, wazero and WAMR are understood, as are JSON documents: events in Sentry's format, V8's call sites, Firefox's error objects.

--debug names companions, unsplit modules, or directories that are searched for both. For each frame the right one is chosen by build ID, by V8's label, by URL and file name, or by the name of the module, which is held against the file name in the URL as well; of several releases those whose code does not fit the trace are ruled out. One that is the only one named is used if nothing contradicts. A frame that fits no build, or whose function and offset do not agree, is left alone, with the reason. --module names the production module where the companion does not say where its code starts, and so that Safari's frames, which have no offsets, can be told by what calls what.

Source lines are shown where --source-root or --path-map says where the sources are. No other files are read, whatever the debug information names.`,
		examples: []example{
			{"a trace from the clipboard", "xclip -o | wasm-debugid symbolicate --debug app.debug.wasm"},
			{"a server's log, as it grows", "journalctl -fu app | wasm-debugid symbolicate --debug symbols/"},
			{"with source lines", "wasm-debugid symbolicate trace.txt --debug app.debug.wasm --source-root . --context 3"},
			{"sources that were built elsewhere", "wasm-debugid symbolicate trace.txt --debug symbols/ --path-map /builds/42/app=. --path-map /rustc/3f5fd8d=/opt/rust/src"},
			{"a Safari trace, with places inferred from the code", "wasm-debugid symbolicate safari.txt --debug app.debug.wasm --module app.wasm"},
			{"an event in Sentry's format, completed", "wasm-debugid symbolicate event.json --debug symbols/ > symbolicated.json"},
			{"a gate in CI: fail if a frame does not resolve", "wasm-debugid symbolicate trace.txt --debug app.debug.wasm --strict >/dev/null"},
		},
		exits: []int{exitCheck, exitInput, exitFiles},
		options: []option{
			{names: []string{"debug", "e", "d"}, value: "FILE|DIR", many: true, file: true, usage: "a companion or unsplit module, or a directory with such"},
			{names: []string{"module"}, value: "FILE", many: true, file: true, usage: "a production module"},
			{names: []string{"dwo"}, value: "FILE", many: true, file: true, usage: "a .dwo file with split DWARF; those beside the companion are found"},
			{names: []string{"dwp"}, value: "FILE", file: true, usage: "a .dwp file with split DWARF"},
			{names: []string{"symbol-map"}, value: "FILE", file: true, usage: "emscripten's symbol map, for names of functions"},
			{names: []string{"source-map"}, value: "FILE", file: true, usage: "the source map of a module without DWARF"},
			{names: []string{"source-root"}, value: "DIR", many: true, dir: true, usage: "show source lines, from files below DIR; / takes paths as they were recorded"},
			{names: []string{"path-map"}, value: "FROM=TO", many: true, usage: "look for sources that were recorded below FROM in the directory TO"},
			{names: []string{"context"}, value: "N", usage: fmt.Sprintf("number of source lines before and behind the one of a frame; %d by default", defaultContext)},
			{names: []string{"input"}, value: "KIND", choice: []string{"auto", "text", "json"}, usage: "what the input is: auto, text or json; auto, the default, takes a text that is one JSON document for JSON"},
			{names: []string{"format"}, value: "FORMAT", choice: []string{"text", "json", "sentry"}, usage: "text: the text with lines below frames; json: one document with all frames; sentry: an event in Sentry's format, or the JSON input completed. The default is text for text, and sentry for JSON input"},
			{names: []string{"json"}, usage: "the same as --format json"},
			{names: []string{"offsets"}, value: "MODE", choice: []string{"auto", "file", "code", "function", "next"},
				usage: "what offsets count from. auto, the default: what the engine of the frame counts from; file, code, function: the file, the code section, the function, whatever the engine; next: the file, but offsets are those of the following instruction (WAMR's classic interpreter)"},
			{names: []string{"strict"}, usage: "exit with 1 if a WebAssembly frame did not resolve"},
		},
		run: runSymbolicate,
	}
}

func runSymbolicate(c *call) error {
	o, err := c.symbolicateOptions()
	if err != nil {
		return err
	}
	name := debugid.Stdio
	switch c.NArg() {
	case 0:
	case 1:
		name = c.Args().First()
	default:
		return &usageError{"symbolicate takes one text", "cat " + quote(c.Args().Get(0)) + " " + quote(c.Args().Get(1)) + " | " + program + " symbolicate --debug ..."}
	}
	o.Input, o.Output = c.stdin, c.stdout
	if name != debugid.Stdio {
		f, err := openText(c.ctx(), name)
		if err != nil {
			return err
		}
		defer f.Close()
		o.Input = f
		if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
			o.Input = &interruptible{ctx: c.ctx(), r: f} // a read may wait
		}
	} else if c.inTTY && !c.quiet {
		c.message(c.paintErr().dim("note"), "reading the trace from the terminal; end it with Ctrl-D")
	}
	if !c.quiet {
		o.Note = func(text string) { c.message(c.paintErr().yellow("warning"), text) }
	}
	result, err := debugid.Symbolicate(c.ctx(), o)
	if is[*debugid.TraceError](err) && name != debugid.Stdio {
		return namedError(name, err)
	}
	if err != nil {
		return err
	}
	return c.symbolicated(result)
}

// symbolicated reports what became of the frames.
func (c *call) symbolicated(r *debugid.SymbolicateResult) error {
	unresolved := &debugid.UnresolvedError{Summary: r.Summary}
	if c.verbose && !c.quiet {
		c.message("frames", fmt.Sprintf("%d: %d with lines, %d with functions alone, %d not resolved, %d of the host", r.Frames, r.Lines, r.Functions, r.Unresolved, r.Host))
	}
	switch {
	case c.Bool("strict") && (r.Unresolved > 0 || r.Frames == 0):
		return unresolved
	case r.Frames == 0 && !c.quiet:
		c.message(c.paintErr().dim("note"), unresolved.Error())
	}
	return nil
}

// symbolicateOptions reads the flags.
func (c *call) symbolicateOptions() (debugid.SymbolicateOptions, error) {
	o := debugid.SymbolicateOptions{Debug: c.list("debug"), Modules: c.list("module"), Context: defaultContext}
	if len(o.Debug)+len(o.Modules) == 0 {
		return o, &usageError{"name a companion, or a directory with companions", c.line("--debug", "app.debug.wasm")}
	}
	o.Files.DWO, o.Files.DWP = c.list("dwo"), c.String("dwp")
	o.Files.SymbolMap, o.Files.SourceMap = c.String("symbol-map"), c.String("source-map")
	var err error
	if v := c.String("offsets"); v != "" {
		if o.Offsets, err = stacktrace.ParseOffsetMode(v); err != nil {
			return o, &usageError{"--offsets: " + err.Error(), ""}
		}
	}
	if v := c.String("context"); v != "" {
		if o.Context, err = strconv.Atoi(v); err != nil || o.Context < 0 || o.Context > maxContext {
			return o, &usageError{fmt.Sprintf("--context is a number from 0 to %d, not %q", maxContext, v), ""}
		}
	}
	o.Source.Roots = c.list("source-root")
	for _, v := range c.list("path-map") {
		m, err := stacktrace.ParsePathMap(v)
		if err != nil {
			return o, &usageError{"--path-map: " + err.Error(), ""}
		}
		o.Source.Maps = append(o.Source.Maps, m)
	}
	if len(o.Source.Roots)+len(o.Source.Maps) == 0 && c.args.has("context") {
		return o, &usageError{"--context shows source lines, but nothing says where the sources are", c.line("--source-root", ".")}
	}
	switch v := c.String("input"); v {
	case "", "auto":
	case "text", "json":
		o.Kind = debugid.TraceInput(v)
	default:
		return o, &usageError{fmt.Sprintf("--input is auto, text or json, not %q", v), ""}
	}
	v := c.String("format")
	if v != "" && !slices.Contains([]string{"text", "json", "sentry"}, v) {
		return o, &usageError{fmt.Sprintf("--format is text, json or sentry, not %q", v), ""}
	}
	if c.Bool("json") {
		if v != "" && v != "json" {
			return o, &usageError{"--json and --format " + v + " contradict each other", "leave one of them out"}
		}
		v = "json"
	}
	o.Format = debugid.TraceFormat(v)
	o.Mark = c.paintOut().markTrace
	return o, nil
}

// markTrace cleans and colours what was added to a trace. The trace itself is
// passed on as it is.
func (p painter) markTrace(kind stacktrace.Mark, text []byte) []byte {
	if kind == stacktrace.MarkSource || kind == stacktrace.MarkCurrent {
		text = []byte(printable.Source(string(text)))
	} else {
		text = []byte(printable.Line(string(text)))
	}
	if !p.on {
		return text
	}
	switch kind {
	case stacktrace.MarkFrame, stacktrace.MarkCurrent:
		return []byte(p.bold(string(text)))
	case stacktrace.MarkReason:
		return []byte(p.yellow(string(text)))
	}
	return []byte(p.dim(string(text)))
}
