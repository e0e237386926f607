package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/printable"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/stacktrace"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func addr2lineCommand() command {
	return command{
		name: "addr2line", summary: "turn offsets into functions, files and lines", synopsis: "-e FILE [OFFSET... | -]",
		about: `Looks up what stands at offsets of a module, in its companion or in the unsplit module itself. Offsets are given as arguments, or one a line on standard input; each gets its answer at once.

An offset is 0x1f3a, @1f3a (as disassemblers print it) or 7994; with --offsets=function it is INDEX:OFFSET. By default offsets count from the start of the file, which is what browsers, wasmtime and wasmer print. wazero prints code offsets. Nothing is ever subtracted from an offset, for callers neither: engines report the call itself.

A file offset belongs to the file that ran. Name that file with --module if it is at hand: it is checked that it belongs to the companion, and its own code start is used. Without it the code start of FILE is used, which is the same if this tool has made the pair: the companion has it on record then.

Where code is at hand, in a full companion or with --module, it is checked that an instruction starts at the offset. One inside an instruction is of another build, or counts from elsewhere; it is answered all the same, with a note.

As with addr2line, what is printed is the position, FILE:LINE, of the innermost frame; -f adds the function's name, -i the frames that it was inlined into, -a the offset, and -p puts a frame on one line. "??" stands for a name and "??:0" for a position that is not known; why it is not is said on standard error, or with -p on the line itself.

Where there is no DWARF, a source map is used: the one that the module names, if it is a file beside it, or --source-map. Split DWARF (.dwo, .dwp) is found beside FILE or where the compiler left it. Names are demangled (C++, Rust); there is no demangler for Swift.`,
		examples: []example{
			{"what a browser's wasm-function[7]:0x1f3a stands for", "wasm-debugid addr2line -e app.debug.wasm -fip 0x1f3a"},
			{"with the file that was shipped", "wasm-debugid addr2line -e app.debug.wasm --module app.wasm 0x1f3a 0x2b04"},
			{"an offset that wazero printed", "wasm-debugid addr2line -e app.debug.wasm --offsets code 0x1ee0"},
			{"from a core dump: function 12, byte 5", "wasm-debugid addr2line -e app.debug.wasm --offsets function 12:5"},
			{"many", "wasm-debugid addr2line -e app.debug.wasm -fa - < offsets.txt"},
		},
		exits: []int{exitCheck, exitInput, exitFiles},
		options: []option{
			{names: []string{"exe", "e", "d", "obj", "debug"}, value: "FILE", file: true, usage: "the companion, or the unsplit module"},
			{names: []string{"module"}, value: "FILE", file: true, usage: "the production module, which ran"},
			{names: []string{"offsets"}, value: "SPACE", usage: "what offsets count from: file (the default), code (the Code section's payload) or function (INDEX:OFFSET, from the function's first byte)", choice: []string{"file", "code", "function"}},
			{names: []string{"functions", "f"}, usage: "print the name of the function"},
			{names: []string{"inlines", "i"}, usage: "print the frames that the innermost one was inlined into as well"},
			{names: []string{"pretty-print", "p"}, usage: "print one line for each frame"},
			{names: []string{"addresses", "a"}, usage: "print the offset in front of its answer"},
			{names: []string{"basenames", "s"}, usage: "print file names without their directories"},
			{names: []string{"demangle", "C"}, usage: "print readable names, which is the default"},
			{names: []string{"no-demangle"}, usage: "print names as the linker knows them"},
			{names: []string{"dwo"}, value: "FILE", many: true, file: true, usage: "a .dwo file with split DWARF"},
			{names: []string{"dwp"}, value: "FILE", file: true, usage: "a .dwp file with split DWARF"},
			{names: []string{"symbol-map"}, value: "FILE", file: true, usage: "emscripten's symbol map, for names of functions"},
			{names: []string{"source-map"}, value: "FILE", file: true, usage: "the source map of a module without DWARF"},
			{names: []string{"json"}, usage: "print one JSON document"},
		},
		run: runAddr2line,
	}
}

func runAddr2line(c *call) error {
	l, err := newAddr2line(c)
	if err != nil {
		return err
	}
	defer l.close()
	inputs := c.Args().Slice()
	fromStdin := len(inputs) == 0 || len(inputs) == 1 && inputs[0] == "-"
	if !fromStdin {
		// A typo is found before anything is printed.
		for _, text := range inputs {
			if _, err := l.parse(text); err != nil {
				return &usageError{"addr2line: " + err.Error(), offsetHint(l.space)}
			}
		}
	}
	if err := l.open(); err != nil {
		return err
	}
	out := newAnswers(l)
	if fromStdin {
		err = l.stream(c.ctx(), out)
	} else {
		for _, text := range inputs {
			if err = out.add(l.look(text)); err != nil {
				break
			}
		}
	}
	err = errors.Join(err, out.finish(l, err))
	if c.verbose {
		c.note(l.exe, rewrite.Note{Text: fmt.Sprintf("the index of what was asked for took %s of memory, besides the file itself", printable.Count(l.file.Memory(), "byte"))})
	}
	return err
}

// maxOffsetLine bounds the length in bytes of a line with an offset.
const maxOffsetLine = 64 << 10

// stream answers standard input line by line.
func (l *addr2line) stream(ctx context.Context, out answers) error {
	in := bufio.NewReaderSize(l.c.stdin, maxOffsetLine)
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return &usageError{fmt.Sprintf("standard input has a line of more than %d bytes", maxOffsetLine), "give one offset a line; symbolicate reads logs"}
		}
		if text := strings.TrimSpace(string(line)); text != "" {
			if err := out.add(l.look(text)); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("reading standard input: %w", err)
		case ctx.Err() != nil:
			return ctx.Err()
		case in.Buffered() == 0:
			// Whoever writes one offset and waits for its answer gets it.
			if err := out.flush(); err != nil {
				return err
			}
		}
	}
}

// addr2line is one run of the command.
type addr2line struct {
	c         *call
	exe       string // path of the companion
	module    string // path of the production module; may be empty
	space     string // file, code or function
	demangle  bool
	functions bool
	inlines   bool
	pretty    bool
	addresses bool
	basenames bool

	options    debugfile.Options
	file       *debugfile.File
	production *wasm.File // nil without --module
	inspector  *stacktrace.Inspector
	record     *rewrite.Record // of the companion; nil if it has none
	ran        *wasm.File      // the module that file offsets belong to, as far as it is at hand
	span       wasm.CodeSpan   // where the code lies in the module that ran
	hasSpan    bool
	stranger   string // why the production module does not belong to the companion
	notes      []noteEntry
	badLines   int
	buf        []debugfile.Frame
}

func newAddr2line(c *call) (*addr2line, error) {
	l := &addr2line{c: c, exe: c.String("exe"), module: c.String("module"), space: c.String("offsets"), demangle: !c.Bool("no-demangle"),
		functions: c.Bool("functions"), inlines: c.Bool("inlines"), pretty: c.Bool("pretty-print"), addresses: c.Bool("addresses"), basenames: c.Bool("basenames")}
	l.options = debugfile.Options{ProductionPath: l.module, DWO: c.list("dwo"), DWP: c.String("dwp"),
		SymbolMap: c.String("symbol-map"), SourceMap: c.String("source-map")}
	if l.space == "" {
		l.space = "file"
	}
	switch {
	case l.exe == "":
		return nil, &usageError{"addr2line: name the companion with -e", program + " addr2line -e app.debug.wasm 0x1f3a"}
	case l.space != "file" && l.space != "code" && l.space != "function":
		return nil, &usageError{fmt.Sprintf("--offsets is file, code or function, not %q", l.space), ""}
	case c.Bool("demangle") && c.Bool("no-demangle"):
		return nil, &usageError{"--demangle and --no-demangle exclude each other", "give one of them"}
	case c.NArg() == 0 && c.inTTY:
		return nil, &usageError{"addr2line: give offsets", program + " addr2line -e " + quote(l.exe) + " 0x1f3a"}
	}
	return l, nil
}

// open opens the files and finds out which code start holds.
func (l *addr2line) open() error {
	if l.module != "" {
		var err error
		if l.production, err = wasm.Open(l.module); err != nil {
			return namedError(l.module, err)
		}
		l.options.Production = l.production
	}
	if err := l.options.Available(); err != nil {
		return err
	}
	var err error
	if l.file, err = debugfile.Open(l.exe, l.options); err != nil {
		return err
	}
	if l.record, err = rewrite.ReadRecord(l.file.Module()); err != nil {
		l.note(true, "%v", err)
	}
	l.ran = l.file.Module()
	if l.production != nil {
		l.ran = l.production
		if err := l.compare(); err != nil {
			return err
		}
	}
	l.span, l.hasSpan = l.ran.CodeSpan()
	if r := l.record; l.production == nil && r != nil && r.Code != nil && r.Code.Size >= 0 && r.Code.Size < 1<<32 {
		l.span, l.hasSpan = wasm.CodeSpan{Start: r.Code.Start, Size: uint32(r.Code.Size)}, true
	}
	l.inspector = stacktrace.NewInspector(l.file, l.production)
	l.sayCodeStart()
	l.sayWhatIsMissing()
	if err := l.file.BodyError(); err != nil {
		l.note(true, "functions cannot be listed to the end: %v", err)
	}
	return nil
}

// close releases the files. Nothing was written to them, so that errors say
// nothing.
func (l *addr2line) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
	if l.production != nil {
		_ = l.production.Close()
	}
}

// note tells the user something about the files: on standard error, and in the
// JSON document.
func (l *addr2line) note(warning bool, format string, args ...any) {
	n := rewrite.Note{Warning: warning, Text: fmt.Sprintf(format, args...)}
	l.c.note(l.exe, n)
	l.notes = append(l.notes, noteEntries([]rewrite.Note{n})...)
}

// sayCodeStart says which code start file offsets are converted with, unless there
// is only one.
func (l *addr2line) sayCodeStart() {
	if l.space != "file" {
		return
	}
	own, ok := l.file.Module().CodeSpan()
	differs := ok && l.hasSpan && l.span.Start != own.Start
	switch {
	case l.production != nil && differs:
		l.note(true, "its code starts at %v, that of %s at %v; offsets are taken as offsets in %s", own.Start, l.module, l.span.Start, l.module)
	case l.production != nil:
	case differs:
		l.note(true, "its code starts at %v, that of the production module, by its record, at %v; offsets are taken as offsets in the production module", own.Start, l.span.Start)
	case l.record != nil && l.record.Code != nil:
		// The record settles it.
	case ok:
		l.note(false, "offsets are taken as offsets in this file, whose code starts at %v; name the file that ran with --module if its code starts elsewhere", own.Start)
	default:
		l.note(true, "this file has no code, so that file offsets mean nothing; name the file that ran with --module")
	}
}

// sayWhatIsMissing explains answers that will be poor.
func (l *addr2line) sayWhatIsMissing() {
	if l.file.HasDWARF() {
		return
	}
	text := l.file.TierReason()
	if ref, err := l.file.Module().ExternalDebugInfo(); err == nil && ref.URL != "" {
		text += fmt.Sprintf("; its debug information is in %s", ref.URL)
	}
	l.note(l.file.Tier() != debugfile.TierSourceMap, "%s", text)
	for _, err := range []error{l.file.SourceMapError(), l.file.NamesError()} {
		if err != nil {
			l.note(true, "%v", err)
		}
	}
}
