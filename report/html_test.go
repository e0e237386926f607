package report

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPageLoadsNothing: no address that a browser would fetch stands in the page,
// and its policy forbids to fetch any.
func TestPageLoadsNothing(t *testing.T) {
	page := string(written(t, FormatHTML, sampleReport(), Options{}))
	// In the text of findings an address may stand; in markup and style none may.
	markup := strings.Join(regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|<[^>]*>`).FindAllString(page, -1), "\n")
	for _, bad := range []string{"http:", "https:", "//cdn", "url(", "@import", "src=\"", "fetch(", "XMLHttpRequest", "import(", "<link", "<iframe", "<img", "style=\"", "onclick"} {
		if strings.Contains(markup, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	m := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal("no policy")
	}
	if i := strings.Index(page, m[0]); i > strings.Index(page, "<style") || i > strings.Index(page, "<script") {
		t.Error("the policy comes after what it is for")
	}
	for _, want := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'",
		"style-src " + digest(t, page, "style"), "script-src " + digest(t, page, "script")} {
		if !strings.Contains(m[1], want) {
			t.Errorf("the policy %q lacks %q", m[1], want)
		}
	}
	if strings.Contains(m[1], "unsafe") || strings.Contains(m[1], "connect-src") {
		t.Errorf("the policy %q allows too much", m[1])
	}
}

// digest returns the digest of the only element of a name, as browsers compute it.
func digest(t *testing.T, page, element string) string {
	t.Helper()
	all := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1)
	if len(all) != 1 {
		t.Fatalf("%d elements %s", len(all), element)
	}
	sum := sha256.Sum256([]byte(all[0][1]))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// skeleton is a page without what varies: the elements and attributes only.
func skeleton(page string) string {
	var b strings.Builder
	for _, tag := range regexp.MustCompile(`<[^>]*>`).FindAllString(page, -1) {
		b.WriteString(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(tag, `""`))
		b.WriteByte('\n')
	}
	return b.String()
}

func named(name string) *Report {
	l := Location{Path: name, Section: name, Function: name, Source: name, Line: 1}
	return &Report{Tool: "wasm-debugid", Version: "1", Command: "check",
		Rules: []Rule{{Code: "WD1", Name: name, Title: name, Meaning: name, Remedy: name}},
		Subjects: []Subject{{Production: name, Companion: name, BuildID: name, Tier: name, Verdict: Fail,
			Findings:   []Finding{{Rule: "WD1", Severity: Error, Message: name, Remedy: name, Location: l, Count: 2, Samples: []Location{l, l}}},
			Checked:    []string{name},
			NotChecked: []string{name}, Facts: []Fact{{name, name}},
			Coverage: &Coverage{Total: Counts{Line: 1}, Classes: []Group{{Name: name, Size: 1}}, Languages: []Group{{Name: name}},
				Files: []Group{{Name: name, Size: 5}}, Functions: []Group{{Name: name, Parent: "f", Class: name, Size: 5, Counts: Counts{Line: 1}}}}}}}
}

// FuzzPageEscapes: whatever a name is, the page has the elements that it has with
// a harmless one.
func FuzzPageEscapes(f *testing.F) {
	for _, s := range []string{"x", "<script>alert(1)</script>", `" onload="alert(1)`, "' x='", "</title><script>", "-->", "]]>", "{{.}}", "&lt;", "\x00\xff\u202e",
		"</style>", "javascript:alert(1)", "`${1}`", "\u2028", "</svg><script>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if name = strings.TrimSpace(name); sentence(name) == "" {
			t.Skip("nothing to show, which leaves elements out")
		}
		if len(name) > 200 {
			t.Skip("long names are clipped")
		}
		page := string(written(t, FormatHTML, named(name), Options{}))
		// A label of the treemap is left out where it does not fit.
		texts := regexp.MustCompile(`(?s)<text [^>]*>[^<]*</text>`)
		page = texts.ReplaceAllString(page, "")
		want := skeleton(texts.ReplaceAllString(string(written(t, FormatHTML, named("x"), Options{})), ""))
		if strings.Contains(name, "/") || strings.Contains(name, `\`) {
			return // other directories, other frames; TestPageEscapesPaths has those
		}
		if got := skeleton(page); got != want {
			t.Errorf("%q changes the page", name)
		}
	})
}

func TestPageEscapesPaths(t *testing.T) {
	page := string(written(t, FormatHTML, named(`a/<b onx="1">/</script><script>alert(1)</script>`), Options{}))
	if strings.Count(page, "<script") != 1 || strings.Contains(page, "<b onx") {
		t.Error("a path becomes markup")
	}
}

func TestPageIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a second")
	}
	r := bigReport(100_000)
	if n := len(written(t, FormatHTML, r, Options{})); n > 2<<20 {
		t.Errorf("a page of %d bytes for 100,000 functions", n)
	}
	// Many subjects share the same room.
	small := bigReport(300).Subjects[0]
	r.Subjects = nil
	for i := range 1000 {
		s := small
		s.Production = fmt.Sprintf("dist/%d.wasm", i)
		r.Subjects = append(r.Subjects, s)
	}
	page := written(t, FormatHTML, r, Options{})
	if len(page) > 4<<20 {
		t.Errorf("a page of %d bytes for 1,000 modules", len(page))
	}
	if !strings.Contains(string(page), "The last 900 are listed without details") {
		t.Error("the page does not say what it leaves out")
	}
}

// TestRowsShowTheWorst: a small function that does not resolve is not lost among
// the large ones.
func TestRowsShowTheWorst(t *testing.T) {
	var groups []Group
	for i := range 1000 {
		groups = append(groups, Group{Name: fmt.Sprint("f", i), Size: int64(1000 + i), Counts: Counts{Line: 5}})
	}
	groups = append(groups, Group{Name: "bad", Size: 1, Counts: Counts{Nothing: 9}})
	rows := newHTMLRows("functions", 1, "function", groups, 100)
	if len(rows.Rows) != 100 || rows.Left != 901 || rows.Rows[99].Name != "bad" || rows.Rows[0].Name != "f999" {
		t.Errorf("%d rows, %d left, from %q to %q", len(rows.Rows), rows.Left, rows.Rows[0].Name, rows.Rows[len(rows.Rows)-1].Name)
	}
	if rows.Rest.Total != 901*5 {
		t.Errorf("the rest has %d places", rows.Rest.Total)
	}
}

// TestContrast computes what WCAG 2.1 asks of text (criterion 1.4.3), in light and
// dark.
func TestContrast(t *testing.T) {
	light, dark, ok := strings.Cut(pageCSS, "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("no dark colours")
	}
	for name, css := range map[string]string{"light": light, "dark": dark} {
		colors := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6})`).FindAllStringSubmatch(css, -1) {
			colors[m[1]] = luminance(t, m[2])
		}
		for _, p := range [][2]string{{"ink", "page"}, {"ink", "card"}, {"ink", "frame"}, {"quiet", "page"}, {"quiet", "card"}, {"link", "page"}, {"link", "card"},
			{"pass", "pass-back"}, {"error", "error-back"}, {"warning", "warning-back"}, {"info", "info-back"},
			{"error", "card"}, {"warning", "card"}, {"info", "card"}, {"ink", "pass-back"}, {"ink", "error-back"}, {"ink", "warning-back"},
			{"on-full", "full"}, {"on-most", "most"}, {"on-part", "part"}, {"on-names", "names"}, {"on-none", "none"}, {"on-void", "void"}} {
			a, okA := colors[p[0]]
			b, okB := colors[p[1]]
			if !okA || !okB {
				t.Errorf("%s: no colour %v", name, p)
				continue
			}
			if c := (max(a, b) + 0.05) / (min(a, b) + 0.05); c < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f", name, p[0], p[1], c)
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func TestScriptParses(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the page's script is not parsed")
	}
	cmd := exec.Command(node, "--check", "html/page.js")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
