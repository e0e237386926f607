package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

const corpus = "../testdata/corpus"

// quick are limits under which a test never takes long.
var quick = Limits{CallTime: 300 * time.Millisecond, Time: 5 * time.Second}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// open opens bytes as a module at a path.
func open(t testing.TB, path string, b []byte) *Module {
	t.Helper()
	f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return &Module{Path: path, File: f}
}

// pair is an input with what it is split into, as bytes, so that tests can damage
// them.
type pair struct {
	path                         string
	input, production, companion []byte
}

// split splits a module of the corpus, or of the given bytes.
func split(t testing.TB, path string, b []byte, o rewrite.Options) *pair {
	t.Helper()
	in := open(t, path, b)
	plan, err := rewrite.Split(context.Background(), in.File, o)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	write := func(l *rewrite.Layout) []byte {
		var out bytes.Buffer
		if err := l.WriteStream(context.Background(), &out); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	return &pair{path, b, write(plan.Production), write(plan.Companion)}
}

func corpusPair(t testing.TB, name string) *pair {
	path := filepath.Join(corpus, name)
	return split(t, path, read(t, path), rewrite.Options{})
}

// run runs a pair. The companion lies beside the input, so that what belongs to
// it, such as a source map, is found.
func (p *pair) run(t testing.TB, o Options, original bool) *Result {
	t.Helper()
	if o.Limits == (Limits{}) {
		o.Limits = quick
	}
	base := strings.TrimSuffix(p.path, ".wasm")
	if original {
		o.Original = open(t, p.path, p.input)
	}
	o.Debug.DWO, _ = filepath.Glob(base + ".*.dwo")
	r, err := Run(context.Background(), open(t, base+".prod.wasm", p.production), open(t, base+".debug.wasm", p.companion), o)
	if err != nil {
		t.Fatalf("%s: %v", p.path, err)
	}
	return r
}

// codes lists the rules of a result's findings of a severity.
func codes(r *Result, s report.Severity) []string {
	var out []string
	for _, f := range r.Subject.Findings {
		if f.Severity == s {
			out = append(out, f.Rule)
		}
	}
	return out
}

// messages prints a result's findings.
func messages(r *Result) string {
	var b strings.Builder
	for _, f := range r.Subject.Findings {
		b.WriteString("\n  " + f.Rule + " " + f.Severity.String() + ": " + f.Message)
	}
	for _, n := range r.Subject.NotChecked {
		b.WriteString("\n  not checked: " + n)
	}
	return b.String()
}

// expected reads the frames that a source marks, by case.
func expected(t testing.TB, name string) map[string][]ExpectedFrame {
	t.Helper()
	out := map[string][]ExpectedFrame{}
	if err := json.Unmarshal(read(t, filepath.Join(corpus, name)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
