package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func written(t *testing.T, f Format, r *Report, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f, r, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name   string
		format Format
		report *Report
		o      Options
	}{
		{"sample.txt", FormatText, sampleReport(), Options{}},
		{"sample-verbose-color.txt", FormatText, sampleReport(), Options{Verbose: true, Color: true, Width: 100}},
		{"sample-narrow.txt", FormatText, sampleReport(), Options{Width: 40}},
		{"pass.txt", FormatText, passReport(), Options{Width: -1}},
		{"nothing.txt", FormatText, &Report{Tool: "wasm-debugid", Command: "check"}, Options{}},
		{"sample.json", FormatJSON, sampleReport(), Options{}},
		{"sample.sarif", FormatSARIF, sampleReport(), Options{}},
		{"sample.junit.xml", FormatJUnit, sampleReport(), Options{}},
		{"sample.github.txt", FormatGitHub, sampleReport(), Options{}},
		{"sample.md", FormatMarkdown, sampleReport(), Options{}},
		{"pass.md", FormatMarkdown, passReport(), Options{}},
	} {
		t.Run(c.name, func(t *testing.T) { golden(t, c.name, written(t, c.format, c.report, c.o)) })
	}
	t.Run("outputs.txt", func(t *testing.T) {
		var b bytes.Buffer
		if err := Outputs(&b, sampleReport()); err != nil {
			t.Fatal(err)
		}
		golden(t, "outputs.txt", b.Bytes())
	})
}

// TestSameBytes: two runs over equal reports write the same, and no writer changes
// the report.
func TestSameBytes(t *testing.T) {
	for _, f := range Formats() {
		r := sampleReport()
		first := written(t, f, r, Options{Verbose: true})
		if diff := cmp.Diff(sampleReport(), r); diff != "" {
			t.Errorf("%s changed the report: %s", f, diff)
		}
		for range 3 {
			if again := written(t, f, sampleReport(), Options{Verbose: true}); !bytes.Equal(first, again) {
				t.Errorf("%s differs from run to run", f)
			}
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	if _, err := ParseFormat("yaml"); err == nil {
		t.Error("no error")
	}
	if err := Write(&bytes.Buffer{}, "yaml", sampleReport(), Options{}); err == nil {
		t.Error("no error")
	}
	for _, f := range Formats() {
		if got, err := ParseFormat(string(f)); err != nil || got != f {
			t.Errorf("%s: %v, %v", f, got, err)
		}
	}
}
