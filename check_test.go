package debugid

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

const checkCorpus = "testdata/corpus/"

func planOf(t *testing.T, name string, o rewrite.Options) (*rewrite.Plan, *mapped.File) {
	t.Helper()
	m, err := mapped.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	f, err := wasm.NewFile(m, m.Size())
	if err != nil {
		t.Fatal(err)
	}
	p, err := rewrite.Split(context.Background(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	return p, m
}

// TestLayoutSource: the memory that a planned file gives is what will be written.
func TestLayoutSource(t *testing.T) {
	for _, kind := range []rewrite.CompanionKind{rewrite.CompanionFull, rewrite.CompanionSymbols} {
		p, m := planOf(t, checkCorpus+"cpp/O2-dw5.wasm", rewrite.Options{Companion: kind, Pointer: "x.debug.wasm"})
		for _, l := range []*rewrite.Layout{p.Production, p.Companion} {
			want := make([]byte, l.Size())
			if _, err := l.ReadAt(want, 0); err != nil {
				t.Fatal(err)
			}
			s := &layoutSource{l, m}
			r := rand.New(rand.NewPCG(1, 2))
			for range 2000 {
				off := r.Int64N(l.Size() + 1)
				n := r.Int64N(l.Size() - off + 1)
				got, err := s.Bytes(off, n)
				if err != nil || !bytes.Equal(got, want[off:off+n]) {
					t.Fatalf("%d bytes at %d: %v", n, off, err)
				}
			}
			for _, bad := range [][2]int64{{-1, 1}, {0, l.Size() + 1}, {l.Size(), 1}, {1, -1}, {1 << 62, 1 << 62}} {
				if _, err := s.Bytes(bad[0], bad[1]); err == nil {
					t.Errorf("%d bytes at %d are given", bad[1], bad[0])
				}
			}
		}
	}
}

// TestPlansAreProven: a plan whose halves do not belong together is a defect of
// this program, and nothing is written.
func TestPlansAreProven(t *testing.T) {
	a, _ := planOf(t, checkCorpus+"c/O0-dw4.wasm", rewrite.Options{})
	b, _ := planOf(t, checkCorpus+"c/O2-dw4.wasm", rewrite.Options{})
	o := SplitOptions{Output: "a.wasm", DebugOut: "a.debug.wasm"}
	if err := o.provePlan(context.Background(), a); err != nil {
		t.Errorf("a good plan: %v", err)
	}
	mixed := *a
	mixed.Companion, mixed.CompanionFile = b.Companion, b.CompanionFile
	var internal *rewrite.InternalError
	if err := o.provePlan(context.Background(), &mixed); !errors.As(err, &internal) {
		t.Errorf("halves of two builds: %v", err)
	}
}

// TestSplitCheckAgreesWithCheck: what is found about a plan is what is found about
// the files.
func TestSplitCheckAgreesWithCheck(t *testing.T) {
	for _, name := range []string{"cpp/O0-dw5.wasm", "weak/w22-ab.wasm", "rust/nostd-O1-dw4.wasm"} {
		dir := t.TempDir()
		o := SplitOptions{Input: checkCorpus + name, Output: filepath.Join(dir, "a.wasm"), Check: &symcheck.Options{}}
		r, err := Split(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Check(context.Background(), CheckOptions{Path: o.Output})
		if err != nil {
			t.Fatal(err)
		}
		plan, file := r.Report.Subjects[0], got.Subjects[0]
		if plan.Verdict != report.Pass || file.Verdict != report.Pass {
			t.Errorf("%s: %v and %v", name, plan.Verdict, file.Verdict)
		}
		if diff := cmp.Diff(plan.Coverage, file.Coverage); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(plan.Findings, file.Findings); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestSplitCheckOfStandardInput: it is checked as a file is, through a mapping of the
// copy and not through a copy in memory.
func TestSplitCheckOfStandardInput(t *testing.T) {
	b, err := os.ReadFile(checkCorpus + "cpp/O0-dw5.wasm")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	o := SplitOptions{Input: Stdio, Stdin: bytes.NewReader(b), Output: filepath.Join(dir, "a.wasm"), Check: &symcheck.Options{}}
	o.DebugOut = filepath.Join(dir, "a.debug.wasm")
	r, err := Split(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	file := SplitOptions{Input: checkCorpus + "cpp/O0-dw5.wasm", Output: o.Output, DebugOut: o.DebugOut, Check: &symcheck.Options{}}
	want, err := Split(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Report, r.Report); diff != "" || r.Report.Verdict() != report.Pass {
		t.Errorf("another report than of the file (-file +standard input):\n%s", diff)
	}
	in, err := openInput(context.Background(), Stdio, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	m, err := in.memory()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if !m.Mapped() && runtime.GOOS == "linux" {
		t.Error("standard input is not mapped")
	}
	if got, err := m.Bytes(0, in.size); err != nil || !bytes.Equal(got, b) {
		t.Errorf("other bytes, %v", err)
	}
}

// TestSplitCheckRefuses: a module that does not pass leaves everything as it was.
func TestSplitCheckRefuses(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "a.wasm")
	if err := os.WriteFile(out, []byte("what was there"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Split(context.Background(), SplitOptions{Input: checkCorpus + "post/c-O0-dw4.opt132.wasm", Output: out, Check: &symcheck.Options{}})
	var failed *CheckError
	if !errors.As(err, &failed) || failed.Report.Count(report.Error) == 0 {
		t.Errorf("error %v", err)
	}
	if b, err := os.ReadFile(out); err != nil || string(b) != "what was there" {
		t.Errorf("the output is %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.debug.wasm")); err == nil {
		t.Error("a companion was written")
	}
}

// TestDiffKeys: a finding is the same one though numbers in its text changed.
func TestDiffKeys(t *testing.T) {
	subject := func(text, function string) *report.Subject {
		return &report.Subject{Production: "p", Companion: "c", Findings: []report.Finding{
			{Rule: "WD112", Message: text, Location: report.Location{Path: "c", Function: function}}}}
	}
	if got := without(subject("3 rows", "f"), subject("4 rows", "f")); len(got) != 0 {
		t.Errorf("another number makes another finding: %+v", got)
	}
	if got := without(subject("3 rows", "g"), subject("3 rows", "f")); len(got) != 1 {
		t.Errorf("another function does not: %+v", got)
	}
}
