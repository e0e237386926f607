package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// offset is what an offset that was given says.
type offset struct {
	value uint64
	index uint32 // with --offsets=function
}

// parse reads an offset.
func (l *addr2line) parse(text string) (offset, error) {
	if l.space != "function" {
		v, err := parseNumber(text, 63)
		return offset{value: v}, err
	}
	index, rest, ok := strings.Cut(text, ":")
	if !ok {
		return offset{}, fmt.Errorf("%q is not INDEX:OFFSET", text)
	}
	i, err := parseNumber(index, 32)
	if err != nil {
		return offset{}, err
	}
	v, err := parseNumber(rest, 63)
	return offset{v, uint32(i)}, err
}

// parseNumber reads 0x1f3a, @1f3a and 7994.
func parseNumber(text string, bits int) (uint64, error) {
	digits, base := text, 10
	if rest, ok := strings.CutPrefix(digits, "@"); ok {
		digits, base = rest, 16
	}
	for _, prefix := range []string{"0x", "0X"} {
		if rest, ok := strings.CutPrefix(digits, prefix); ok {
			digits, base = rest, 16
		}
	}
	v, err := strconv.ParseUint(digits, base, bits)
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%q is too large for an offset", text)
	case base == 10:
		if _, err := strconv.ParseUint(digits, 16, 64); err == nil {
			return 0, fmt.Errorf("%q is not an offset; if it is hexadecimal, write 0x%s", text, digits)
		}
	}
	return 0, fmt.Errorf("%q is not an offset", text)
}

func offsetHint(space string) string {
	if space == "function" {
		return "offsets are INDEX:OFFSET here, for example 12:0x5"
	}
	return "an offset is 0x1f3a, @1f3a or 7994"
}

// found is the answer for one offset.
type found struct {
	input  string
	bad    error // the input is no offset
	file   *int64
	code   *int64
	answer debugfile.Answer
	reason string // why there is no line; empty if there is one
	doubt  string // why the offset cannot be of this build; empty if it can
}

// look answers one offset.
func (l *addr2line) look(text string) found {
	r := found{input: text}
	at, err := l.parse(text)
	switch {
	case err != nil:
		r.bad, r.reason = err, err.Error()
		l.badLines++
		return r
	case l.stranger != "":
		r.reason = l.stranger
		return r
	}
	c, reason := l.codeOffset(&r, at)
	if reason != "" {
		r.reason = reason
		return r
	}
	code := int64(c)
	r.code = &code
	if r.file == nil && l.hasSpan {
		if f, ok := l.span.File(c); ok {
			file := int64(f)
			r.file = &file
		}
	}
	r.answer = l.file.Lookup(c, l.buf)
	l.buf = r.answer.Frames[:0]
	r.reason = r.answer.Reason.String()
	if r.answer.HasIndex {
		if text := l.inspector.Contradiction(r.answer.Index, c); text != "" {
			r.doubt = fmt.Sprintf("%s of function %d: the offset is of another build than %s, or counts from elsewhere", text, r.answer.Index, l.exe)
		}
	}
	return r
}

// codeOffset converts an offset to C, or says why it is no place in the code.
func (l *addr2line) codeOffset(r *found, at offset) (wasm.CodeOffset, string) {
	switch l.space {
	case "file":
		file := int64(at.value)
		r.file = &file
		at := wasm.FileOffset(at.value)
		if own, ok := l.ran.CodeSpan(); ok && own.Start == l.span.Start {
			if reason := debugfile.NotCode(l.ran, at); reason != "" {
				return 0, reason
			}
		}
		if c, ok := l.span.Code(at); ok && l.hasSpan {
			return c, ""
		}
		if !l.hasSpan {
			return 0, debugfile.NotCode(l.ran, at)
		}
		return 0, fmt.Sprintf("this lies outside of the code, which is %v to %v in the production module", l.span.Start, l.span.End())
	case "code":
		c, ok := wasm.CodeOffsetFromAddress(at.value)
		if span, have := l.file.CodeSpan(); !ok || have && uint32(c) >= span.Size {
			return 0, debugfile.ReasonPastEnd.String()
		}
		return c, ""
	}
	imported, bodies := l.file.ImportedFunctions(), l.file.NumBodies()
	number := int64(at.index) - int64(imported)
	switch {
	case number < 0:
		return 0, fmt.Sprintf("function %d is imported: it has no code here", at.index)
	case number >= int64(bodies):
		return 0, fmt.Sprintf("there is no function %d; the last one is %d", at.index, int64(imported)+int64(bodies)-1)
	}
	_, e := l.file.Body(int(number))
	if at.value >= uint64(e.End-e.Start) {
		return 0, fmt.Sprintf("function %d has 0x%x bytes; this lies behind its end", at.index, uint32(e.End-e.Start))
	}
	return e.Start + wasm.CodeOffset(at.value), ""
}
