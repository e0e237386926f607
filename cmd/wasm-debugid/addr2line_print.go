package main

import (
	"bufio"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/printable"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/stacktrace"
)

// answers takes results in the order of the offsets.
type answers interface {
	add(r found) error
	flush() error
	// finish ends the output. err is what ended the input.
	finish(l *addr2line, err error) error
}

func newAnswers(l *addr2line) answers {
	if l.c.Bool("json") {
		return newJSONAnswers(l)
	}
	return &textAnswers{l: l, w: bufio.NewWriterSize(l.c.stdout, 64<<10)}
}

// finishing returns the error that the whole run ends with.
func (l *addr2line) finishing() error {
	if err := l.mismatch(); err != nil {
		return err
	}
	if l.badLines > 0 {
		return &rewrite.RefusedError{Msg: fmt.Sprintf("%d lines of the input are no offsets", l.badLines), Hint: offsetHint(l.space)}
	}
	return nil
}

// textAnswers prints what addr2line prints.
type textAnswers struct {
	l *addr2line
	w *bufio.Writer
	b []byte
}

func (t *textAnswers) flush() error {
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("writing standard output: %w", err)
	}
	return nil
}

func (t *textAnswers) finish(l *addr2line, _ error) error {
	return errors.Join(t.flush(), l.finishing())
}

func (t *textAnswers) add(r found) error {
	l := t.l
	b := t.b[:0]
	if l.addresses {
		b = append(b, "0x"...)
		if at, err := l.parse(r.input); err == nil && l.space != "function" {
			b = strconv.AppendUint(b, at.value, 16)
		} else {
			b = append(b[:len(b)-2], printable.Line(r.input)...)
		}
		if l.pretty {
			b = append(b, ": "...)
		} else {
			b = append(b, '\n')
		}
	}
	frames := r.answer.Frames
	if len(frames) == 0 {
		frames = []debugfile.Frame{{}}
	}
	if !l.inlines {
		frames = frames[:1]
	}
	for i := range frames {
		if i > 0 && l.pretty {
			b = append(b, " (inlined by) "...)
		}
		b = l.appendFrame(b, &frames[i])
		if i == 0 && l.pretty && r.reason != "" {
			b = append(append(append(b, " ("...), printable.Line(r.reason)...), ')')
		}
		b = append(b, '\n')
	}
	t.b = b
	if _, err := t.w.Write(b); err != nil {
		return fmt.Errorf("writing standard output: %w", err)
	}
	if l.stranger != "" {
		return nil
	}
	if r.reason != "" && !l.pretty {
		if err := t.tell(r.input, r.reason); err != nil {
			return err
		}
	}
	if r.doubt != "" {
		return t.tell(r.input, r.doubt)
	}
	return nil
}

// tell notes something about an answer, and keeps the two streams in order.
func (t *textAnswers) tell(input, text string) error {
	if err := t.flush(); err != nil {
		return err
	}
	t.l.c.note(input, rewrite.Note{Text: text})
	return nil
}

// appendFrame appends a frame on one line, or on two without -p.
func (l *addr2line) appendFrame(b []byte, f *debugfile.Frame) []byte {
	if l.functions {
		b = append(b, printable.Line(l.name(f))...)
		if l.pretty {
			b = append(b, " at "...)
		} else {
			b = append(b, '\n')
		}
	}
	file := l.fileName(f)
	if file == "" {
		file = "??"
	}
	b = append(append(b, printable.Line(file)...), ':')
	return strconv.AppendUint(b, uint64(f.Line), 10)
}

// name returns the name of a frame's function, or "??".
func (l *addr2line) name(f *debugfile.Frame) string {
	name := f.Linkage
	if l.demangle {
		name = f.Name()
	}
	if name == "" {
		name = f.Function
	}
	if name == "" {
		return "??"
	}
	return name
}

// fileName returns the path of a frame's source.
func (l *addr2line) fileName(f *debugfile.Frame) string {
	if !l.basenames {
		return f.File
	}
	// Sources come from any system: C:\src\a.c is one of Windows.
	if i := strings.LastIndexByte(f.File, '\\'); i >= 0 && !strings.HasPrefix(f.File, "/") {
		return path.Base(strings.ReplaceAll(f.File, `\`, "/"))
	}
	if f.File == "" {
		return ""
	}
	return path.Base(f.File)
}

// addr2lineDocument is the JSON document of addr2line.
type addr2lineDocument struct {
	Schema     string          `json:"schema"`
	Version    int             `json:"version"`
	Companion  string          `json:"companion"`
	Production string          `json:"production"` // as given with --module
	Tier       string          `json:"tier"`
	CodeStart  *int64          `json:"code_start"` // that file offsets are converted with
	Offsets    string          `json:"offsets"`
	Addresses  []addressResult `json:"addresses"`
	Notes      []noteEntry     `json:"notes"`
	Mismatch   string          `json:"mismatch"` // why the files do not belong together; empty if they do
}

// addressResult has the fields of stacktrace.JSONFrame for what is the same.
type addressResult struct {
	Input      string                    `json:"input"`
	FileOffset *int64                    `json:"file_offset"`
	CodeOffset *int64                    `json:"code_offset"`
	Index      *uint32                   `json:"index"`
	Frames     []stacktrace.JSONFunction `json:"frames"` // innermost first
	Reason     string                    `json:"reason"` // why there is no line, or why the offset cannot be of this build
}

// jsonAnswers collects the document. Nothing is left out for want of a flag.
type jsonAnswers struct{ doc addr2lineDocument }

func newJSONAnswers(l *addr2line) *jsonAnswers {
	j := &jsonAnswers{addr2lineDocument{Schema: "wasm-debugid/addr2line", Version: 1, Companion: l.exe, Tier: l.file.Tier().String(),
		Production: l.module, Offsets: l.space, Addresses: []addressResult{}, Mismatch: l.stranger}}
	if l.hasSpan {
		start := int64(l.span.Start)
		j.doc.CodeStart = &start
	}
	return j
}

func (j *jsonAnswers) flush() error { return nil }

func (j *jsonAnswers) add(r found) error {
	e := addressResult{Input: r.input, FileOffset: r.file, CodeOffset: r.code, Frames: []stacktrace.JSONFunction{}, Reason: r.reason}
	if r.answer.HasIndex {
		index := r.answer.Index
		e.Index = &index
	}
	if r.doubt != "" && e.Reason != "" {
		e.Reason += "; "
	}
	e.Reason += r.doubt
	for i := range r.answer.Frames {
		e.Frames = append(e.Frames, stacktrace.NewJSONFunction(&r.answer.Frames[i]))
	}
	j.doc.Addresses = append(j.doc.Addresses, e)
	return nil
}

func (j *jsonAnswers) finish(l *addr2line, err error) error {
	if err != nil {
		return nil
	}
	j.doc.Notes = append([]noteEntry{}, l.notes...)
	return errors.Join(l.c.printJSON(j.doc), l.finishing())
}
