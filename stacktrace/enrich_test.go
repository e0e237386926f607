package stacktrace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

const event = `{
  "event_id": "42", "unknown": {"kept": [1, 2.50, "x"]},
  "exception": {"values": [{"type": "RuntimeError", "value": "unreachable", "stacktrace": {"frames": [
    {"function": "main", "filename": "http://x/app.js", "lineno": 10, "in_app": true},
    {"function": "run", "abs_path": "http://x/app.wasm", "filename": "http://x/app.wasm:wasm-function[0]:0xae", "instruction_addr": "0xae", "addr_mode": "rel:0", "platform": "native", "extra": {"a": 1}},
    {"function": "outer", "abs_path": "http://x/app.wasm", "filename": "http://x/app.wasm:wasm-function[1]:0x193", "instruction_addr": "0x193", "addr_mode": "rel:0", "platform": "native"},
    {"function": "else", "filename": "http://x/vendor.wasm", "instruction_addr": "0x193", "addr_mode": "rel:1", "platform": "native"}
  ]}}]},
  "debug_meta": {"images": [
    {"type": "wasm", "code_id": "CODE_ID", "code_file": "http://x/app.wasm"},
    {"type": "wasm", "code_id": "00112233445566778899aabbccddeeff", "code_file": "http://x/vendor.wasm"}
  ]}
}`

// TestEnrichSentry: an event is completed, and keeps everything else.
func TestEnrichSentry(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	id := r.store.builds[0].ID().String()
	for _, form := range []string{id, strings.ToUpper(id), fmt.Sprintf("%02x", len(id)/2) + id} {
		text := strings.Replace(event, "CODE_ID", form, 1)
		d, err := ParseDocument([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		sum, err := EnrichDocument(&out, d, r, JSONOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Summary{Frames: 3, Lines: 2, Unresolved: 1}, sum); diff != "" {
			t.Error(diff)
		}
		var got struct {
			Unknown   json.RawMessage
			Exception struct {
				Values []struct {
					Stacktrace struct {
						Frames []map[string]any
					}
				}
			}
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if string(got.Unknown) != `{"kept": [1, 2.50, "x"]}` {
			t.Errorf("unknown fields changed: %s", got.Unknown)
		}
		var lines []string
		for _, x := range got.Exception.Values[0].Stacktrace.Frames {
			status, _ := x[statusField].(map[string]any)
			lines = append(lines, fmt.Sprint(x["function"], " ", x["filename"], " ", x["lineno"], " ", x["package"], " ", x["instruction_addr"], " ", x["extra"], " ", status["resolved"], " ", status["inlined"]))
		}
		want := []string{
			"main http://x/app.js 10 <nil> <nil> <nil> <nil> <nil>",
			"run trap.c 61 http://x/app.wasm 0xae map[a:1] true false",
			"outer trap.c 28 http://x/app.wasm 0x193 <nil> true false",
			"level1 trap.c 25 http://x/app.wasm 0x193 <nil> true true",
			"level2 trap.c 21 http://x/app.wasm 0x193 <nil> true true",
			"level3 trap.c 17 http://x/app.wasm 0x193 <nil> true true",
			"else http://x/vendor.wasm <nil> <nil> 0x193 <nil> false false",
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(out.String(), "the event has the build ID 00112233445566778899aabbccddeeff") {
			t.Error("the frame of the unknown module does not say why it is not resolved")
		}
	}
}

// TestEnrichTwice: what was resolved before stays as it is, whatever symbols the next
// run has, and what was not is resolved by them.
func TestEnrichTwice(t *testing.T) {
	dir := t.TempDir()
	app := split(t, "c/O0-dw4.wasm", dir, "app", rewrite.Options{})
	lib := split(t, "cpp/O2-dw5.wasm", dir, "lib", rewrite.Options{})
	text := []byte(`{"stacktrace":{"frames":[{"function":"run","filename":"http://x/lib.wasm","instruction_addr":"0x8f"},
 {"function":"outer","filename":"http://x/app.wasm","instruction_addr":"0x193"}]},
 "debug_meta":{"images":[{"type":"wasm","code_file":"http://x/app.wasm","code_id":"APP"},{"type":"wasm","code_file":"http://x/lib.wasm","code_id":"LIB"}]}}`)
	for name, path := range map[string]string{"APP": app.companion, "LIB": lib.companion} {
		text = bytes.Replace(text, []byte(name), []byte(resolver(t, path).store.builds[0].ID().String()), 1)
	}
	enrich := func(text []byte, path string) ([]byte, Summary) {
		d, err := ParseDocument(text)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		sum, err := EnrichDocument(&out, d, resolver(t, path), JSONOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return out.Bytes(), sum
	}
	first, sum := enrich(text, app.companion)
	if diff := cmp.Diff(Summary{Frames: 2, Lines: 1, Unresolved: 1}, sum); diff != "" {
		t.Error(diff)
	}
	again, sum := enrich(first, app.companion)
	if diff := cmp.Diff(Summary{Frames: 2, Lines: 1, Unresolved: 1}, sum); diff != "" || !bytes.Equal(first, again) {
		t.Errorf("%s\nafter the second run %s\nafter the first %s", diff, again, first)
	}
	both, sum := enrich(first, lib.companion)
	if diff := cmp.Diff(Summary{Frames: 2, Lines: 2}, sum); diff != "" {
		t.Error(diff)
	}
	at := bytes.Index(first, []byte(`"function":"outer"`))
	if !bytes.Contains(both, first[at:]) || !bytes.Contains(both, []byte(`"lineno":61`)) {
		t.Errorf("got %s", both)
	}
	if all, sum := enrich(both, app.companion); !bytes.Equal(all, both) || sum.Lines != 2 {
		t.Errorf("%+v %s", sum, all)
	}
}

// TestEnrichRepeatedFrames: frames that repeat, as in a recursion, get what they
// would get alone, and one that differs in a field of its own gets that field.
func TestEnrichRepeatedFrames(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	const outer = `{"function":"outer","filename":"http://x/app.wasm","instruction_addr":"0x193","platform":"native"}`
	const app = `{"function":"outer","filename":"http://x/app.wasm","instruction_addr":"0x193","platform":"native","in_app":true}`
	enrich := func(frames ...string) (string, *Document) {
		d, err := ParseDocument([]byte(`{"stacktrace":{"frames":[` + strings.Join(frames, ",") + `]}}`))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := EnrichDocument(&out, d, r, JSONOptions{}); err != nil {
			t.Fatal(err)
		}
		text, _ := strings.CutPrefix(out.String(), `{"stacktrace":{"frames":[`)
		text, _ = strings.CutSuffix(text, "]}}")
		return text, d
	}
	a, _ := enrich(outer)
	b, _ := enrich(app)
	if n := strings.Count(b, `"in_app":true`); n != 4 || strings.Contains(a, "in_app") {
		t.Errorf("%d frames have the field in_app of the frame that they were inlined into:\n%s", n, b)
	}
	got, d := enrich(outer, app, outer, app)
	if want := strings.Join([]string{a, b, a, b}, ","); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	// What equal frames share must not be changed through one of them.
	if err := d.Set(0, statusField, 1); err != nil {
		t.Fatal(err)
	}
	if got := string(d.Bytes()); strings.Count(got, `"wasm_debugid":1}`) != 1 || !strings.HasSuffix(got, b+"]}}") {
		t.Errorf("setting a field of one frame changed others: %s", got)
	}
}

// TestCallSiteDocument: call sites get a field of ours, and lines as text.
func TestCallSiteDocument(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	const sites = `[{"functionName":"outer","fileName":"http://x/app.wasm","lineNumber":1,"columnNumber":404,"isWasm":true},{"functionName":"f","fileName":"a.js","lineNumber":1,"columnNumber":2}]`
	parse := func() *Document {
		d, err := ParseDocument([]byte(sites))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	var out bytes.Buffer
	if _, err := EnrichDocument(&out, parse(), r, JSONOptions{}); err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got) != 2 {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if s, ok := got[0]["symbolicated"].(map[string]any); !ok || s["resolved"] != true || len(s["frames"].([]any)) != 4 || got[1]["symbolicated"] != nil {
		t.Errorf("got %s", out.String())
	}
	out.Reset()
	if _, err := AnnotateDocument(&out, parse(), r, AnnotateOptions{}); err != nil {
		t.Fatal(err)
	}
	if want := "[0] outer http://x/app.wasm file 0x193\n  => level3 at ./trap.c:17:5 (inlined)\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("got %s", out.String())
	}
	out.Reset()
	if _, err := WriteDocumentJSON(&out, parse(), r, JSONOptions{}); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Bytes()) || !strings.Contains(out.String(), `"path":"[0]"`) {
		t.Errorf("got %s", out.String())
	}
}

// TestWriteJSON: one document, its keys sorted, with every frame (case G6: an
// unknown frame keeps its offset and location).
func TestWriteJSON(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	s, err := NewSources(SourceOptions{Roots: []string{filepath.Join(corpusDir, "src")}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, text := range []string{mixedTrace, "no frames\n"} {
		var out bytes.Buffer
		sum, err := WriteJSON(&out, strings.NewReader(text), resolver(t, f.companion), JSONOptions{Sources: s, Context: 1})
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Frames  []JSONFrame `json:"frames"`
			Modules []JSONBuild `json:"modules"`
			Schema  string      `json:"schema"`
			Summary Summary     `json:"summary"`
			Version int         `json:"version"`
		}
		dec := json.NewDecoder(bytes.NewReader(out.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&doc); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if doc.Schema != JSONSchema || doc.Version != JSONVersion || int64(len(doc.Frames)) != sum.Frames || doc.Summary != sum || len(doc.Modules) != 1 {
			t.Errorf("got %s", out.String())
		}
		// Sorted keys: a map gives the same text.
		var any any
		if err := json.Unmarshal(out.Bytes(), &any); err != nil {
			t.Fatal(err)
		}
		sorted, err := json.Marshal(any)
		if err != nil {
			t.Fatal(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, out.Bytes()); err != nil {
			t.Fatal(err)
		}
		if got := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(sorted)); got != compact.String() {
			t.Errorf("the keys are not sorted:\n%s", cmp.Diff(got, compact.String()))
		}
		if sum.Frames == 0 {
			continue
		}
		bad := doc.Frames[3]
		if bad.Resolved || bad.Offset == nil || *bad.Offset != 0x193 || bad.Location != "http://x/app.wasm" || bad.Line != 9 || bad.Cause != "other build" {
			t.Errorf("the frame of another build: %+v", bad)
		}
		if c := doc.Frames[1].Frames[0].Context; len(c) != 3 || c[1].Line != 61 || !strings.Contains(c[1].Text, "outer(x)") {
			t.Errorf("source lines: %+v", c)
		}
	}
}

// TestWriteSentry: a text becomes an event with an exception for each trace.
func TestWriteSentry(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	var out bytes.Buffer
	if _, err := WriteSentry(&out, strings.NewReader(mixedTrace), resolver(t, f.companion), JSONOptions{}); err != nil {
		t.Fatal(err)
	}
	d, err := ParseSentryEvent(out.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	var got struct {
		Exception struct {
			Values []struct {
				Type, Value string
				Stacktrace  struct{ Frames []map[string]any }
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	v := got.Exception.Values
	if len(v) != 3 || v[0].Type != "RuntimeError" || v[0].Value != "unreachable" || len(d.Images) != 0 {
		t.Fatalf("got %s", out.String())
	}
	var names []string
	for _, x := range v[0].Stacktrace.Frames {
		names = append(names, fmt.Sprint(x["function"]))
	}
	if diff := cmp.Diff([]string{"run", "outer", "level1", "level2", "level3"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestDocumentCalls: frames without addresses, oldest first; a JavaScript frame in
// between separates them.
func TestDocumentCalls(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	const run, outer, js = `{"function":"wasm-function[0]","platform":"wasm"}`, `{"function":"wasm-function[1]","platform":"wasm"}`, `{"function":"f","filename":"a.js"}`
	for text, inferred := range map[string]bool{run + "," + outer: true, run + "," + js + "," + outer: false, outer + "," + run: false} {
		d, err := ParseSentryEvent([]byte(`{"stacktrace":{"frames":[` + text + `]}}`))
		if err != nil {
			t.Fatal(err)
		}
		any := false
		for _, res := range d.Resolve(r) {
			any = any || res.Inferred
			if !res.Resolved() {
				t.Errorf("%s: %s", text, brief(res))
			}
		}
		if any != inferred {
			t.Errorf("%s: inferred %v", text, any)
		}
	}
}
