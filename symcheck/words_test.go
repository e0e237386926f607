package symcheck

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func TestFindLeaks(t *testing.T) {
	for text, want := range map[string]string{
		"at /home/alice/src/a.rs":             "alice",
		"/Users/bob/x and /home/eve/y":        "bob eve",
		`C:\Users\Ann Lee\x`:                  "Ann Lee",
		`"C:\\Users\\ann\\x"`:                 "ann",
		"C:/Users/ann/x":                      "ann",
		"/home/":                              "",
		"/home/x":                             "",
		"/homes/alice/x":                      "",
		"/home//x":                            "",
		"/home/a\x00b/x":                      "",
		"/home/" + strings.Repeat("a", 65):    "",
		"/home/%s/x":                          "",
		"https://example.com/home/start/page": "start",
	} {
		var got []string
		for _, l := range findLeaks([]byte(text)) {
			got = append(got, l.user)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestLeaksAcrossBlocks puts a path on and around the border of two blocks: it is
// found once, wherever it stands.
func TestLeaksAcrossBlocks(t *testing.T) {
	path := []byte("/home/alice/x")
	for shift := -2 * len(path); shift <= 2*len(path); shift++ {
		data := make([]byte, blockSize+4096)
		copy(data[blockSize+shift-20:], path)
		b := testwasm.Build(testwasm.Custom("vendor", data))
		f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		s, err := Check(context.Background(), &Module{Path: "a.wasm", File: f}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := range s.Findings {
			if s.Findings[i].Rule == LeakedPath {
				n += s.Findings[i].Count
			}
		}
		if n != 1 {
			t.Errorf("shift %d: found %d times", shift, n)
		}
	}
}

func TestPrivateHost(t *testing.T) {
	for url, want := range map[string]bool{
		"app.debug.wasm": false, "../symbols/app.debug.wasm": false, "/static/app.wasm": false,
		"https://cdn.example.com/a": false, "https://8.8.8.8/a": false, "data:application/json,{}": false, "//cdn.example.com/a": false,
		"http://localhost/a": true, "http://LOCALHOST:80/a": true, "https://symbols.corp/a": true, "https://x.internal./a": true,
		"https://build/a": true, "http://10.1.2.3/a": true, "http://192.168.0.1:99/a": true, "http://127.0.0.1/": true, "http://[::1]/": true,
		"http://[fe80::1]/": true, "file:///srv/a.wasm": true, "/home/alice/a.wasm": true, `C:/Users/a.wasm`: true, "": false, "http://%zz": false,
	} {
		if why, got := privateHost(url); got != want {
			t.Errorf("%q: %v (%s), want %v", url, got, why, want)
		}
	}
}

func TestSameFunction(t *testing.T) {
	for _, tt := range []struct {
		listed, name, linkage string
		want                  bool
	}{
		{"run", "run", "", true},
		{"_ZN1a1bEv", "b", "_ZN1a1bEv", true},
		{"a::b()", "b", "_ZN1a1bEv", true},
		{"std::vector<int>::push_back(int&&)", "push_back", "_ZNSt6vectorIiE9push_backEOi", true},
		{"f.llvm.123", "f", "", true},
		{"f_2", "f", "", true},
		{"f2", "f", "", false},
		{"__main_argc_argv", "main", "", true},
		{"core::fmt::write", "write", "_ZN4core3fmt5write17h0123456789abcdefE", true},
		{"core::fmt::write::h0123456789abcdef", "write", "_ZN4core3fmt5write17h0123456789abcdefE", true},
		{"trap.divide", "divide", "", true},
		{"operator()", "operator()", "", true},
		{"beta", "alpha", "", false},
		{"a::beta()", "alpha", "_ZN1a5alphaEv", false},
		{"alphabet", "alpha", "", false},
		{"", "alpha", "", false},
	} {
		if got := sameFunction(tt.listed, tt.name, tt.linkage); got != tt.want {
			t.Errorf("%q for %q %q: %v", tt.listed, tt.name, tt.linkage, got)
		}
	}
}

// TestClasses: what tools make is told by its name or its shape, and only where it
// has no debug information of its own.
func TestClasses(t *testing.T) {
	names := []string{"__wasm_call_ctors", "stub", "empty", "thunk", "caller", "signature_mismatch:f", "plain"}
	bodies := []testwasm.Body{
		testwasm.Fn(testwasm.OpCall, 7), testwasm.Fn(testwasm.OpUnreachable), testwasm.Fn(),
		testwasm.Fn(testwasm.OpCall, 0), testwasm.Fn(testwasm.OpCall, 2), testwasm.Fn(testwasm.OpNop, testwasm.OpUnreachable),
		testwasm.Fn(testwasm.OpI32Const, 0, testwasm.OpDrop, testwasm.OpUnreachable),
	}
	b := testwasm.Build(testwasm.Types(testwasm.FuncType{}), testwasm.Imports(testwasm.Import{Module: "env", Name: "host"}),
		testwasm.Functions(make([]uint32, len(bodies))...), testwasm.Code(bodies...), testwasm.Names{Functions: testwasm.From(1, names...)}.Section())
	f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Check(context.Background(), &Module{Path: "a.wasm", File: f}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"__wasm_call_ctors": ClassGlue, "stub": ClassGlue, "empty": ClassGlue, "thunk": ClassGlue,
		"signature_mismatch:f": ClassGlue, "caller": ClassUser, "plain": ClassUser}
	for _, g := range s.Coverage.Functions {
		if g.Class != want[g.Name] {
			t.Errorf("%s is of the class %s, want %s", g.Name, g.Class, want[g.Name])
		}
	}
	if s.Verdict != report.Fail {
		t.Errorf("a module without debug information: %v", s.Verdict)
	}
}
