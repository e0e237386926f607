package buildid

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// values maps "client, kind" to the value shown.
func values(forms []Form) map[string]string {
	m := map[string]string{}
	for _, f := range forms {
		m[f.Client+", "+f.Kind] = f.Value
	}
	return m
}

// TestFormsOf16Bytes is case A2: the length byte appears only under the names of
// the clients that show it.
func TestFormsOf16Bytes(t *testing.T) {
	want := map[string]string{
		"tool-conventions, LLVM, build ID":             "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
		"V8, Chrome DevTools protocol, buildId":        "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
		"sentry 0.49 (CLI), code id":                   "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
		"sentry 0.49 (CLI), debug id":                  "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf",
		"sentry-cli 3.8, symbolic, code id":            "10a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
		"sentry-cli 3.8, symbolic, debug id":           "10a0a1a2-a3a4-a5a6-a7a8-a9aaabacadae",
		"@sentry/wasm, code_id":                        "10a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
		"@sentry/wasm, debug_id":                       "10a0a1a2a3a4a5a6a7a8a9aaabacadae0",
		"Datadog, build id":                            "10a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
		"Microsoft SymbolStore, key":                   "app.wasm/10a0a1a2a3a4a5a6a7a8a9aaabacadaeaf/app.wasm",
		"Symbolicator, path":                           "a0/a1a2a3a4a5a6a7a8a9aaabacadaeaf/debuginfo",
		"Symbolicator, path that the SDK asks for":     "10/a0a1a2a3a4a5a6a7a8a9aaabacadaeaf/debuginfo",
		"debuginfod, path":                             "/buildid/a0a1a2a3a4a5a6a7a8a9aaabacadaeaf/debuginfo",
		"llvm-symbolizer --debug-file-directory, path": ".build-id/a0/a1a2a3a4a5a6a7a8a9aaabacadaeaf.debug",
		"source map (binaryen), debugId":               "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
	}
	for _, name := range []string{"App.wasm", "dist/App.wasm", `C:\dist\App.WASM`} {
		if d := cmp.Diff(want, values(Forms(unhex(t, "10"+id16), name))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestFormsMeasured holds what clients showed for odd payloads: Chromium 156
// (Debugger.scriptParsed) and "sentry 0.49.0 debug-files check".
func TestFormsMeasured(t *testing.T) {
	for _, tc := range []struct{ payload, v8, code, debug string }{
		{"04a0a1a2a3", "a0a1a2a3", "a0a1a2a3", nilUUID},
		{"08a0a1a2a3a4a5a6a7", "a0a1a2a3a4a5a6a7", "a0a1a2a3a4a5a6a7", nilUUID},
		{"0f" + id16[:30], id16[:30], "0f" + id16[:30], "0fa0a1a2-a3a4-a5a6-a7a8-a9aaabacadae"},
		{"13" + id20[:38], id20[:38], id20[:38], "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf"},
		{"14" + id20, id20, id20, "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf"},
		{"10" + id20, id16, id16, "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf"},
		{"908000" + id16, id16, id16, "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf"},
		{id16, "", id16, "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf"},
		{"04" + id16[:30], "a0a1a2a3", "04" + id16[:30], "04a0a1a2-a3a4-a5a6-a7a8-a9aaabacadae"},
		{"04" + id20[:38], "a0a1a2a3", "a0a1a2a3", nilUUID},
		{id20, "", "", ""},
		{id16 + id16, "", "", ""},
		{"20" + id16, "", "", ""},
		{"0110" + id16, "10", "10", nilUUID},
		{"0114" + id20, "14", "14", nilUUID},
		{"010e" + id16[:28], "0e", "010e" + id16[:28], "010ea0a1-a2a3-a4a5-a6a7-a8a9aaabacad"},
		{"00", "", "", nilUUID},
		{"", "", "", ""},
	} {
		got := values(Forms(unhex(t, tc.payload), "m.wasm"))
		for kind, want := range map[string]string{
			"V8, Chrome DevTools protocol, buildId": tc.v8,
			"sentry 0.49 (CLI), code id":            tc.code,
			"sentry 0.49 (CLI), debug id":           tc.debug,
		} {
			if got[kind] != want {
				t.Errorf("payload %s: %s is %q, want %q", tc.payload, kind, got[kind], want)
			}
		}
	}
}

func TestFormsShort(t *testing.T) {
	forms := Forms(unhex(t, "08a0a1a2a3a4a5a6a7"), "m.wasm")
	got := values(forms)
	if v := got["sentry-cli 3.8, symbolic, debug id"]; v != nilUUID {
		t.Errorf("symbolic: %s", v)
	}
	if v := got["@sentry/wasm, debug_id"]; v != "08a0a1a2a3a4a5a6a7"+strings.Repeat("0", 14)+"0" {
		t.Errorf("SDK: %s", v)
	}
}

// TestFormsNotes: a value that is not the bare ID, in whatever form, has a note
// that says why.
func TestFormsNotes(t *testing.T) {
	for _, payload := range []string{"10" + id16, "14" + id20, id16, id20, "0110" + id16, "908000" + id16, "04a0a1a2a3", "10" + id20, "", "00"} {
		p := unhex(t, payload)
		id, _, _, _ := Decode(p)
		for _, f := range Forms(p, "m.wasm") {
			plain := strings.NewReplacer("-", "", "/", "", ".build-id", "", ".debug", "", "buildid", "", "debuginfo", "", "m.wasm", "").Replace(f.Value)
			if plain != id.String() && f.Note == "" {
				t.Errorf("payload %s: %s, %s shows %q without a note", payload, f.Client, f.Kind, f.Value)
			}
		}
	}
}

func TestDisagreement(t *testing.T) {
	for _, tc := range []struct {
		payload string
		want    []string // one of each sentence
	}{
		{"10" + id16, []string{"they show 10a0a1", "the last byte (af) is lost", "show different ids"}},
		{"14" + id20, []string{"they show 14a0a1", "the last 5 bytes are lost", "show different ids", "The id has 20 bytes"}},
		{id16, []string{"without its length"}},
		{id20, []string{"without its length", "the last 4 bytes are lost", "refuses the whole file", "The id has 20 bytes"}},
		{"0110" + id16, []string{"Zig's linker", "they show 0110", "the last 2 bytes are lost", "show different ids"}},
		{"08a0a1a2a3a4a5a6a7", []string{"they show 08a0", "only 9 bytes", "The id has 8 bytes"}},
		{"0f" + id16[:30], []string{"they show 0fa0", "any section of 16 bytes", "The id has 15 bytes"}},
		{"10" + id20, []string{"is malformed"}},
	} {
		got := Disagreement(unhex(t, tc.payload))
		if len(got) != len(tc.want) {
			t.Errorf("payload %s: %q", tc.payload, got)
			continue
		}
		for i, w := range tc.want {
			if !strings.Contains(got[i], w) || !strings.HasSuffix(got[i], ".") {
				t.Errorf("payload %s: %q lacks %q", tc.payload, got[i], w)
			}
		}
	}
}
