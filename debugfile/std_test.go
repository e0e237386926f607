package debugfile_test

import (
	"bytes"
	"debug/dwarf"
	"fmt"
	"os"
	"path"
	"sort"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// The standard library's reader as a witness: for each offset of each module it
// must lead to the same function, the same chain of inlined calls and the same
// row. It knows neither tombstones nor definitions that lost at link time, so the
// first are dropped here, and in bodies where we say that DWARF is shadowed the
// answer has to be one of those that it has.

// stdWitness holds what debug/dwarf says about each code offset.
type stdWitness struct {
	rows  [][]string // "base.c:line:column" for each sequence that covers the offset
	funcs [][]string // "inner@line<outer" for each function
}

// stdReads says why debug/dwarf cannot be asked about some modules.
var stdCannot = map[string]string{
	"split-": "it does not follow skeletons",
}

func TestAgainstStandardLibrary(t *testing.T) {
	asked, offsets := 0, 0
	kinds := map[string]int{}
	for _, file := range modules(t) {
		if reason := cannot(file); reason != "" {
			continue
		}
		f, err := debugfile.Open(file, debugfile.Options{Alone: true})
		if err != nil || !f.HasDWARF() {
			continue
		}
		w, err := newStdWitness(f.Module())
		if err != nil {
			t.Errorf("%s: debug/dwarf: %v", file, err)
			continue
		}
		if err := f.Build(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		shadowed := shadowedBodies(f)
		asked++
		span, _ := f.CodeSpan()
		for c := range wasm.CodeOffset(span.Size) {
			offsets++
			if kind := w.disagrees(f, c, shadowed); kind != "" {
				kinds[kind]++
				if !strings.HasPrefix(kind, "allowed: ") && kinds[kind] < 4 {
					t.Errorf("%s at %v: %s: we say %q, rows %q, functions %q", file, c, kind, show(f.Lookup(c, nil)), w.rows[c], w.funcs[c])
				}
			}
		}
		f.Close()
	}
	t.Logf("%d modules, %d offsets, %v", asked, offsets, kinds)
	if asked < 100 || offsets < 90000 {
		t.Errorf("only %d modules and %d offsets were asked about", asked, offsets)
	}
}

func cannot(file string) string {
	for part, reason := range stdCannot {
		if strings.HasPrefix(path.Base(file), part) {
			return reason
		}
	}
	return ""
}

// shadowedBodies returns in which bodies some DWARF is not live.
func shadowedBodies(f *debugfile.File) map[wasm.CodeOffset]bool {
	m := map[wasm.CodeOffset]bool{}
	mark := func(e debugfile.Extent, fate debugfile.Fate) {
		if fate == debugfile.Live {
			return
		}
		for i := range f.NumBodies() {
			if _, b := f.Body(i); e.Start < b.End && b.Start < e.End {
				m[b.Start] = true
			}
		}
	}
	for r := range f.Functions() {
		mark(r.Extent, r.Fate)
	}
	for s := range f.Sequences() {
		mark(s.Extent, s.Fate)
	}
	return m
}

// disagrees returns how our answer at c differs from the witness's, in a word, or
// an empty string. A kind that begins with "allowed: " is the witness's matter.
func (w *stdWitness) disagrees(f *debugfile.File, c wasm.CodeOffset, shadowed map[wasm.CodeOffset]bool) string {
	a := f.Lookup(c, nil)
	if !a.HasIndex {
		if len(w.rows[c])+len(w.funcs[c]) == 0 || len(a.Frames) == 0 {
			return "" // sizes between bodies, which ranges of removed code may cover
		}
		return "an answer where no code is"
	}
	row, chain := ourRow(&a), ourChain(&a)
	switch {
	case shadowed[a.Body.Start]:
		switch {
		case row != "" && !contains(w.rows[c], row):
			return "a row that nobody has"
		case chain != "" && !contains(w.funcs[c], chain):
			return "a chain that nobody has"
		case len(w.rows[c]) > 0 && w.rows[c][0] != row || len(w.funcs[c]) > 0 && w.funcs[c][0] != chain:
			return "allowed: debug/dwarf has DWARF of another definition"
		}
		return ""
	case len(w.rows[c]) > 1 || len(w.funcs[c]) > 1:
		return "several answers where we see one"
	case len(w.funcs[c]) == 0 && isName(f, &a, chain):
		// Line tables alone have no functions; the name is that of the name section.
		if row != first(w.rows[c]) && first(w.rows[c]) != "" {
			return "another row: " + row
		}
		return ""
	case first(w.funcs[c]) != chain:
		return "another chain: " + chain
	case first(w.rows[c]) == row:
		return ""
	case c == a.Body.Start && first(w.rows[c]) == "":
		return "allowed: the start of a body before its first row"
	}
	return "another row: " + row
}

func isName(f *debugfile.File, a *debugfile.Answer, chain string) bool {
	name, ok := f.FunctionName(a.Index)
	return ok && name == chain
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// ourRow returns the innermost position.
func ourRow(a *debugfile.Answer) string {
	if len(a.Frames) == 0 || a.Frames[0].Source != debugfile.TierDWARF || a.Reason == debugfile.ReasonNoRow {
		return ""
	}
	f := &a.Frames[0]
	return fmt.Sprintf("%s:%d:%d", path.Base(f.File), f.Line, f.Column)
}

// ourChain returns the names and call lines of all frames.
func ourChain(a *debugfile.Answer) string {
	var parts []string
	for i := range a.Frames {
		f := &a.Frames[i]
		if f.Source != debugfile.TierDWARF {
			return ""
		}
		if i > 0 {
			parts = append(parts, fmt.Sprintf("@%s:%d:%d<", path.Base(f.File), f.Line, f.Column))
		}
		name := f.Function
		if f.Linkage != "" {
			name = f.Linkage
		}
		parts = append(parts, name)
	}
	s := strings.Join(parts, "")
	return s
}

func newStdWitness(m *wasm.File) (*stdWitness, error) {
	sec := map[string][]byte{}
	for i := range m.Sections {
		if s := &m.Sections[i]; s.IsDebug() {
			b, err := s.Bytes(1 << 30)
			if err != nil {
				return nil, err
			}
			sec[s.Name] = b
		}
	}
	d, err := dwarf.New(sec[".debug_abbrev"], nil, nil, sec[".debug_info"], sec[".debug_line"], nil, sec[".debug_ranges"], sec[".debug_str"])
	if err != nil {
		return nil, err
	}
	for _, name := range []string{".debug_addr", ".debug_line_str", ".debug_str_offsets", ".debug_rnglists", ".debug_types"} {
		if b := sec[name]; b != nil {
			if err := d.AddSection(name, b); err != nil {
				return nil, err
			}
		}
	}
	span, _ := m.CodeSpan()
	w := &stdWitness{rows: make([][]string, span.Size), funcs: make([][]string, span.Size)}
	return w, w.units(d)
}

func (w *stdWitness) units(d *dwarf.Data) error {
	for r := d.Reader(); ; {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == dwarf.TagCompileUnit {
			files, err := w.lines(d, e)
			if err != nil {
				return err
			}
			if err := w.entries(d, r, e, files); err != nil {
				return err
			}
			continue
		}
		r.SkipChildren()
	}
}

// lines paints the rows of a unit over the offsets they cover.
func (w *stdWitness) lines(d *dwarf.Data, unit *dwarf.Entry) ([]*dwarf.LineFile, error) {
	lr, err := d.LineReader(unit)
	if err != nil || lr == nil {
		return nil, err
	}
	var seq []dwarf.LineEntry
	for {
		var e dwarf.LineEntry
		if err := lr.Next(&e); err != nil {
			break
		}
		if seq = append(seq, e); !e.EndSequence {
			continue
		}
		if start := seq[0].Address; alive(start) {
			end := seq[len(seq)-1].Address
			for i, at := range seq[:len(seq)-1] {
				for c := at.Address; c < min(seq[i+1].Address, end, uint64(len(w.rows))); c++ {
					w.rows[c] = append(w.rows[c], fmt.Sprintf("%s:%d:%d", path.Base(at.File.Name), at.Line, at.Column))
				}
			}
		}
		seq = seq[:0]
	}
	return lr.Files(), nil
}

// alive reports whether an address is not one that linkers give to removed code.
func alive(addr uint64) bool {
	return addr != 0 && addr < 0xfffffffe
}

// entries paints the functions of a unit. Depth first; at each offset the deepest
// call counts.
func (w *stdWitness) entries(d *dwarf.Data, r *dwarf.Reader, unit *dwarf.Entry, files []*dwarf.LineFile) error {
	if !unit.Children {
		return nil
	}
	type scope struct {
		chain  map[uint64]string // by offset, of a function or call
		inside bool
	}
	stack := []scope{{}}
	var whole []map[uint64]string
	for len(stack) > 0 {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		top := stack[len(stack)-1]
		next := top
		ranges, err := d.Ranges(e)
		if err != nil {
			return err
		}
		switch e.Tag {
		case dwarf.TagSubprogram:
			next = scope{}
			if offsets := w.covered(ranges); len(offsets) > 0 {
				name := stdName(d, e, 0)
				next = scope{chain: map[uint64]string{}, inside: true}
				for _, c := range offsets {
					next.chain[c] = name
				}
				whole = append(whole, next.chain)
			}
		case dwarf.TagInlinedSubroutine:
			next = scope{}
			if offsets := w.covered(ranges); top.inside && len(offsets) > 0 {
				call := stdCall(e, files) + "<"
				name := stdName(d, e, 0)
				next = scope{chain: map[uint64]string{}, inside: true}
				for _, c := range offsets {
					if outer, ok := top.chain[c]; ok {
						s := name + call + outer
						next.chain[c] = s
						whole[len(whole)-1][c] = s
					}
				}
			}
		}
		if e.Children {
			stack = append(stack, next)
		}
	}
	for _, chain := range whole {
		var offsets []uint64
		for c := range chain {
			offsets = append(offsets, c)
		}
		sort.Slice(offsets, func(i, j int) bool { return offsets[i] < offsets[j] })
		for _, c := range offsets {
			w.funcs[c] = append(w.funcs[c], chain[c])
		}
	}
	return nil
}

func (w *stdWitness) covered(ranges [][2]uint64) []uint64 {
	var out []uint64
	for _, r := range ranges {
		// A range that leaves the address space of 32 bits, as binaryen leaves behind,
		// comes back as one of 33 bits (llvm-symbolizer takes it as well).
		if !alive(r[0]) || r[1] < r[0] || r[1] > 1<<32-1 {
			continue
		}
		for c := r[0]; c < min(r[1], uint64(len(w.funcs))); c++ {
			out = append(out, c)
		}
	}
	return out
}

func stdCall(e *dwarf.Entry, files []*dwarf.LineFile) string {
	line, _ := e.Val(dwarf.AttrCallLine).(int64)
	column, _ := e.Val(dwarf.AttrCallColumn).(int64)
	name := "."
	if i, ok := e.Val(dwarf.AttrCallFile).(int64); ok && int(i) < len(files) && files[i] != nil {
		name = path.Base(files[i].Name)
	}
	return fmt.Sprintf("@%s:%d:%d", name, line, column)
}

// stdName follows origins and specifications.
func stdName(d *dwarf.Data, e *dwarf.Entry, depth int) string {
	const linkageName, mipsLinkageName = dwarf.Attr(0x6e), dwarf.Attr(0x2007)
	name, link := "", ""
	for ; depth < 10; depth++ {
		if s, ok := e.Val(linkageName).(string); ok && link == "" {
			link = s
		}
		if s, ok := e.Val(mipsLinkageName).(string); ok && link == "" {
			link = s
		}
		if s, ok := e.Val(dwarf.AttrName).(string); ok && name == "" {
			name = s
		}
		off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if off, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				break
			}
		}
		r := d.Reader()
		r.Seek(off)
		next, err := r.Next()
		if err != nil || next == nil {
			break
		}
		e = next
	}
	if link != "" {
		return link
	}
	return name
}

// readAll reads a module of the corpus.
func readAll(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(b)
}
