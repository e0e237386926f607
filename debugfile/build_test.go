package debugfile_test

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// world is a module that is being made for a test: bodies of given sizes, whose
// every byte but the first begins an instruction, and DWARF.
type world struct {
	*td.Builder
	sizes  []int
	bodies []testwasm.Body // in place of those of nops, where set
	names  []string
	extra  []testwasm.Section
	dwarf  td.Sections // in place of what the builder has, where set
	width  int         // of the Code section's size
}

func newWorld(sizes ...int) *world {
	return &world{Builder: td.New(), sizes: sizes, bodies: make([]testwasm.Body, len(sizes))}
}

// start and end return C of a body's first byte, and of the one behind it.
func (w *world) start(i int) uint64 {
	at := uint64(1)
	for k := range i {
		at += 1 + uint64(w.sizes[k])
	}
	return at + 1
}

func (w *world) end(i int) uint64 { return w.start(i) + uint64(w.sizes[i]) }

// module returns the bytes.
func (w *world) module() []byte {
	var code []testwasm.Body
	types := make([]uint32, len(w.sizes))
	for i, n := range w.sizes {
		b := w.bodies[i]
		if b.Code == nil {
			b = testwasm.Fn(bytes.Repeat([]byte{testwasm.OpNop}, n-2)...)
		}
		code = append(code, b)
	}
	sections := []testwasm.Section{testwasm.Types(testwasm.FuncType{})}
	if len(w.sizes) > 0 {
		sections = append(sections, testwasm.Functions(types...), testwasm.Code(code...).Pad(w.width))
	}
	dwarf := w.dwarf
	if dwarf == nil {
		dwarf = w.Build()
	}
	for _, name := range []string{".debug_abbrev", ".debug_info", ".debug_line", ".debug_str", ".debug_line_str", ".debug_str_offsets",
		".debug_addr", ".debug_ranges", ".debug_rnglists", ".debug_aranges", ".debug_loc"} {
		if b, ok := dwarf[name]; ok {
			sections = append(sections, testwasm.Custom(name, b))
		}
	}
	if len(w.names) > 0 {
		sections = append(sections, testwasm.Names{Functions: testwasm.List(w.names...)}.Section())
	}
	return testwasm.Build(append(sections, w.extra...)...)
}

// open opens the module.
func (w *world) open(t testing.TB, o debugfile.Options) *debugfile.File {
	t.Helper()
	return openBytes(t, w.module(), o)
}

func openBytes(t testing.TB, b []byte, o debugfile.Options) *debugfile.File {
	t.Helper()
	f, err := debugfile.New(moduleOf(t, b), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func moduleOf(t testing.TB, b []byte) *wasm.File {
	t.Helper()
	m, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// unit adds a unit with the given children.
func (w *world) unit(version int, attrs []td.Attr, children ...*td.DIE) *td.Unit {
	u := &td.Unit{Version: version, Root: td.Die(td.TagCompileUnit, attrs...).With(children...)}
	w.AddUnit(u)
	return u
}

// lines adds a line program and returns the attributes of a unit that has it and
// covers all bodies.
func (w *world) lines(l *td.Line) []td.Attr {
	if l.Version == 0 {
		l.Version = 4
	}
	if l.Files == nil {
		l.Files = []td.File{{Name: "a.c"}}
	}
	return append([]td.Attr{td.A(td.AtStmtList, td.FormSecOffset, w.AddLine(l))}, w.whole()...)
}

// whole returns the attributes of a unit that covers all bodies.
func (w *world) whole() []td.Attr {
	return []td.Attr{td.A(td.AtLowPC, td.FormAddr, w.start(0)), td.A(td.AtHighPC, td.FormData4, w.end(len(w.sizes)-1)-w.start(0))}
}

// function makes an entry of a function with code in [lo, hi).
func function(name string, lo, hi uint64, attrs ...td.Attr) *td.DIE {
	return td.Die(td.TagSubprogram, append([]td.Attr{
		td.A(td.AtName, td.FormString, name),
		td.A(td.AtLowPC, td.FormAddr, lo),
		td.A(td.AtHighPC, td.FormData4, hi-lo),
	}, attrs...)...)
}

// abstract makes the entry that inlined calls refer to.
func abstract(name string) *td.DIE {
	return td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, name))
}

// inlined makes an entry of a call, from the given line, with code in [lo, hi).
func inlined(of *td.DIE, lo, hi uint64, line int) *td.DIE {
	return td.Die(td.TagInlinedSubroutine,
		td.A(td.AtAbstractOrigin, td.FormRef4, of),
		td.A(td.AtLowPC, td.FormAddr, lo),
		td.A(td.AtHighPC, td.FormData4, hi-lo),
		td.A(td.AtCallFile, td.FormData1, 1),
		td.A(td.AtCallLine, td.FormData4, line))
}

// run appends a sequence with a row at each of the offsets from start, and the
// end at end.
func run(l *td.Line, end uint64, rows ...[2]uint64) *td.Line {
	at, line := rows[0][0], uint64(1)
	l.SetAddress(at)
	for _, r := range rows {
		l.Row(r[0]-at, int64(r[1])-int64(line))
		at, line = r[0], r[1]
	}
	return l.Advance(end - at).EndSequence()
}

// row is an address and a line.
func row(at, line uint64) [2]uint64 { return [2]uint64{at, line} }

var reasonNames = map[debugfile.Reason]string{
	debugfile.ReasonFunctionCount: "count", debugfile.ReasonSizeLEB: "size", debugfile.ReasonPastEnd: "past end",
	debugfile.ReasonNoDebugInfo: "no debug info", debugfile.ReasonNoRow: "no row", debugfile.ReasonLineZero: "line 0",
	debugfile.ReasonSkeleton: "skeleton", debugfile.ReasonShadowed: "shadowed", debugfile.ReasonDamaged: "damaged",
	debugfile.ReasonNoFile: "no file", debugfile.ReasonCodeDamaged: "code damaged", debugfile.ReasonUnavailable: "unavailable",
}

// show prints an answer: "inner a.c:3 < outer a.c:9", with the reason behind.
func show(a debugfile.Answer) string {
	var parts []string
	for i := range a.Frames {
		f := &a.Frames[i]
		name := f.Name()
		if f.Source == debugfile.TierIndex {
			continue
		}
		if name == "" {
			name = "?"
		}
		switch {
		case f.File != "":
			name += fmt.Sprintf(" %s:%d", path.Base(f.File), f.Line)
		case f.Line != 0:
			name += fmt.Sprintf(" :%d", f.Line)
		}
		parts = append(parts, name)
	}
	s := strings.Join(parts, " < ")
	if a.Reason != debugfile.ReasonNone {
		s = strings.TrimSpace(s + " (" + reasonNames[a.Reason] + ")")
	}
	return s
}

// want is what is expected at an offset.
type want struct {
	at   uint64
	text string
}

// expect looks up offsets, before and after the whole file is indexed.
func expect(t *testing.T, b []byte, o debugfile.Options, wants ...want) *debugfile.File {
	t.Helper()
	f := openBytes(t, b, o)
	for _, round := range []string{"lazily", "fully indexed"} {
		for _, w := range wants {
			if got := show(f.Lookup(wasm.CodeOffset(w.at), nil)); got != w.text {
				t.Errorf("0x%x, %s: got %q, want %q", w.at, round, got, w.text)
			}
		}
		if err := f.Build(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	return f
}
