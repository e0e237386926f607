package conformance

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// healthy are modules that the broken pairs are made from.
var healthy = []string{"c/O0-dw4.wasm", "c/O2-dw5.wasm", "cpp/O2-dw4.wasm", "cpp/O0-dw5.wasm", "rust/nostd-O2-dw4.wasm", "zig/small.wasm"}

// sections rewrites a module section by section: change returns what stands in
// place of one.
func sections(t testing.TB, b []byte, change func(s *wasm.Section, raw []byte) []byte) []byte {
	t.Helper()
	f := open(t, "m", b).File
	out := wasm.AppendPreamble(nil)
	for i := range f.Sections {
		s := &f.Sections[i]
		out = append(out, change(s, b[s.Offset:s.End()])...)
	}
	return out
}

// withNop returns a module whose body number n (or the last) begins with a nop.
func withNop(t testing.TB, b []byte, n int) []byte {
	t.Helper()
	f := open(t, "m", b).File
	span, _ := f.CodeSpan()
	imported, err := f.ImportedFunctions()
	if err != nil {
		t.Fatal(err)
	}
	payload := b[span.Start:span.End()]
	list, err := wasm.NewBodies(payload, span.Start, imported)
	if err != nil {
		t.Fatal(err)
	}
	n = min(n, int(list.Count())-1)
	out := wasm.AppendUint32(nil, list.Count())
	for i := range int(list.Count()) {
		body, code, err := list.Next()
		if err != nil {
			t.Fatal(err)
		}
		if i == n {
			l, err := body.Locals(code)
			if err != nil {
				t.Fatal(err)
			}
			at := int(l.End - body.Start)
			code = slices.Concat(code[:at], []byte{opNop}, code[at:])
		}
		out = append(wasm.AppendUint32(out, uint32(len(code))), code...)
	}
	return sections(t, b, func(s *wasm.Section, raw []byte) []byte {
		if s.ID != wasm.SectionCode {
			return raw
		}
		// The size keeps its width, so that the code start does not move.
		section, ok := wasm.AppendSectionWidth(nil, wasm.SectionCode, out, s.SizeWidth)
		if !ok {
			t.Skip("the size needs another width")
		}
		return section
	})
}

// TestBrokenPairs breaks pairs on purpose. Each must be refused by running alone.
func TestBrokenPairs(t *testing.T) {
	for _, name := range healthy {
		p := corpusPair(t, name)
		if r := p.run(t, Options{}, false); r.Subject.Verdict != report.Pass {
			t.Fatalf("%s: %v%s", name, r.Subject.Verdict, messages(r))
		}
		// Padding of one byte up to a whole section, in front of all other sections.
		moved := func(n int) []byte {
			return slices.Concat(p.companion[:8], wasm.AppendCustom(nil, "x", make([]byte, n)), p.companion[8:])
		}
		// The same, but nothing except the size of a size moves the code.
		wider := sections(t, p.companion, func(s *wasm.Section, raw []byte) []byte {
			if s.ID != wasm.SectionType {
				return raw
			}
			out, ok := wasm.AppendSectionWidth(nil, s.ID, p.companion[s.Payload:s.End()], s.SizeWidth%5+1)
			if !ok {
				t.Fatal("width")
			}
			return out
		})
		for _, broken := range []struct {
			what string
			pair pair
			want string
		}{
			{"code start moved by 3", pair{p.path, p.input, p.production, moved(0)}, ClientElsewhere},
			{"code start moved by 103", pair{p.path, p.input, p.production, moved(100)}, ClientElsewhere},
			{"code start moved by a wider size", pair{p.path, p.input, p.production, wider}, ClientElsewhere},
			{"first body re-encoded in the companion", pair{p.path, p.input, p.production, withNop(t, p.companion, 0)}, BodyDiffers},
			{"last body re-encoded in the companion", pair{p.path, p.input, p.production, withNop(t, p.companion, 1000)}, BodyDiffers},
			{"second body re-encoded in the production module", pair{p.path, p.input, withNop(t, p.production, 1), p.companion}, BodyDiffers},
			{"last body re-encoded in the production module", pair{p.path, p.input, withNop(t, p.production, 1000), p.companion}, BodyDiffers},
		} {
			r := broken.pair.run(t, Options{}, false)
			if r.Subject.Verdict != report.Fail || !slices.Contains(codes(r, report.Error), broken.want) || r.Mismatches == 0 {
				t.Errorf("%s, %s: %v, %d mismatches%s", name, broken.what, r.Subject.Verdict, r.Mismatches, messages(r))
			}
		}
	}
}

// TestOtherCodeUnderBlankedBodies: a symbols companion has no code to compare, and body
// boundaries may be the same by chance. It knows the digest of the code.
func TestOtherCodeUnderBlankedBodies(t *testing.T) {
	for _, name := range healthy {
		path := corpus + "/" + name
		p := split(t, path, read(t, path), rewrite.Options{Companion: rewrite.CompanionSymbols})
		if r := p.run(t, Options{Engines: []Engine{Interpreter}}, false); r.Subject.Verdict != report.Pass {
			t.Errorf("%s: %v%s", name, r.Subject.Verdict, messages(r))
		}
		m := outline(t, path, p.production)
		reported := 0
		for _, b := range m.code.bodies {
			for _, at := range m.code.places(b.Index) {
				if at.op.Info().Name != "i32.const" {
					continue
				}
				f, _ := m.span.File(at.at)
				p.production[f+1] ^= 1 // another number of the same length
				r := p.run(t, Options{Engines: []Engine{Interpreter}, NoSweep: true}, false)
				p.production[f+1] ^= 1
				reported += r.Offsets
				if r.Subject.Verdict != report.Fail || !slices.Contains(codes(r, report.Error), BodyDiffers) || r.Mismatches != r.Offsets {
					t.Errorf("%s, function %d: %v, %d mismatches of %d%s", name, b.Index, r.Subject.Verdict, r.Mismatches, r.Offsets, messages(r))
				}
				break
			}
		}
		if reported == 0 {
			t.Errorf("%s: none of the changed modules reported a place", name)
		}
		companion := open(t, path, p.companion).File
		record, err := rewrite.ReadRecord(companion)
		if err != nil {
			t.Fatal(err)
		}
		record.Code = nil
		text, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		p.companion = sections(t, p.companion, func(s *wasm.Section, raw []byte) []byte {
			if s.IsCustom(wasm.CustomWasmDebugID) {
				return wasm.AppendCustom(nil, wasm.CustomWasmDebugID, text)
			}
			return raw
		})
		if r := p.run(t, Options{Engines: []Engine{Interpreter}, NoSweep: true}, false); r.Subject.Verdict != report.CouldNotCheck {
			t.Errorf("%s without a digest: %v%s", name, r.Subject.Verdict, messages(r))
		}
	}
}

// TestOtherBuilds pairs production modules with companions of other builds of the
// same program.
func TestOtherBuilds(t *testing.T) {
	list := []string{"c/O0-dw4.wasm", "c/O1-dw4.wasm", "c/O2-dw4.wasm", "c/Os-dw4.wasm", "c/mvp.wasm", "c/clang19-O2.wasm", "c/fsect-gc.wasm", "cpp/O1-dw4.wasm"}
	refused, same := 0, 0
	for _, a := range list {
		for _, b := range list {
			p, q := corpusPair(t, a), corpusPair(t, b)
			r := (&pair{p.path, p.input, p.production, q.companion}).run(t, Options{Engines: []Engine{Interpreter}}, false)
			if bytes.Equal(outline(t, a, p.production).code.payload, outline(t, b, q.production).code.payload) {
				same++
				if a == b && r.Subject.Verdict != report.Pass {
					t.Errorf("%s: %v%s", a, r.Subject.Verdict, messages(r))
				}
				continue
			}
			refused++
			if r.Subject.Verdict != report.Fail {
				t.Errorf("%s with the companion of %s: %v", a, b, r.Subject.Verdict)
			}
		}
	}
	if refused < 40 || same < len(list) {
		t.Errorf("%d refused, %d with the same code", refused, same)
	}
}

// TestOtherInput: an input of another build is no measure.
func TestOtherInput(t *testing.T) {
	p, q := corpusPair(t, "c/O2-dw4.wasm"), corpusPair(t, "c/O0-dw4.wasm")
	p.input = q.input
	r := p.run(t, Options{}, true)
	if got := codes(r, report.Error); !slices.Equal(got, []string{InputOtherCode}) {
		t.Errorf("%v%s", got, messages(r))
	}
}

// shiftedRows returns companions in which one row has moved to where another
// instruction begins, at the expense of the next row.
func shiftedRows(t *testing.T, companion []byte) (out [][]byte) {
	t.Helper()
	f := open(t, "m", companion).File
	s := f.Custom(".debug_line")
	if s == nil {
		t.Fatal("no .debug_line")
	}
	line := companion[s.Data:s.End()]
	const base, span = 13, 14 // opcode_base and line_range, as LLVM writes them
	le := binary.LittleEndian
	if v := le.Uint16(line[4:]); v != 4 {
		t.Fatalf("version %d", v)
	}
	at := 10 + int(le.Uint32(line[6:]))
	end := 4 + int(le.Uint32(line))
	// Behind set_address, runs of special opcodes are taken apart.
	for i := at; i+1 < end; i++ {
		a, b := line[i], line[i+1]
		for _, by := range []int{1, 2, 3, 5} {
			if a < base || b < base || (int(a)-base)/span < by || int(b)+by*span > 255 || i > at && line[i-1] < base {
				continue // not two special opcodes, or no room
			}
			c := slices.Clone(companion)
			d := c[s.Data:s.End()]
			d[i] -= byte(by * span)
			d[i+1] += byte(by * span)
			out = append(out, c)
		}
	}
	return out
}

// TestShiftedRows: with the input at hand, a moved row is noticed exactly if it
// changes the answer at a place that can be reported. Without, the report says that
// rows were not covered.
func TestShiftedRows(t *testing.T) {
	noticed, harmless := 0, 0
	for _, name := range []string{"c/O0-dw4.wasm", "cpp/O0-dw4.wasm"} {
		p := corpusPair(t, name)
		m := outline(t, name, p.production)
		answers := func(b []byte) (out []debugfile.Answer) {
			d, err := debugfile.New(open(t, "d", b).File, nil, debugfile.Options{Alone: true})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			for _, b := range m.code.bodies {
				out = append(out, d.Lookup(b.Start, nil))
				for _, p := range m.code.places(b.Index) {
					if p.reportable {
						out = append(out, d.Lookup(p.at, nil))
					}
				}
			}
			return out
		}
		want := answers(p.companion)
		all := shiftedRows(t, p.companion)
		for i := 0; i < len(all); i += 1 + len(all)/25 {
			q := pair{p.path, p.input, p.production, all[i]}
			differs := !slices.EqualFunc(answers(all[i]), want, func(a, b debugfile.Answer) bool { return sameAnswer(&a, &b) })
			r := q.run(t, Options{Engines: []Engine{Interpreter}}, true)
			got := slices.Contains(codes(r, report.Error), AnswerDiffers)
			if got != differs {
				t.Errorf("%s: shift %d changes an answer: %v, noticed: %v%s", name, i, differs, got, messages(r))
			}
			if differs {
				noticed++
				r := q.run(t, Options{Engines: []Engine{Interpreter}}, false)
				if r.Subject.Verdict != report.Pass || !slices.Equal(codes(r, report.Info), []string{RowsNotCovered}) {
					t.Errorf("%s without the input: %v%s", name, r.Subject.Verdict, messages(r))
				}
			} else {
				harmless++
			}
		}
	}
	t.Logf("%d shifts change an answer, %d do not", noticed, harmless)
	if noticed < 5 {
		t.Errorf("%d shifts only change an answer", noticed)
	}
}

// TestKindsOfPairs: what a split can make is sound.
func TestKindsOfPairs(t *testing.T) {
	for _, name := range []string{"c/O2-dw4.wasm", "cpp/O2-dw5.wasm", "rust/nostd-O1-dw5.wasm", "eh/eh-new-4.wasm", "c/emit-relocs.wasm"} {
		path := corpus + "/" + name
		for _, o := range []rewrite.Options{{StripNames: true}, {Companion: rewrite.CompanionSymbols}, {StripNames: true, Companion: rewrite.CompanionSymbols, Pointer: "x.wasm"}} {
			r := split(t, path, read(t, path), o).run(t, Options{}, true)
			if r.Subject.Verdict != report.Pass || r.Offsets == 0 {
				t.Errorf("%s, %+v: %v%s", name, o, r.Subject.Verdict, messages(r))
			}
		}
		// A companion without code still knows where each body is.
		q := split(t, path, read(t, path), rewrite.Options{Companion: rewrite.CompanionSymbols})
		q.production = withNop(t, q.production, 1)
		if r := q.run(t, Options{}, false); r.Subject.Verdict != report.Fail || !slices.Contains(codes(r, report.Error), BodyDiffers) {
			t.Errorf("%s with symbols of other code: %v%s", name, r.Subject.Verdict, messages(r))
		}
		// An unsplit module is its own companion.
		r, err := Run(t.Context(), open(t, path, read(t, path)), nil, Options{Limits: quick})
		if err != nil || r.Subject.Verdict != report.Pass || r.Offsets == 0 {
			t.Errorf("%s unsplit: %v", name, err)
		}
	}
}

// TestEmscriptenPair: emcc's own pair has its code at different offsets.
func TestEmscriptenPair(t *testing.T) {
	p := pair{path: corpus + "/emscripten/sep2.wasm", production: read(t, corpus+"/emscripten/sep2.wasm"), companion: read(t, corpus+"/emscripten/sep2.debug.wasm")}
	r := p.run(t, Options{}, false)
	if r.Subject.Verdict != report.Fail || !slices.Contains(codes(r, report.Error), ClientElsewhere) || slices.Contains(codes(r, report.Error), BodyDiffers) {
		t.Errorf("%v%s", r.Subject.Verdict, messages(r))
	}
}
