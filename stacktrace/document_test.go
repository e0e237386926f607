package stacktrace

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docSummary adds what only document frames have.
type docSummary struct {
	Path  string
	Image int
	summary
}

func checkDocument(t *testing.T, d *Document, err error, want []docSummary) {
	t.Helper()
	if err != nil {
		t.Error(err)
		return
	}
	var got []docSummary
	for i := range d.Frames {
		f := &d.Frames[i]
		got = append(got, docSummary{f.Path, f.Image, summarise(nil, &f.Frame)})
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Offset{}, docSummary{})); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	if !bytes.Equal(d.Bytes(), d.text) {
		t.Errorf("the document changed by being read: %s", d.Bytes())
	}
}

const sentryEvent = `{"event_id":"9", "exception" : {"values":[{"type":"RuntimeError","stacktrace":{"frames":[
 {"function":"run","filename":"https://app.example/boot.js","lineno":17,"colno":31},
 {"function":"wasm-function[44]","filename":"https://x/a.wasm","instruction_addr":"0x30aa","addr_mode":"rel:1","x":1e400},
 {"function":"div_u","abs_path":"https://x/a.wasm","instruction_addr":12048,"in_app":true},
 {"function":"?","filename":"https://x/b.wasm:wasm-function[3]:0x1f"},
 {"function":"lost","platform":"native","filename":"https://unknown.example/c.wasm","instruction_addr":"0x77"},
 {"function":"native","package":"libc.so","instruction_addr":"0x77"},
 {"platform":"native","instruction_addr":"0x10","addr_mode":"rel:0"},
 "nonsense", {} ]}}]},
 "threads":{"values":[{"id":1,"stacktrace":{"frames":[{"package":"https://x/a.wasm","instruction_addr":"0x1001"}]}}]},
 "stacktrace":{"frames":[{"filename":"wasm://wasm/00013d22","instruction_addr":"0x2f10"}]},
 "debug_meta":{"images":[{"type":"elf","image_addr":"0x1000"},
  {"type":"wasm","code_id":"aabb","debug_id":"1-2","code_file":"https://x/a.wasm","debug_file":"a.debug.wasm","image_addr":"0x0","more":[1,{}]}]},
 "zzz":"last"}
`

func TestSentryEvent(t *testing.T) {
	d, err := ParseSentryEvent([]byte(sentryEvent))
	ex := "exception.values[0].stacktrace.frames"
	s := func(path string, image, index int, off int64, name, loc string, kind LocationKind, doubts Doubts) docSummary {
		sep := "."
		if name == "-" {
			sep = ""
		}
		return docSummary{path, image, summary{Shape: ShapeSentry, Number: -1, Index: index, Offset: file(off), Name: name, Sep: sep, Loc: loc, Kind: kind, Doubts: doubts}}
	}
	checkDocument(t, d, err, []docSummary{
		s(ex+"[1]", 1, 44, 0x30aa, "-", "https://x/a.wasm", LocationURL, 0),
		s(ex+"[2]", 1, -1, 12048, "div_u", "https://x/a.wasm", LocationURL, DoubtNoIndex),
		s(ex+"[3]", -1, 3, 0x1f, "-", "https://x/b.wasm", LocationURL, 0),
		s(ex+"[4]", -1, -1, 0x77, "lost", "https://unknown.example/c.wasm", LocationURL, DoubtNoIndex), // case G6
		s("threads.values[0].stacktrace.frames[0]", 1, -1, 0x1001, "-", "https://x/a.wasm", LocationURL, DoubtNoIndex),
		s("stacktrace.frames[0]", -1, -1, 0x2f10, "-", "wasm://wasm/00013d22", LocationV8Label, DoubtNoIndex),
	})
	want := []Image{
		{Type: "elf", Addr: 0x1000},
		{Type: "wasm", CodeID: "aabb", DebugID: "1-2", CodeFile: "https://x/a.wasm", DebugFile: "a.debug.wasm"},
	}
	if !slices.Equal(d.Images, want) {
		t.Errorf("images %+v", d.Images)
	}
}

// TestSentryImages: of images with one URL the first of type wasm is meant.
func TestSentryImages(t *testing.T) {
	d, err := ParseSentryEvent([]byte(`{"debug_meta":{"images":[{"type":"elf","code_file":"a"},{"type":"wasm"},{"type":"wasm","code_file":"a"},{"type":"wasm","code_file":"a"},{"type":"wasm","code_file":"b"}]},
 "stacktrace":{"frames":[{"filename":"a","instruction_addr":"0x1"},{"abs_path":"x.js","filename":"b","instruction_addr":"0x1"},{"filename":"c.wasm","instruction_addr":"0x1"},{"package":"a","filename":"c","instruction_addr":"0x1"}]}}`))
	if err != nil || len(d.Frames) != 4 {
		t.Fatalf("%+v %v", d, err)
	}
	for i, want := range []int{2, 4, -1, 2} {
		if got := d.Frames[i].Image; got != want {
			t.Errorf("frame %d is of image %d, not %d", i, got, want)
		}
	}
}

func TestSentryAddressModes(t *testing.T) {
	for _, c := range []struct {
		frame string
		want  Offset
		doubt Doubts
	}{
		{`"instruction_addr":"0x1010"`, file(0x10), DoubtNoIndex},
		{`"instruction_addr":"0x1010","addr_mode":"abs"`, file(0x10), DoubtNoIndex},
		{`"instruction_addr":"0x1010","addr_mode":"rel:0"`, file(0x1010), DoubtNoIndex},
		{`"instruction_addr":"0xfff"`, Offset{}, DoubtNoIndex | DoubtRange},
		{`"instruction_addr":"0x10000000000000000"`, Offset{}, DoubtNoIndex},
		{`"instruction_addr":-4`, Offset{}, DoubtNoIndex},
	} {
		d, err := ParseSentryEvent([]byte(`{"debug_meta":{"images":[{"type":"wasm","code_file":"a","image_addr":"0x1000"}]},"stacktrace":{"frames":[{"filename":"a",` + c.frame + `}]}}`))
		if err != nil || len(d.Frames) != 1 || d.Frames[0].Offset != c.want || d.Frames[0].Doubts != c.doubt || d.Frames[0].Image != 0 {
			t.Errorf("%s: %+v %v", c.frame, d, err)
		}
	}
}

// TestSetFields: additions land in their frames and nothing else changes.
func TestSetFields(t *testing.T) {
	d, err := ParseSentryEvent([]byte(sentryEvent))
	if err != nil {
		t.Fatal(err)
	}
	set := func(i int, name string, value any) {
		t.Helper()
		if err := d.Set(i, name, value); err != nil {
			t.Fatal(err)
		}
	}
	set(0, "lineno", 12)
	set(0, "lineno", 13)
	set(0, "function", "<a & b>")
	set(0, "function", "<b & c>")
	set(5, "lineno", 5)
	if err := d.Insert(1, false, map[string]any{"function": "inlined"}); err != nil {
		t.Fatal(err)
	}
	if err := d.Insert(1, true, "before"); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		`"x":1e400}`, `"x":1e400,"lineno":13}`,
		`"function":"wasm-function[44]"`, `"function":"<b & c>"`,
		` {"function":"div_u",`, ` "before",{"function":"div_u",`,
		`"in_app":true}`, `"in_app":true},{"function":"inlined"}`,
		`"instruction_addr":"0x2f10"}`, `"instruction_addr":"0x2f10","lineno":5}`,
	).Replace(sentryEvent)
	if got := string(d.Bytes()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if d.Set(99, "a", 1) == nil || d.Set(0, "a", func() {}) == nil || d.Insert(-1, false, 1) == nil || d.Insert(0, false, func() {}) == nil {
		t.Error("no error for a frame or value that cannot be")
	}
}

func TestSetEmptyObject(t *testing.T) {
	d := &Document{text: []byte("[ { } ]"), Frames: []DocumentFrame{{object: jsonValue{kind: '{', start: 2, end: 5}}}}
	for i, name := range []string{"a", "b", "a"} {
		if err := d.Set(0, name, i); err != nil {
			t.Fatal(err)
		}
	}
	var got []map[string]int
	if err := json.Unmarshal(d.Bytes(), &got); err != nil || len(got) != 1 || got[0]["a"] != 2 || got[0]["b"] != 1 {
		t.Errorf("%s: %v", d.Bytes(), err)
	}
	if err := d.Insert(0, true, 1); err == nil {
		t.Error("inserted beside something that is in no list")
	}
}

func TestCallSites(t *testing.T) {
	c := func(path string, index int, off Offset, name, loc string, kind LocationKind, doubts Doubts) docSummary {
		sep := "."
		if name == "-" {
			sep = ""
		}
		return docSummary{path, -1, summary{Shape: ShapeV8CallSite, Number: -1, Index: index, Offset: off, Name: name, Sep: sep, Loc: loc, Kind: kind, Doubts: doubts}}
	}
	label := "wasm://wasm/74a48abe"
	d, err := ParseCallSites([]byte(`[
	 {"functionName":"plain","fileName":"wasm://wasm/74a48abe","lineNumber":1,"columnNumber":61,"position":60,"isWasm":true,"isAsync":false},
	 {"functionName":null,"scriptNameOrSourceURL":"https://x/a.wasm?v=1","lineNumber":1,"columnNumber":62.0},
	 {"functionName":"f","fileName":"wasm://wasm/74a48abe","position":70,"wasmFunctionIndex":4},
	 {"functionName":"f","fileName":"wasm://wasm/74a48abe","lineNumber":1,"columnNumber":60,"position":60},
	 {"functionName":"f","fileName":"https://x/odd","isWasm":true,"lineNumber":2,"columnNumber":60},
	 {"functionName":"run","fileName":"https://x/boot.js","lineNumber":1,"columnNumber":61},
	 {"functionName":"run","fileName":"https://x/a.wasm","isWasm":false,"lineNumber":1,"columnNumber":61}, 5 ]`))
	checkDocument(t, d, err, []docSummary{
		c("[0]", -1, file(60), "plain", label, LocationV8Label, DoubtNoIndex),
		c("[1]", -1, file(61), "-", "https://x/a.wasm?v=1", LocationURL, DoubtNoIndex),
		c("[2]", 4, file(70), "f", label, LocationV8Label, 0),
		c("[3]", -1, file(60), "f", label, LocationV8Label, DoubtNoIndex|DoubtForm),
		c("[4]", -1, Offset{}, "f", "https://x/odd", LocationURL, DoubtNoIndex),
	})
	// As the debugging protocol of Node.js 20 gives it.
	d, err = ParseCallSites([]byte(`{"stackTrace":{"callFrames":[{"functionName":"$with space","scriptId":"109","url":"wasm://wasm/74a48abe","lineNumber":0,"columnNumber":65}]}}`))
	checkDocument(t, d, err, []docSummary{
		c("stackTrace.callFrames[0]", -1, file(65), "with space", label, LocationV8Label, DoubtNoIndex),
	})
}

// TestCallSitesNode compares with what Node.js reports through both interfaces.
func TestCallSitesNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	script := `const fs=require("fs"),{Session}=require("inspector");
globalThis.i=new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(process.argv[1])));
const s=new Session();s.connect();s.post("Runtime.enable");
s.post("Runtime.evaluate",{expression:"i.exports.entry()"},(_,r)=>console.log(JSON.stringify(r.exceptionDetails.stackTrace)));
Error.stackTraceLimit=100;
Error.prepareStackTrace=(_,c)=>JSON.stringify(c.map(c=>({functionName:c.getFunctionName(),fileName:c.getFileName(),lineNumber:c.getLineNumber(),columnNumber:c.getColumnNumber(),position:c.getPosition()})));
try{i.exports.entry()}catch(e){console.log(e.stack)}`
	out, err := exec.Command(node, "-e", script, filepath.Join(tracesDir, "weird.wasm")).Output()
	docs := bytes.SplitN(out, []byte("\n"), 2)
	if err != nil || len(docs) != 2 {
		t.Fatalf("node: %v\n%s", err, out)
	}
	l := readLayout(t, "weird")
	for i, doc := range docs {
		d, err := ParseDocument(doc)
		if err != nil || len(d.Frames) < 10 {
			t.Fatalf("document %d: %v\n%s", i, err, doc)
		}
		for j := range min(len(d.Frames), len(l.Funcs)) {
			f, fn := &d.Frames[j], l.Funcs[j]
			off, ok := f.Offset.File()
			if pc := int64(off) - l.CodeStart; !ok || pc < fn.Body || pc >= fn.End {
				t.Errorf("document %d, frame %d: offset %v is outside of function %d", i, j, f.Offset, j)
			}
			// The protocol of Node.js 20 takes the bytes of a name for Latin-1.
			if ascii := strings.IndexFunc(fn.Name, func(r rune) bool { return r > 0x7f }) < 0; (ascii || i > 0) && string(f.Name) != fn.Name {
				t.Errorf("document %d, frame %d: name %q, want %q", i, j, f.Name, fn.Name)
			}
		}
	}
}

func TestGeckoError(t *testing.T) {
	page := "http://127.0.0.1:39641/ line 13 > WebAssembly.Module"
	g := func(path string, off int64, loc string, kind LocationKind, doubts Doubts) docSummary {
		return docSummary{path, -1, summary{Shape: ShapeGeckoLine, Number: -1, Index: -1, Name: "-", Offset: file(off), Loc: loc, Kind: kind, Doubts: doubts}}
	}
	d, err := ParseGeckoError([]byte(`{"name":"RuntimeError","fileName":"` + page + `","lineNumber":485,"columnNumber":1}`))
	checkDocument(t, d, err, []docSummary{g("", 485, page, LocationGecko, DoubtNoIndex)})
	d, err = ParseGeckoError([]byte(`{"errors":[{"cause":{"fileName":"https://x/a.wasm?v=1","lineNumber":"60","columnNumber":7}}, {"fileName":"https://x/a.js","lineNumber":60}]}`))
	checkDocument(t, d, err, []docSummary{g("errors[0].cause", 60, "https://x/a.wasm?v=1", LocationURL, DoubtNoIndex|DoubtForm)})
	d, err = ParseGeckoError([]byte(`{"fileName":"https://x/a.js","lineNumber":60}`))
	checkDocument(t, d, err, nil)
}

func TestDocumentErrors(t *testing.T) {
	deep := strings.Repeat("[", 100000)
	for _, text := range []string{"", "{", `{"a":}`, "[1,]", `"\x"`, "nul", "\xff", "{} {}", deep, deep + strings.Repeat("]", 100000)} {
		if _, err := ParseDocument([]byte(text)); err == nil || errors.Is(err, ErrNoFrames) || !strings.Contains(err.Error(), "JSON") {
			t.Errorf("%.20q: error %v", text, err)
		}
	}
	for _, text := range []string{"{}", "null", `"a"`, "1", `{"exception":{"values":[]}}`, `{"exception":5,"threads":{"values":3},"debug_meta":[]}`, `{"stacktrace":{"frames":{}}}`, `{"stack":"a@b"}`} {
		if _, err := ParseDocument([]byte(text)); !errors.Is(err, ErrNoFrames) {
			t.Errorf("%q: error %v", text, err)
		}
	}
	if d, err := ParseDocument([]byte("[]")); err != nil || len(d.Frames) != 0 {
		t.Errorf("an empty list: %v", err)
	}
}

// TestDuplicateFields: the last of two fields of one name counts, as it does
// for encoding/json, and is the one that Set replaces.
func TestDuplicateFields(t *testing.T) {
	d, err := ParseCallSites([]byte(`[{"position":1,"fileName":"a.wasm","position":2,"x":0}]`))
	if err != nil || len(d.Frames) != 1 || d.Frames[0].Offset != file(2) {
		t.Fatalf("%+v %v", d, err)
	}
	if err := d.Set(0, "position", 3); err != nil {
		t.Fatal(err)
	}
	if got, want := string(d.Bytes()), `[{"position":1,"fileName":"a.wasm","position":3,"x":0}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
