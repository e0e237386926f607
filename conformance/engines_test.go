package conformance

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// bothEngines are the engines that there are on this machine.
var bothEngines = engines()

func engines() []Engine {
	if compilerAvailable(context.Background()) {
		return []Engine{Interpreter, Compiler}
	}
	return []Engine{Interpreter}
}

// needsCompiler skips a test where there is no compiler.
func needsCompiler(t testing.TB) {
	t.Helper()
	if len(bothEngines) < 2 {
		t.Skip("wazero has no compiler for this machine")
	}
}

// runCalls makes calls in one engine and returns what became of them.
func runCalls(t testing.TB, e Engine, m *module, s *Scenario) (*driven, *watch) {
	t.Helper()
	l := quick.withDefaults()
	image, err := m.copyModule(copyOptions{tableMax: uint64(l.TableElements)})
	if err != nil {
		t.Fatal(err)
	}
	w := newWatch(e, m, &l, newCollector())
	r, err := newRunner(context.Background(), e, m, image, s, &l, w)
	if err != nil {
		t.Fatalf("%s in the %s: %v", m.path, e, err)
	}
	defer r.close(context.Background())
	d, err := r.drive(context.Background(), w.frames)
	if err != nil {
		t.Fatal(err)
	}
	return d, w
}

func outline(t testing.TB, path string, b []byte) *module {
	t.Helper()
	l := quick.withDefaults()
	m, err := readModule(path, open(t, path, b).File, &l)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}

// argument is what run(case, argument) of the corpus is called with.
func argument(dir, name string) Arg {
	switch {
	case dir == "c" && name == "1":
		return "1"
	case dir == "cpp" && name == "1":
		return "9"
	}
	return "20"
}

// corpusOffset is a line of offsets.tsv: where V8 trapped.
type corpusOffset struct {
	name  string
	start wasm.FileOffset
	at    []wasm.CodeOffset
}

// offsetsOfV8 reads testdata/corpus/offsets.tsv by module.
func offsetsOfV8(t testing.TB) (names []string, by map[string][]corpusOffset) {
	t.Helper()
	by = map[string][]corpusOffset{}
	for line := range strings.Lines(string(read(t, corpus+"/offsets.tsv"))) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(fields) < 4 {
			continue
		}
		number := func(s string) int64 {
			v, err := strconv.ParseInt(s, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		o := corpusOffset{name: fields[1], start: wasm.FileOffset(number(fields[2]))}
		for _, f := range fields[3:] {
			o.at = append(o.at, wasm.CodeOffset(number(f)))
		}
		if by[fields[0]] == nil {
			names = append(names, fields[0])
		}
		by[fields[0]] = append(by[fields[0]], o)
	}
	return names, by
}

// TestOffsetsOfV8 holds wazero's offsets against those that V8 printed for the
// same traps of the unstripped modules: both engines, every frame.
func TestOffsetsOfV8(t *testing.T) {
	names, by := offsetsOfV8(t)
	compared, skipped := 0, 0
	for _, name := range names {
		p := corpusPair(t, name)
		l := quick.withDefaults()
		m, err := readModule(name, open(t, name, p.production).File, &l)
		if err != nil {
			if !strings.Contains(name, "mem64") && !strings.Contains(name, "eh-legacy") {
				t.Errorf("%s: %v", name, err)
			}
			skipped++
			continue
		}
		s := &Scenario{}
		for _, o := range by[name] {
			s.Calls = append(s.Calls, Call{Export: "run", Args: []Arg{Arg(o.name), argument(filepath.Dir(name), o.name)}})
		}
		for _, e := range bothEngines {
			d, _ := runCalls(t, e, m, s)
			for i, o := range by[name] {
				var got []wasm.CodeOffset
				for _, f := range places(d.results[len(d.results)-len(by[name])+i].outcome.frames) {
					got = append(got, f.Code)
				}
				compared += len(got)
				if !slices.Equal(got, o.at) {
					t.Errorf("%s case %s in the %s: %v, V8 has %v (%s)", name, o.name, e, got, o.at, d.results[len(d.results)-len(by[name])+i].outcome.text)
				}
			}
		}
	}
	t.Logf("%d offsets of %d modules compared, %d modules not run", compared, len(names)-skipped, skipped)
	if compared < 900*len(bothEngines) {
		t.Errorf("only %d offsets compared", compared)
	}
}

var v8Frame = regexp.MustCompile(`wasm-function\[(\d+)\]:0x([0-9a-f]+)\b`)

// TestEveryKindOfTrap compares with Node's traces of every kind of trap and host
// call: F must be the code start and what wazero reports. It also pins the text
// that the engine's frames are read from.
func TestEveryKindOfTrap(t *testing.T) {
	for _, name := range []string{"named", "nonames", "padded"} {
		m := outline(t, name, read(t, corpus+"/traces/traps-"+name+".wasm"))
		trace := string(read(t, corpus+"/traces/node20-"+name+"-sync.txt"))
		for _, e := range bothEngines {
			kinds := 0
			for _, section := range strings.Split(trace, "\n== ")[1:] {
				export, text, _ := strings.Cut(section, "\n")
				if _, inHost, ok := strings.Cut(text, "HOSTSTACK"); ok {
					text, _, _ = strings.Cut(inHost, "\n  STACK")
				}
				var want []Frame
				for _, f := range v8Frame.FindAllStringSubmatch(text, -1) {
					index, _ := strconv.Atoi(f[1])
					at, _ := strconv.ParseInt(f[2], 16, 64)
					c, ok := m.span.Code(wasm.FileOffset(at))
					if !ok {
						t.Fatalf("%s: %s is not in the code", export, f[0])
					}
					want = append(want, Frame{uint32(index), c})
				}
				d, w := runCalls(t, e, m, &Scenario{Calls: []Call{{Export: export}}})
				out := d.results[0].outcome
				got := places(out.frames)
				switch {
				case export == "recurse":
					// V8 reports the body of the function that no longer fits; here a limit
					// ends it, and the callers are at the call.
					got, want = got[2:9], want[2:9]
				case strings.Contains(export, "host"):
					if out.ended != returned {
						t.Errorf("%s: %v", export, out.text)
					}
					got = nil
					for _, f := range want {
						if w.frames.seen[f] != nil {
							got = append(got, f)
						}
					}
					if len(w.frames.seen) != len(want) || len(want) != 3 {
						t.Errorf("%s %s in the %s: %d places, want %d", name, export, e, len(w.frames.seen), len(want))
					}
				}
				kinds++
				if len(want) < 3 || !slices.Equal(got, want) {
					t.Errorf("%s %s in the %s:\n got %v\nwant %v\n%s", name, export, e, got, want, out.text)
				}
			}
			if kinds != 27 {
				t.Errorf("%s: %d kinds of traps", name, kinds)
			}
		}
	}
}

// TestWithoutTheShim shows that the synthetic unit is what makes offsets appear:
// if this fails, the engine has learned to report them by itself.
func TestWithoutTheShim(t *testing.T) {
	m := outline(t, "traps", read(t, corpus+"/traces/traps-named.wasm"))
	l := quick.withDefaults()
	image, err := m.copyModule(copyOptions{ownDWARF: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range bothEngines {
		r, err := newRunner(context.Background(), e, m, image, &Scenario{Calls: []Call{{Export: "unreachable"}}}, &l, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.drive(context.Background(), newCollector())
		r.close(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		frames := d.results[0].outcome.frames
		if len(frames) != 3 || len(places(frames)) != 0 || frames[0].Index != 1 {
			t.Errorf("%s: %+v", e, frames)
		}
	}
}

// TestForgedFrames: names that the module chooses must not look like frames.
func TestForgedFrames(t *testing.T) {
	for text, want := range map[string]int{
		"wasm error: unreachable\nwasm stack trace:\n\t.$3(i32)\n\t\t0x25: @shim:1\n\t.$4()\n\t\t0x30: @shim:1":                  2,
		"wasm error: x\nwasm stack trace:\n\thost.import0(i32) i32\n\t.$4()\n\t\t0x30: @shim:1\n\t... maybe followed by omitted": 1,
		"x (recovered by wazero)\nwasm stack trace:\n\t.$4()\n\t\t0x30: @shim:1\n\nGo runtime stack trace:\n\t.$9()\n\t\t0x1: a": 1,
		"nothing": 0,
		"wasm error: x\nwasm stack trace:\n\t.$99999999999()\n\t\t0x30: @shim:1":                             0,
		"wasm error: x\nwasm stack trace:\n\t.$1()\n\t\t0x3f0000000000: @shim:1":                             0,
		"wasm error: x\nwasm stack trace:\n\t.$1()\n\t\t0x30: a.c:1:2 (inlined)\n\t\t      b.c:4:4\n\t.$2()": 1,
	} {
		if got := places(parseFrames(text)); len(got) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	frames := parseFrames("e\n\t.$1()\n\t\t0x30: a.c:1:2 (inlined)\n\t\t      b.c:4:4")
	if len(frames) != 1 || !slices.Equal(frames[0].lines, []string{"a.c:1:2 (inlined)", "b.c:4:4"}) {
		t.Errorf("%+v", frames)
	}
}

// TestDeepStacks: the callers of a host call are seen far beyond what the engine
// prints.
func TestDeepStacks(t *testing.T) {
	p := deepCaller(t, 500)
	r := p.run(t, Options{Scenario: &Scenario{Calls: []Call{{Export: "down", Args: []Arg{"500"}}}}, NoSweep: true, Engines: []Engine{Interpreter}}, false)
	if r.Subject.Verdict != report.Pass || r.Reports < 500 || r.Offsets != 2 {
		t.Errorf("%v, %d frames at %d offsets%s", r.Subject.Verdict, r.Reports, r.Offsets, messages(r))
	}
}
