package symcheck_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// rawSec is a section by its bytes.
type rawSec struct {
	id   byte
	name string
	data []byte
}

// rawOf returns the sections of a module.
func rawOf(b []byte) []rawSec {
	f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil
	}
	var out []rawSec
	for i := range f.Sections {
		s := &f.Sections[i]
		out = append(out, rawSec{byte(s.ID), s.Name, slices.Clone(b[s.Payload:s.End()])})
	}
	return out
}

// join writes a module of the sections.
func join(secs []rawSec) []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range secs {
		b = append(b, s.id)
		b = wasm.AppendUint32(b, uint32(len(s.data)))
		b = append(b, s.data...)
	}
	return b
}

// mutant changes a module in one to three ways, and says how. Other is where foreign
// sections come from.
func mutant(b, other []byte, r *rand.Rand) ([]byte, string) {
	secs := rawOf(b)
	var how []string
	for range 1 + r.IntN(3) {
		if len(secs) == 0 {
			break
		}
		i := r.IntN(len(secs))
		s := &secs[i]
		what := ""
		body := len(s.name) + 1
		if s.id != 0 {
			body = 0
		}
		n := len(s.data)
		switch r.IntN(11) {
		case 0:
			j := r.IntN(len(secs))
			what = fmt.Sprintf("swap %d %d", i, j)
			secs[i], secs[j] = secs[j], secs[i]
		case 1:
			j := r.IntN(len(secs) + 1)
			what = fmt.Sprintf("dup %s at %d", s.name, j)
			secs = slices.Insert(secs, j, *s)
		case 2:
			what = fmt.Sprintf("drop %d %s", s.id, s.name)
			secs = slices.Delete(secs, i, i+1)
		case 3:
			if n > body {
				k := body + r.IntN(n-body)
				what = fmt.Sprintf("cut %d %s at %d of %d", s.id, s.name, k, n)
				s.data = s.data[:k:k]
			}
		case 4:
			if n > body {
				k := body + r.IntN(n-body)
				m := min(n-k, 1+r.IntN(32))
				what = fmt.Sprintf("zero %d %s %d+%d", s.id, s.name, k, m)
				s.data = slices.Clone(s.data)
				clear(s.data[k : k+m])
			}
		case 5:
			if n > body+8 {
				k, l := body+r.IntN(n-body), body+r.IntN(n-body)
				m := min(n-k, n-l, 1+r.IntN(64))
				what = fmt.Sprintf("copy %d %s %d to %d +%d", s.id, s.name, k, l, m)
				s.data = slices.Clone(s.data)
				copy(s.data[l:l+m], slices.Clone(s.data[k:k+m]))
			}
		case 6:
			for _, o := range rawOf(other) {
				if o.id == s.id && o.name == s.name {
					what = fmt.Sprintf("foreign %d %s", s.id, s.name)
					s.data = o.data
					break
				}
			}
		case 7:
			if n > body {
				k := body + r.IntN(n-body)
				what = fmt.Sprintf("insert %d %s at %d", s.id, s.name, k)
				ins := make([]byte, 1+r.IntN(5))
				for q := range ins {
					ins[q] = byte(r.IntN(256))
				}
				s.data = slices.Insert(slices.Clone(s.data), k, ins...)
			}
		case 8:
			if n > body {
				k := body + r.IntN(n-body)
				m := min(n-k, 1+r.IntN(5))
				what = fmt.Sprintf("delete %d %s at %d+%d", s.id, s.name, k, m)
				s.data = slices.Delete(slices.Clone(s.data), k, k+m)
			}
		case 9:
			if n > body+5 {
				k := body + r.IntN(n-body-5)
				what = fmt.Sprintf("huge %d %s at %d", s.id, s.name, k)
				s.data = slices.Clone(s.data)
				copy(s.data[k:], [][]byte{{0xff, 0xff, 0xff, 0xff, 0x0f}, {0xff, 0xff, 0xff, 0x7f}, {0xff, 0xff, 0xff, 0xff}, {0x80, 0x80, 0x80, 0x80, 0}}[r.IntN(4)])
			}
		default:
			if n > body {
				s.data = slices.Clone(s.data)
				for range 1 + r.IntN(8) {
					k := body + r.IntN(n-body)
					s.data[k] ^= 1 << r.IntN(8)
					what += fmt.Sprintf(" flip %d %s %d", s.id, s.name, k)
				}
			}
		}
		how = append(how, what)
	}
	return join(secs), strings.Join(how, "; ")
}

// TestStructuralMutations changes the sections of pairs: their order, number, length
// and contents. A pair with its record never passes with other answers.
func TestStructuralMutations(t *testing.T) {
	const n = 400
	r := rand.New(rand.NewPCG(7, 11))
	passed := 0
	for range n {
		name := mutated[r.IntN(len(mutated))]
		b, other := readFile(t, corpusDir+"/"+name), readFile(t, corpusDir+"/"+mutated[r.IntN(len(mutated))])
		kind := []rewrite.CompanionKind{rewrite.CompanionFull, rewrite.CompanionSymbols}[r.IntN(2)]
		p := split(t, b, rewrite.Options{Companion: kind})
		q, how := p, ""
		if r.IntN(3) == 0 {
			q.production, how = mutant(p.production, other, r)
		} else {
			q.companion, how = mutant(p.companion, other, r)
		}
		if s := checkPair(t, q); s == nil || s.Verdict != report.Pass || strings.Contains(how, wasm.CustomWasmDebugID) {
			continue
		}
		passed++
		if !slices.Equal(answers(t, p.production, p.companion), answers(t, q.production, q.companion)) {
			t.Errorf("%s passes with other answers: %s", name, how)
		}
	}
	t.Logf("%d of %d pass, with the same answers", passed, n)
}

// checkPair checks two files, of which either may be no module any more: nil.
func checkPair(t *testing.T, p pair) *report.Subject {
	t.Helper()
	var m [2]*symcheck.Module
	for i, data := range [][]byte{p.production, p.companion} {
		f, err := wasm.NewFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil
		}
		m[i] = &symcheck.Module{Path: "dir/app.wasm", File: f, Source: memory{bytes.NewReader(data)}}
	}
	s, err := symcheck.Check(context.Background(), m[0], m[1], symcheck.Options{Workers: 1, Debug: debugfile.Options{Alone: true}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
