package stacktrace

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// padded returns a module of the corpus with a section that makes it larger, so
// that V8 labels it by its size.
func padded(t testing.TB, input string, n int) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(corpusDir, filepath.FromSlash(input)))
	if err != nil {
		t.Fatal(err)
	}
	return append(bytes.Clone(b), tw.Custom("padding", make([]byte, n)).Append(nil)...)
}

// trapLine is a V8 frame of c/O0-dw4.wasm at a location.
func trapLine(location string) string {
	return fmt.Sprintf("    at %s:wasm-function[1]:0x193", location)
}

// chosen names the build of a line, or says why there is none.
func chosen(t testing.TB, r *Resolver, line string) string {
	t.Helper()
	res := lineOf(t, r, line)
	switch {
	case len(res.Candidates) > 0 && !res.Resolved():
		return "candidates: " + listed(res.Candidates)
	case res.Build == nil:
		return res.Cause.String() + ": " + res.Reason
	}
	return res.Build.Path()
}

// TestChoice: each frame finds its own build (case G10).
func TestChoice(t *testing.T) {
	dir := t.TempDir()
	options := rewrite.Options{StripNames: true}
	small := split(t, "c/O0-dw4.wasm", filepath.Join(dir, "a"), "small", options)
	large := splitBytes(t, padded(t, "c/O0-dw4.wasm", 20_000), filepath.Join(dir, "b"), "large", options)
	named := split(t, "cpp/O2-dw5.wasm", filepath.Join(dir, "c"), "engine", rewrite.Options{})
	for _, f := range []files{small, large, named} {
		if f.companion == "" {
			t.Fatal("no companion")
		}
	}
	// Production modules lie elsewhere: companions alone must do.
	symbols := filepath.Join(dir, "symbols")
	var companions []string
	for _, f := range []files{small, large, named} {
		b, err := os.ReadFile(f.companion)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(symbols, filepath.Base(f.companion))
		writeFile(t, to, b)
		companions = append(companions, to)
	}
	writeFile(t, filepath.Join(symbols, "broken.wasm"), []byte("\x00asm\x01\x00\x00\x00\x01\xff\xff\xff\xff\x0f"))
	writeFile(t, filepath.Join(symbols, "page.wasm"), []byte("<html>"))
	writeFile(t, filepath.Join(symbols, "notes.txt"), []byte("no module"))
	info, err := os.Stat(large.production)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := V8LabelHash(info.Size(), nil)
	if err != nil {
		t.Fatal(err)
	}
	production, err := os.ReadFile(small.production)
	if err != nil {
		t.Fatal(err)
	}
	content, err := V8LabelHash(int64(len(production)), bytes.NewReader(production))
	if err != nil {
		t.Fatal(err)
	}
	folder := resolver(t, symbols)
	if n := len(folder.store.Notes()); n != 1 || !strings.Contains(folder.store.Notes()[0], "broken.wasm") {
		t.Errorf("notes: %q", folder.store.Notes())
	}
	explicit := resolver(t, companions...)
	modules := NewResolver(openStore(t, StoreOptions{Debug: companions, Modules: []string{small.production, large.production}}), ResolverOptions{})
	both := "candidates: " + companions[0] + ", " + companions[1]
	for _, c := range []struct {
		about string
		r     *Resolver
		line  string
		want  string
	}{
		{"URL", folder, trapLine("https://cdn.example/pkg/small.wasm?v=7"), companions[0]},
		{"another URL", folder, trapLine("https://cdn.example/pkg/large.wasm?v=7"), companions[1]},
		{"a hash in the URL", folder, trapLine("https://cdn.example/pkg/small-4fa3c2.wasm"), companions[0]},
		{"label by size", folder, trapLine(V8Label{Hash: hash}.String()), companions[1]},
		{"label by size, files named", explicit, trapLine(V8Label{Hash: hash}.String()), companions[1]},
		{"label by content of a module at hand", modules, trapLine(V8Label{Hash: content}.String()), companions[0]},
		{"label of a size that none has", resolver(t, companions[1]), trapLine(V8Label{Hash: hash + 4}.String()), "no module: by its label the module that ran is " + fmt.Sprint(info.Size()+1)},
		{"name of the module in a label", folder, "    at wasm://wasm/O2-dw5.wasm-0000abcd:wasm-function[1]:0x8f", companions[2]},
		{"name of the module in front of the function's", folder, "O2-dw5.wasm.run@http://x/page line 3 > WebAssembly.Module:wasm-function[1]:0x8f", companions[2]},
		{"nothing, in a directory", folder, trapLine("http://x/page line 3 > WebAssembly.Module"), "candidates: " + companions[1] + " (build ID "},
		{"nothing but functions and offsets, one fits", resolver(t, companions[0], companions[2]), trapLine("wasm://wasm/0000abcd"), companions[0]},
		{"an offset that no build fits", explicit, "    at wasm://wasm/0000abcd:wasm-function[1]:0x195", "other build: of "},
	} {
		if got := chosen(t, c.r, c.line); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.about, got, c.want)
		}
	}
	// Two builds of one source give one answer, whichever it was.
	agreed := lineOf(t, explicit, trapLine("wasm://wasm/0000abcd"))
	if brief(agreed) != outerTrap || len(agreed.Candidates) != 2 {
		t.Errorf("two builds that agree: %s, %d candidates", brief(agreed), len(agreed.Candidates))
	}
	// Builds that differ are listed.
	other := unsplit(t, "c/O0-dw4.wasm", filepath.Join(dir, "d"))
	moved := bytes.ReplaceAll(padded(t, "c/O0-dw4.wasm", 0), []byte("trap.c\x00"), []byte("TRAP.c\x00"))
	renamed := filepath.Join(dir, "d", "renamed.wasm")
	writeFile(t, renamed, moved)
	differ := lineOf(t, resolver(t, other, renamed), trapLine("wasm://wasm/0000abcd"))
	if differ.Cause != CauseAmbiguous || len(differ.Candidates) != 2 || !strings.Contains(differ.Reason, renamed) {
		t.Errorf("two builds that differ: %s (want %s)", brief(differ), both)
	}
}

// TestReleases: of several releases of one module in a store whose files are called
// after their IDs, the name of the module in the URL and the trace itself tell which
// one ran.
func TestReleases(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "symbols")
	release := func(input, module string) (companion, id string) {
		f := split(t, input, dir, "x", rewrite.Options{})
		facts, err := readFacts(f.companion)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(f.companion)
		if err != nil {
			t.Fatal(err)
		}
		if len(module) != len(facts.name) {
			t.Fatalf("%q and %q differ in length", module, facts.name)
		}
		companion = filepath.Join(store, facts.id.String()+".debug.wasm")
		writeFile(t, companion, bytes.ReplaceAll(b, []byte(facts.name), []byte(module)))
		return companion, facts.id.String()
	}
	one, id := release("c/O0-dw4.wasm", "game.v.wasm")
	two, _ := release("cpp/O2-dw5.wasm", "game.v.wasm")
	three, _ := release("cpp/O2-dw4.wasm", "tool.v.wasm")
	at := func(name string) string { return trapLine("https://x.example/pkg/" + name) } // of the first
	r := resolver(t, store)
	for _, c := range []struct{ about, line, want string }{
		{"the module's name", at("game.v.wasm"), one},
		{"with a hash", at("game.v-3f2a1b.wasm"), one},
		{"with a hash behind a dot", at("game.v.3f2a1b9c.wasm?x"), one},
		{"with a hash of letters", at("game.v-DiwrgTda.wasm"), one},
		{"by the offset: the other", "    at https://x/game.v.wasm:wasm-function[1]:0x8f", two},
		{"a name that no other has", "    at https://x/tool.v.wasm:wasm-function[2]:0x1f3", three},
		{"an offset of none", at("game.v.wasm")[:len(at("game.v.wasm"))-1] + "5", "other build: of "},
		{"another name", at("page.wasm"), "candidates: " + one},
	} {
		if got := chosen(t, r, c.line); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.about, got, c.want)
		}
	}
	if got := lineOf(t, r, at("game.v.wasm")); got.Confidence == High || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "of 2 builds "+one) {
		t.Errorf("chosen by fit: confidence %v, notes %q", got.Confidence, got.Notes)
	}
	if got := lineOf(t, r, "    at https://x/tool.v.wasm:wasm-function[2]:0x1f3"); got.Confidence == High || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "its module is called tool.v.wasm") {
		t.Errorf("chosen by name: confidence %v, notes %q", got.Confidence, got.Notes)
	}
	// The file of the current release has the name in the URL. It does not win over
	// an older one that alone agrees with the trace.
	current := split(t, "cpp/O2-dw5.wasm", filepath.Join(dir, "dist"), "game.v", rewrite.Options{})
	both := resolver(t, current.companion, store)
	if got := chosen(t, both, at("game.v.wasm")); got != one {
		t.Errorf("an older release: %s", got)
	}
	if got := lineOf(t, both, "    at https://x/game.v.wasm:wasm-function[1]:0x8f"); got.Build.Path() != current.companion || len(got.Notes) != 0 {
		t.Errorf("the current release: %s, notes %q", got.Build.Path(), got.Notes)
	}
	// Where the trace agrees with both, that is said, or both are listed.
	second := split(t, "c/O0-dw4.wasm", filepath.Join(dir, "dist2"), "game.v", rewrite.Options{BuildID: buildid.Policy{Mode: buildid.ModeGiven, ID: []byte("0123456789abcdef")}})
	both = resolver(t, second.companion, store)
	if got := lineOf(t, both, at("game.v.wasm")); got.Build == nil || got.Build.Path() != second.companion || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "agrees with "+one+" as well") {
		t.Errorf("two that agree: %s, notes %q", brief(got), got.Notes)
	}
	b, err := os.ReadFile(second.companion)
	if err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(store, "moved.debug.wasm")
	writeFile(t, moved, bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("O0-dw4.wasm"), []byte("game.v.wasm")), []byte("trap.c\x00"), []byte("TRAP.c\x00")))
	got := lineOf(t, resolver(t, store), at("game.v.wasm"))
	if got.Cause != CauseAmbiguous || len(got.Candidates) != 2 || !strings.Contains(got.Reason, id) || !strings.Contains(got.Reason, moved+" (build ID 30313233") {
		t.Errorf("two that differ: %s", brief(got))
	}
}

// TestLikeness: hashes and words behind the name of a file.
func TestLikeness(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"app", "app-3f2a1b", weightHashed}, {"app.3f2a1b9c", "app", weightHashed}, {"app-3f2a1b", "app-99aa00", weightHashed},
		{"app", "app-DiwrgTda", weightHashed}, {"app", "app-D9_rg-da", weightHashed}, {"app", "app-AB3XKQ2Z", weightHashed},
		{"app", "app_bg", weightAlike}, {"app", "app-worker", weightAlike}, {"app", "app-worker-3f2a1b", weightAlike},
		{"app-worker", "app-worker-3f2a1b", weightHashed}, {"app", "application", 0}, {"app", "app-", 0}, {"a", "b", 0},
		{"app", "3f2a1b9c", 0}, {"3f2a1b9c", "99aa00bb", 0}, {"app-one", "app-two", 0}, {"", "-3f2a1b", 0},
	} {
		if got := likeness(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestCodeStart: the production module's code start counts, and what is assumed
// without it is said.
func TestCodeStart(t *testing.T) {
	dir := t.TempDir()
	// A section in front of Code, which the other file lacks.
	sections := []tw.Section{tw.Types(tw.FuncType{}), tw.Functions(0, 0), tw.Code(tw.Fn(tw.OpCall, 1), tw.Fn(tw.OpUnreachable)),
		tw.Custom(".debug_info", nil), tw.Names{Functions: tw.List("a", "b")}.Section()}
	companion := filepath.Join(dir, "app.wasm.debug.wasm")
	production := filepath.Join(dir, "app.wasm")
	writeFile(t, companion, tw.Build(sections...))
	writeFile(t, production, tw.Build(append([]tw.Section{tw.Custom("first", make([]byte, 100))}, sections[:3]...)...))
	alone := resolver(t, companion)
	pair := NewResolver(openStore(t, StoreOptions{Debug: []string{companion}, Modules: []string{production}}), ResolverOptions{})
	own := int64(alone.store.builds[0].companion.span.Start)
	ran := int64(pair.store.builds[0].production.span.Start)
	if own == ran || len(pair.store.builds) != 1 {
		t.Fatalf("code starts %d and %d, %d builds", own, ran, len(pair.store.builds))
	}
	line := func(start int64) string {
		return fmt.Sprintf("    at http://x/app.wasm:wasm-function[1]:0x%x", start+8)
	}
	if r := lineOf(t, pair, line(ran)); brief(r) != "b" || len(r.Notes) > 0 {
		t.Errorf("with the production module: %s, notes %q", brief(r), r.Notes)
	}
	if r := lineOf(t, pair, line(own)); r.Resolved() {
		t.Errorf("resolved with the companion's code start: %s", brief(r))
	}
	if r := lineOf(t, alone, line(own)); brief(r) != "b" || r.Confidence == High || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "is taken to start") {
		t.Errorf("without the production module: %s, confidence %v, notes %q", brief(r), r.Confidence, r.Notes)
	}
}

// TestPairs: files find each other by ID, pointer, and name; and are told apart.
func TestPairs(t *testing.T) {
	id, other := []byte("0123456789abcdef"), []byte("fedcba9876543210")
	code := []tw.Section{tw.Types(tw.FuncType{}), tw.Functions(0), tw.Code(tw.Fn(tw.OpUnreachable))}
	longer := []tw.Section{tw.Types(tw.FuncType{}), tw.Functions(0), tw.Code(tw.Fn(tw.OpNop, tw.OpUnreachable))}
	with := func(sections []tw.Section, more ...tw.Section) []byte {
		return tw.Build(append(append([]tw.Section(nil), sections...), more...)...)
	}
	debug := tw.Custom(".debug_info", nil)
	for _, c := range []struct {
		about  string
		files  map[string][]byte
		builds int
	}{
		{"one ID", map[string][]byte{"x.wasm": with(code, tw.BuildID(id)), "y.wasm": with(code, debug, tw.BuildID(id))}, 1},
		{"two IDs", map[string][]byte{"x.wasm": with(code, tw.BuildID(id)), "x.debug.wasm": with(code, debug, tw.BuildID(other))}, 2},
		{"one ID, other code", map[string][]byte{"x.wasm": with(code, tw.BuildID(id)), "y.wasm": with(longer, debug, tw.BuildID(id))}, 2},
		{"our name", map[string][]byte{"x.wasm": with(code), "x.debug.wasm": with(code, debug)}, 1},
		{"emcc's name", map[string][]byte{"x.wasm": with(code), "x.wasm.debug.wasm": with(code, debug)}, 1},
		{"an old name", map[string][]byte{"x.wasm": with(code), "x.debug": with(code, debug)}, 1},
		{"pointer", map[string][]byte{"x.wasm": with(code, tw.ExternalDebugInfo("sym/far.wasm?x=1")), "far.wasm": with(code, debug)}, 1},
		{"strangers", map[string][]byte{"x.wasm": with(code), "y.debug.wasm": with(code, debug)}, 2},
		{"our name, other code", map[string][]byte{"x.wasm": with(code), "x.debug.wasm": with(longer, debug)}, 2},
		{"store by ID", map[string][]byte{"30/313233343536373839616263646566/debuginfo": with(code, debug, tw.BuildID(id)), "30/313233343536373839616263646566/executable": with(code, tw.BuildID(id))}, 1},
	} {
		dir := t.TempDir()
		for name, b := range c.files {
			writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), b)
		}
		s := openStore(t, StoreOptions{Debug: []string{dir}})
		if len(s.Builds()) != c.builds {
			t.Errorf("%s: %d builds, want %d", c.about, len(s.Builds()), c.builds)
		}
		if b := s.Builds()[0]; c.builds == 1 && (b.Production() == "" || b.Companion() == "" || b.Production() == b.Companion()) {
			t.Errorf("%s: production %q, companion %q", c.about, b.Production(), b.Companion())
		}
	}
}

// TestOpenStoreErrors: a named file must be a module; a directory may hold anything.
func TestOpenStoreErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "x.wasm")
	writeFile(t, text, []byte("(module)"))
	for _, o := range []StoreOptions{{Debug: []string{text}}, {Modules: []string{text}}, {Debug: []string{filepath.Join(dir, "missing")}}} {
		if _, err := OpenStore(context.Background(), o); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%v: error %v", o, err)
		}
	}
	if s := openStore(t, StoreOptions{Debug: []string{dir}}); len(s.Builds()) != 0 || len(s.Notes()) != 1 || !strings.Contains(s.Notes()[0], dir+" holds no companion and no module") {
		t.Errorf("%d builds, notes %q", len(s.Builds()), s.Notes())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := OpenStore(ctx, StoreOptions{Debug: []string{dir}}); err == nil {
		t.Error("a search goes on when it is cancelled")
	}
	writeFile(t, filepath.Join(dir, "sub", "m.wasm"), tw.Build(tw.Sample()...))
	s := openStore(t, StoreOptions{Debug: []string{dir}})
	writeFile(t, filepath.Join(dir, "sub", "m.wasm"), nil) // gone bad since
	if r := lineOf(t, NewResolver(s, ResolverOptions{}), "    at http://x/m.wasm:wasm-function[1]:0x99"); r.Cause != CauseUnreadable {
		t.Errorf("a file that went bad: %s", brief(r))
	}
}

// TestIDs: clients send the build ID in different forms.
func TestIDs(t *testing.T) {
	f := &facts{id: buildid.ID("0123456789abcdef0123"), payload: append([]byte{20}, "0123456789abcdef0123"...)}
	const bare = "3031323334353637383961626364656630313233"
	for sent, want := range map[string]bool{
		bare: true, strings.ToUpper(bare): true, "14" + bare: true,
		"30313233-3435-3637-3839-616263646566": true, "143031323334353637383961626364650": true,
		bare[:32]: true, bare[:30]: false, bare + "00": false, "": false, "99" + bare[2:]: false,
	} {
		if f.isID(sent) != want {
			t.Errorf("%q: %v", sent, !want)
		}
	}
}
