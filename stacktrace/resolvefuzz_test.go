package stacktrace

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// checkResolved fails if a resolution breaks what the type promises.
func checkResolved(t *testing.T, f *Frame, r *Resolution) {
	t.Helper()
	switch {
	case r == nil:
		t.Fatal("a frame without a resolution")
	case r.Resolved() != (len(r.Frames) > 0):
		t.Fatalf("cause %v, %d frames", r.Cause, len(r.Frames))
	case !r.Resolved() && r.Reason == "":
		t.Fatalf("%v without a reason", r.Cause)
	case r.Resolved() && r.Build == nil:
		t.Fatal("resolved without a build")
	case r.Cause == CauseAmbiguous && len(r.Candidates) < 2:
		t.Fatalf("ambiguous between %d builds", len(r.Candidates))
	case r.Inferred && (r.Confidence == High || f.Offset.Unit() != UnitNone):
		t.Fatalf("inferred with confidence %v, offset %v", r.Confidence, f.Offset)
	}
	if !r.Resolved() {
		return
	}
	if f.HasIndex && r.HasIndex && f.Index != r.Index {
		t.Fatalf("the trace says function %d, resolved to %d", f.Index, r.Index)
	}
	if r.HasCode && r.HasIndex && r.Build.open != nil {
		if _, e, ok := r.Build.open.body(r.Index); ok && !e.Contains(r.Code) {
			t.Fatalf("C %v is outside of function %d", r.Code, r.Index)
		}
	}
	// Nothing is subtracted: an offset in F is C plus the code start.
	if at, ok := f.Offset.File(); ok && r.HasCode && !f.PastOpcode {
		span, _, _ := r.Build.codeStart()
		if back, ok := span.File(r.Code); !ok || back != at {
			t.Fatalf("printed %v, resolved as %v", at, back)
		}
	}
	for i := range r.Frames {
		if x := &r.Frames[i]; x.Display == "" || strings.ContainsAny(x.Display, "\n\r") || x.Inlined && i == len(r.Frames)-1 {
			t.Fatalf("frame %d: %+v", i, x)
		}
	}
}

// FuzzResolve resolves any text with fixed builds, and what it says of every frame
// must hold.
func FuzzResolve(f *testing.F) {
	dir := f.TempDir()
	a := split(f, "c/O0-dw4.wasm", filepath.Join(dir, "a"), "app", rewrite.Options{})
	b := split(f, "cpp/O2-dw5.wasm", filepath.Join(dir, "b"), "lib", rewrite.Options{Companion: rewrite.CompanionSymbols})
	one := resolver(f, a.companion)
	two := NewResolver(openStore(f, StoreOptions{Debug: []string{a.companion, b.companion, filepath.Join(tracesDir, "traps-named.wasm")}, Modules: []string{a.production}}), ResolverOptions{})
	for _, s := range seedLines {
		f.Add(s)
	}
	f.Add(mixedTrace)
	f.Add(quotedLog)
	f.Add("#00: 0x0193 - $f1\n#01: 0x00ae - $f0\nlog outer@wasm-function[1]\nasync*O0-dw4.wasm.run@http://x/app.wasm:wasm-function[0]:0xae\n")
	f.Add("1@wasm-function[1]\n0@wasm-function[0]\n#00: 0x0194 - $f1\n#01: 0x00b4 - $f0\n")
	f.Add("wasm error: unreachable\nwasm stack trace:\n\tapp.$1() i32\n\t\t0x139: x:1\n\tapp.outer() i32\n")
	f.Add("    at lib.wasm:wasm-function[2]:0x1f3\n    at O2-dw5.wasm.run (wasm://wasm/O2-dw5.wasm-a9c7245a:wasm-function[1]:0x8f)\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range []*Resolver{one, two} {
			log := NewLog(strings.NewReader(text), r, 0)
			var back bytes.Buffer
			number := int64(0)
			for log.Next() {
				l := log.Line()
				back.Write(l.Text)
				back.Write(l.EOL)
				if !l.Continues {
					number++
				}
				if l.Number != number {
					t.Fatalf("line %d is numbered %d", number, l.Number)
				}
				if l.IsFrame && l.Frame.Role == RoleFrame {
					checkResolved(t, &l.Frame, l.Resolution)
				} else if l.Resolution != nil {
					t.Fatal("a resolution of something that is no frame")
				}
			}
			if back.String() != text {
				t.Fatal("the lines do not add up to the input")
			}
			var out bytes.Buffer
			if _, err := WriteJSON(&out, strings.NewReader(text), r, JSONOptions{}); err != nil || !json.Valid(out.Bytes()) {
				t.Fatalf("no JSON: %v", err)
			}
			if _, err := Annotate(&out, strings.NewReader(text), r, AnnotateOptions{}); err != nil {
				t.Fatal(err)
			}
			// In a string of a document, which it leaves one.
			quoted, err := json.Marshal(map[string]string{"stack": "\n" + text})
			if err != nil {
				t.Fatal(err)
			}
			out.Reset()
			if _, err := Annotate(&out, bytes.NewReader(quoted), r, AnnotateOptions{}); err != nil || !json.Valid(out.Bytes()) {
				t.Fatalf("%v: no JSON: %s", err, out.Bytes())
			}
			out.Reset()
			if _, err := WriteSentry(&out, strings.NewReader(text), r, JSONOptions{}); err != nil || !json.Valid(out.Bytes()) {
				t.Fatalf("no JSON: %v", err)
			}
		}
	})
}

// FuzzModule resolves frames with any bytes for a companion.
func FuzzModule(f *testing.F) {
	for _, name := range []string{"c/O2-dw5.wasm", "cpp/O2-dw4.wasm", "eh/eh-new-4.wasm", "feat/gc-multimem.wasm"} {
		b, err := os.ReadFile(filepath.Join(corpusDir, filepath.FromSlash(name)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint32(1), int64(0x1f3))
	}
	f.Add([]byte("\x00asm\x01\x00\x00\x00"), uint32(0), int64(9))
	f.Fuzz(func(t *testing.T, module []byte, index uint32, offset int64) {
		path := filepath.Join(t.TempDir(), "m.wasm")
		writeFile(t, path, module)
		s, err := OpenStore(t.Context(), StoreOptions{Debug: []string{path}})
		if err != nil {
			return
		}
		defer s.Close()
		r := NewResolver(s, ResolverOptions{})
		var frames []*Frame
		for _, o := range []Offset{InFile(wasm.FileOffset(max(0, offset))), InCode(wasm.CodeOffset(offset)), InFunction(FunctionOffset(offset)), {}} {
			frames = append(frames, &Frame{Shape: ShapeV8, Index: index, HasIndex: true, Offset: o},
				&Frame{Shape: ShapeWAMR, Index: index, HasIndex: true, Offset: o, PastOpcode: true, Doubts: DoubtMode},
				&Frame{Shape: ShapeNoIndex, Offset: o, Name: []byte("run"), HasName: true})
		}
		for i, res := range r.Trace(frames) {
			checkResolved(t, frames[i], res)
		}
	})
}
