package report

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TestSARIFSchema validates against the official schema of SARIF 2.1.0, which the
// module that we write with carries.
func TestSARIFSchema(t *testing.T) {
	for name, r := range map[string]*Report{"sample": sampleReport(), "pass": passReport(), "empty": {}, "nothing": {Subjects: []Subject{{}}},
		"bare": {Subjects: []Subject{{Findings: []Finding{{Severity: Error}}}}}} {
		doc, err := sarif.FromBytes(written(t, FormatSARIF, r, Options{}), sarif.WithStrictValidation())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := doc.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The validation would notice: a level that does not exist.
	doc, _ := sarif.FromBytes(written(t, FormatSARIF, sampleReport(), Options{}))
	doc.Runs[0].Results[0].Level = "fatal"
	if doc.Validate() == nil {
		t.Error("a wrong level passes the validation")
	}
}

// TestSARIFForCodeScanning checks what GitHub asks for beyond the schema.
func TestSARIFForCodeScanning(t *testing.T) {
	r := sampleReport()
	r.Subjects[0].Findings[0].Location.Path = "/src/app/dist/ä b%.wasm"
	r.Subjects[0].Findings[1].Location.Path = ""
	var doc struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID   string
						Help struct{ Text, Markdown string }
					}
				}
			}
			Results []struct {
				RuleID              string
				RuleIndex           int
				Level               string
				Message             struct{ Text string }
				PartialFingerprints map[string]string
				Locations           []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, ByteOffset int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(written(t, FormatSARIF, r, Options{Root: "/src/app"}), &doc); err != nil {
		t.Fatal(err)
	}
	run := doc.Runs[0]
	prints := map[string]bool{}
	levels := map[string]int{}
	uris := map[string]bool{}
	for _, res := range run.Results {
		if len(res.Locations) != 1 {
			t.Fatalf("%s has %d locations", res.RuleID, len(res.Locations))
		}
		at := res.Locations[0].PhysicalLocation
		if u, err := url.Parse(at.ArtifactLocation.URI); err != nil || u.IsAbs() || u.Path == "" || strings.HasPrefix(u.Path, "/") {
			t.Errorf("%q is not a relative URI: %v", at.ArtifactLocation.URI, err)
		}
		uris[at.ArtifactLocation.URI] = true
		if at.Region.StartLine < 1 {
			t.Errorf("%s has no line", res.RuleID)
		}
		if res.Message.Text == "" || run.Tool.Driver.Rules[res.RuleIndex].ID != res.RuleID || run.Tool.Driver.Rules[res.RuleIndex].Help.Text == "" {
			t.Errorf("%s: message %q, rule %d", res.RuleID, res.Message.Text, res.RuleIndex)
		}
		p := res.PartialFingerprints["primaryLocationLineHash"]
		if p == "" || prints[p] {
			t.Errorf("%s: fingerprint %q is missing or repeated", res.RuleID, p)
		}
		prints[p] = true
		levels[res.Level]++
	}
	if !uris["dist/%C3%A4%20b%25.wasm"] {
		t.Errorf("the path with odd characters is missing: %v", uris)
	}
	if want := "map[error:4 note:1 warning:1]"; fmt.Sprint(levels) != want {
		t.Errorf("levels %v, want %s", levels, want)
	}
}

// TestFingerprintsStay: offsets, IDs and counts change with every build, and a
// finding is the same all the same.
func TestFingerprintsStay(t *testing.T) {
	prints := func(r *Report) (all []string) {
		for _, res := range newSARIF(r, Options{}).Runs[0].Results {
			all = append(all, res.PartialFingerprints["primaryLocationLineHash"])
		}
		return all
	}
	a, b := sampleReport(), sampleReport()
	f := &b.Subjects[0].Findings[2]
	*f.Location.File += 100
	*f.Location.Code += 100
	f.Count++
	f.Location.Line++
	b.Subjects[0].BuildID = "00"
	if x, y := fmt.Sprint(prints(a)), fmt.Sprint(prints(b)); x != y {
		t.Errorf("%s\n%s", x, y)
	}
	f.Location.Function = "other"
	if x, y := fmt.Sprint(prints(a)), fmt.Sprint(prints(b)); x == y {
		t.Error("two functions have one fingerprint")
	}
}

func TestSARIFLimits(t *testing.T) {
	r := &Report{Subjects: []Subject{{Production: "a.wasm", Verdict: Fail}}}
	for range maxResults + 3 {
		r.Subjects[0].Findings = append(r.Subjects[0].Findings, Finding{Rule: "WD1", Severity: Error, Message: "m", Location: Location{Path: "a.wasm", File: at(wasm.FileOffset(1 << 40))}})
	}
	run := newSARIF(r, Options{}).Runs[0]
	notes := run.Invocations[0].ToolExecutionNotifications
	if len(run.Results) != maxResults || len(notes) != 1 || !strings.HasPrefix(*notes[0].Message.Text, "3 more") {
		t.Errorf("%d results, %d notifications", len(run.Results), len(notes))
	}
}

func TestURI(t *testing.T) {
	for _, c := range []struct{ name, root, want string }{
		{"dist/app.wasm", "", "dist/app.wasm"},
		{"./dist//app.wasm", "", "dist/app.wasm"},
		{"../x.wasm", "", "../x.wasm"},
		{"/w/a/x.wasm", "/w/a", "x.wasm"},
		{"/w/a/x.wasm", "/w/a/", "x.wasm"},
		{"/w/ab/x.wasm", "/w/a", "file:///w/ab/x.wasm"},
		{"a b#c?d%.wasm", "", "a%20b%23c%3Fd%25.wasm"},
		{"c:x", "", "c%3Ax"},
		{`C:\w\x.wasm`, "", "file:///C:/w/x.wasm"},
		{`C:\w\x.wasm`, `C:\w`, "x.wasm"},
		{`\\host\share\x.wasm`, "", "file://host/share/x.wasm"},
		{`dist\x.wasm`, "", "dist/x.wasm"},
		{`dist/a\b.wasm`, "", "dist/a%5Cb.wasm"},
		{"\xff\n.wasm", "", "%FF%0A.wasm"},
		{"", "/w", ""},
	} {
		if got := uri(c.name, c.root); got != c.want {
			t.Errorf("uri(%q, %q) = %q, want %q", c.name, c.root, got, c.want)
		}
	}
}
