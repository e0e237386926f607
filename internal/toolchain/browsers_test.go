//go:build linux

package toolchain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// trapModule is a module whose traps are caught in browsers. The right frames
// stand in its sources, as marks "@CASE.DEPTH=FUNCTION".
type trapModule struct {
	name    string // of the production file
	input   string // below testdata/corpus
	sources []string
	cases   [][2]int // number of the case, argument
	split   []string // flags of split
	pad     int      // bytes of padding, so that V8 labels the module by its size
	loads   []string // ways to load it, in this order: V8 remembers the first
	library string   // file of the standard library whose functions the marks leave out
	alone   bool     // nothing but the offsets tells the module, so that its companion is named
	bySize  bool     // V8's label tells the module by its size; other engines have no such label
}

// Streaming comes first or last: V8 labels equal bytes by the way in which they
// were loaded first, in the whole process.
var (
	urlFirst   = []string{"streaming", "compileStreaming", "buffer", "sync"}
	labelFirst = []string{"sync", "buffer", "compileStreaming", "streaming"}
)

func trapModules() []trapModule {
	cpp := trapModule{input: "cpp/O2-dw5.wasm", sources: []string{"trap.cpp", "other.cpp", "shape.hpp"}, cases: [][2]int{{0, 20}, {1, 9}, {2, 20}}}
	with := func(m trapModule, name string, change func(*trapModule)) trapModule {
		m.name = name
		change(&m)
		return m
	}
	return []trapModule{
		with(cpp, "cpp", func(m *trapModule) { m.loads = urlFirst }),
		with(cpp, "cpp-bare", func(m *trapModule) { m.loads, m.split, m.alone = labelFirst, []string{"--strip-names"}, true }),
		with(cpp, "cpp-large", func(m *trapModule) {
			m.loads, m.split, m.pad = labelFirst, []string{"--strip-names"}, 40_000
			m.bySize = true
		}),
		{name: "c", input: "c/O2-dw4.wasm", loads: labelFirst, sources: []string{"trap.c", "other.c", "util.h"},
			cases: [][2]int{{0, 20}, {1, 1}, {2, 20}, {3, 20}, {4, 20}}},
		{name: "rust", input: "rust/nostd-O2-dw5.wasm", loads: urlFirst, sources: []string{"rust/lib.rs"}, library: "mod.rs", cases: [][2]int{{0, 20}}},
	}
}

// place is a function with file and line.
type place struct {
	Function, File string
	Line           int
}

var sourceMark = regexp.MustCompile(`/\*@(\d+)\.(\d+)=(.*?)\*/`)

// marked reads the right frames of every case from the sources.
func (m trapModule) marked(t *testing.T) map[int][]place {
	t.Helper()
	var paths []string
	for _, name := range m.sources {
		paths = append(paths, corpusFile(t, "src/"+name))
	}
	return marks(t, paths...)
}

// marks reads the right frames of every case from source files.
func marks(t *testing.T, paths ...string) map[int][]place {
	t.Helper()
	byDepth := map[int]map[int]place{}
	for _, path := range paths {
		for n, line := range strings.Split(string(read(t, path)), "\n") {
			for _, mark := range sourceMark.FindAllStringSubmatch(line, -1) {
				kase, _ := strconv.Atoi(mark[1])
				depth, _ := strconv.Atoi(mark[2])
				if byDepth[kase] == nil {
					byDepth[kase] = map[int]place{}
				}
				byDepth[kase][depth] = place{mark[3], filepath.Base(path), n + 1}
			}
		}
	}
	out := map[int][]place{}
	for kase, depths := range byDepth {
		for depth := range len(depths) {
			p, ok := depths[depth]
			if !ok {
				t.Fatalf("%s: case %d has no mark of depth %d", paths, kase, depth)
			}
			out[kase] = append(out[kase], p)
		}
	}
	return out
}

func corpusFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "testdata", "corpus", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// site is what the browsers visit: split modules, and companions of both kinds,
// which are not served.
type site struct {
	dir     string // what is served
	symbols map[string]string
	modules []trapModule
	url     string
	page    string // what browsers open
	results chan string
}

var companionKinds = []string{"full", "symbols"}

// newSite splits the modules and starts the server.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{dir: t.TempDir(), symbols: map[string]string{}, modules: trapModules(), page: "page.html", results: make(chan string, 16)}
	work := t.TempDir()
	type job struct {
		Name  string   `json:"name"`
		URL   string   `json:"url"`
		Cases [][2]int `json:"cases"`
		Loads []string `json:"loads"`
	}
	var jobs []job
	for _, m := range s.modules {
		input := filepath.Join(work, m.name+".wasm")
		b := read(t, corpusFile(t, m.input))
		if m.pad > 0 {
			b = append(b, customSection("padding", make([]byte, m.pad))...)
		}
		write(t, input, b)
		var before []byte
		for _, kind := range companionKinds {
			out := filepath.Join(work, kind, m.name+".wasm")
			s.symbols[kind] = filepath.Join(work, "symbols", kind)
			for _, dir := range []string{filepath.Dir(out), s.symbols[kind]} {
				if err := os.MkdirAll(dir, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			cmd{args: append([]string{program(t), "split", input, "-o", out, "-d", filepath.Join(s.symbols[kind], m.name+".debug.wasm"),
				"--companion-kind", kind, "--external-url", "none", "-q"}, m.split...)}.run(t)
			production := read(t, out)
			if before != nil && !bytes.Equal(before, production) {
				t.Fatalf("%s: the production module depends on the kind of companion", m.name)
			}
			if bytes.Contains(production, []byte(".debug_")) {
				t.Fatalf("%s: the module that is served still holds DWARF", m.name)
			}
			before = production
		}
		write(t, filepath.Join(s.dir, "pkg", m.name+".wasm"), before)
		jobs = append(jobs, job{m.name, "pkg/" + m.name + ".wasm?v=7", m.cases, m.loads})
	}
	text, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(s.dir, "jobs.json"), text)
	for _, name := range []string{"page.html", "page.mjs", "worker.mjs", "trap.mjs"} {
		write(t, filepath.Join(s.dir, name), read(t, filepath.Join("testdata", "browsers", name)))
	}
	s.serve(t)
	return s
}

// serve starts the server, which stops with the test.
func (s *site) serve(t *testing.T) {
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	s.url = server.URL + "/"
}

func customSection(name string, data []byte) []byte {
	body := append(append([]byte{byte(len(name))}, name...), data...)
	var size []byte
	for n := len(body); ; n >>= 7 {
		if n < 0x80 {
			size = append(size, byte(n))
			break
		}
		size = append(size, byte(n)|0x80)
	}
	return append(append([]byte{0}, size...), body...)
}

func (s *site) handler() http.Handler {
	types := map[string]string{".wasm": "application/wasm", ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html", ".json": "application/json"}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /result", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
		if err == nil {
			s.results <- r.URL.RawQuery + "\n" + string(text)
		}
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		b, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(filepath.Clean(r.URL.Path))))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", types[filepath.Ext(r.URL.Path)])
		w.Header().Set("Cache-Control", "no-store")
		w.Write(b)
	})
	return mux
}

const (
	browserTries = 3
	browserLimit = 90 * time.Second
)

// visit runs a browser on the page until it has sent its traces. Only what it
// started itself is ended.
func (s *site) visit(t *testing.T, name string, args func(profile, url string) []string) string {
	t.Helper()
	path := tool(t, name)
	var last string
	for try := 1; try <= browserTries; try++ {
		token := fmt.Sprintf("%s-%d", name, try)
		profile, home := t.TempDir(), t.TempDir()
		p := exec.Command(path, args(profile, s.url+s.page+"?"+token)...)
		p.Env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home, "MOZ_CRASHREPORTER_DISABLE=1", "MOZ_HEADLESS=1")
		p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		var out bytes.Buffer
		p.Stdout, p.Stderr = &out, &out
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		text, ok := s.await(token)
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
		_ = p.Wait()
		if ok && strings.HasSuffix(text, "== done\n") {
			return text
		}
		last = text + "\n" + out.String()
		t.Logf("%s, try %d of %d, sent no complete traces", name, try, browserTries)
	}
	t.Fatalf("%s sent no traces:\n%s", name, last)
	return ""
}

// await waits for the result of one visit and passes over those of earlier ones.
func (s *site) await(token string) (string, bool) {
	limit := time.After(browserLimit)
	for {
		select {
		case r := <-s.results:
			if text, ok := strings.CutPrefix(r, token+"\n"); ok {
				return text, true
			}
		case <-limit:
			return "", false
		}
	}
}

func chromiumArgs(profile, url string) []string {
	return []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir=" + profile, "--remote-debugging-port=0", url}
}

func firefoxArgs(profile, url string) []string {
	prefs := `user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.aboutwelcome.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("app.update.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
`
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(prefs), 0o666); err != nil {
		panic(err)
	}
	return []string{"--headless", "--no-remote", "--profile", profile, url}
}

// TestBrowsers catches traps in Node.js, Chromium and Firefox, of modules without
// DWARF, and has the program turn the traces into functions, files and lines.
func TestBrowsers(t *testing.T) {
	stage(t, "browsers")
	s := newSite(t)
	engines := []struct {
		name  string
		trace func(t *testing.T) string
	}{
		{"node", func(t *testing.T) string {
			return cmd{args: []string{tool(t, "node"), filepath.Join("testdata", "browsers", "node.mjs"), s.url}}.run(t)
		}},
		{"chromium", func(t *testing.T) string { return s.visit(t, "chromium", chromiumArgs) }},
		{"firefox", func(t *testing.T) string { return s.visit(t, "firefox-esr", firefoxArgs) }},
	}
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { s.check(t, e.trace(t), e.name != "firefox") })
	}
}
