package buildid

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func judgeBytes(t testing.TB, module []byte, o Options) Verdict {
	t.Helper()
	f := open(t, module)
	v, err := Judge(context.Background(), f, read(t, f), o)
	if err != nil {
		t.Fatal(err)
	}
	if v.Reason == "" {
		t.Error("the verdict gives no reason")
	}
	return v
}

func TestJudgeLinkedModules(t *testing.T) {
	for name, want := range map[string]Verdict{
		"c/bid-fast.wasm":        {Freshness: Fresh, Scheme: SchemeFast},
		"c/bid-sha1.wasm":        {Freshness: Fresh, Scheme: SchemeSHA1},
		"c/bid-19.wasm":          {Freshness: Fresh, Scheme: SchemeSHA1}, // wasm-ld 19, all others 22
		"c/bid-uuid.wasm":        {Scheme: SchemeRandom},
		"c/bid-0x0011.wasm":      {Scheme: SchemeGiven},
		"cpp/bid-fast.wasm":      {Freshness: Fresh, Scheme: SchemeFast},
		"cpp/bid-sha1.wasm":      {Freshness: Fresh, Scheme: SchemeSHA1},
		"cpp/bid-19.wasm":        {Freshness: Fresh, Scheme: SchemeSHA1},
		"cpp/bid-uuid.wasm":      {Scheme: SchemeRandom},
		"cpp/bid-0x0011.wasm":    {Scheme: SchemeGiven},
		"rust/nostd-O2-dw5.wasm": {Freshness: Fresh, Scheme: SchemeSHA1}, // rustc drives wasm-ld
		"zig/lld-bid.wasm":       {Scheme: SchemeNone},                   // Zig passes no --build-id on
	} {
		t.Run(name, func(t *testing.T) {
			got := judgeBytes(t, corpus(t, name), Options{})
			if got.Freshness != want.Freshness || got.Scheme != want.Scheme {
				t.Errorf("%v, %v (%s); want %v, %v", got.Freshness, got.Scheme, got.Reason, want.Freshness, want.Scheme)
			}
		})
	}
}

// TestJudgeStale is case A3 and what follows from it: whatever is done to a file
// after the link shows, as changed where the ID says how it was made, and as
// cannot tell where the ID may be a commit.
func TestJudgeStale(t *testing.T) {
	for _, tc := range []struct {
		name    string
		changed Freshness
	}{
		{"c/bid-fast.wasm", Changed},
		{"cpp/bid-fast.wasm", Changed},
		{"c/bid-sha1.wasm", FreshnessUnknown},
		{"cpp/bid-19.wasm", FreshnessUnknown},
	} {
		module := corpus(t, tc.name)
		f := open(t, module)
		sec := f.Custom(wasm.CustomBuildID)
		variants := map[string][]byte{
			"one code byte":        patch(module, f.Code().Payload+5),
			"last name byte":       patch(module, f.Custom("name").End()-1),
			"section added":        add(module, testwasm.Custom("note", []byte("x"))),
			"stripped":             without(t, module, isDebug),
			"all customs but id":   without(t, module, func(s *wasm.Section) bool { return isCustom(s) && s.Name != wasm.CustomBuildID }),
			"id bit":               patch(module, sec.End()-1),
			"producers byte":       patch(module, f.Custom("producers").End()-1),
			"length prefix padded": bytes.Replace(module, append([]byte("build_id"), module[sec.Data]), append([]byte("build_id"), module[sec.Data]|0x80, 0), 1),
		}
		pad := variants["length prefix padded"]
		pad[sec.Offset+1]++ // the section's size, one byte wide
		for what, v := range variants {
			t.Run(tc.name+"/"+what, func(t *testing.T) {
				if got := judgeBytes(t, v, Options{}); got.Freshness != tc.changed {
					t.Errorf("%v (%s), want %v", got.Freshness, got.Reason, tc.changed)
				}
			})
		}
	}
}

// linked is a module as wasm-ld wrote it, of one data segment: the bytes before
// and behind a run of 'Z'. The identifiers at the end of tail are the linker's.
// It was made from
//
//	.section .text.f,"",@
//	.globl f
//	f: .functype f () -> (i32)
//	   i32.const blob
//	   end_function
//	.section .data.blob,"",@
//	.globl blob
//	blob: .ascii "wasm"
//	   .zero PAD, 0x5a
//	   .size blob, PAD+4
//
// with "llvm-mc-22 --triple=wasm32 -filetype=obj" and "LINKER --no-entry
// --export=f --build-id=STYLE -o NAME", PAD chosen for the size of the file.
type linked struct {
	name, linker, style string
	size                int64
	head                string
	fill                int
	tail                string
}

var linkedModules = []linked{
	{"exact-22.wasm", "wasm-ld-22", "fast", 1 << 20,
		"0061736d010000000105016000017f0302010005030100110608017f01418080040b070e02066d656d6f72790200016600000a0a0108004180808480000b0be7fe3f0100418080040bddfe3f7761736d", 1048409,
		"0039046e616d65000e0d65786163742d32322e7761736d010401000166071201000f5f5f737461636b5f706f696e74657209080100052e64617461001a086275696c645f6964101692debdd7ea5ea2b185654d86528732"},
	{"straddle-22.wasm", "wasm-ld-22", "fast", 1<<20 + 8, // the ID lies in both chunks
		"0061736d010000000105016000017f0302010005030100110608017f01418080040b070e02066d656d6f72790200016600000a0a0108004180808480000b0becfe3f0100418080040be2fe3f7761736d", 1048414,
		"003c046e616d650011107374726164646c652d32322e7761736d010401000166071201000f5f5f737461636b5f706f696e74657209080100052e64617461001a086275696c645f6964109c3e5c6e65cc5158938b3d28e9c37891"},
	{"two-22.wasm", "wasm-ld-22", "fast", 2 << 20,
		"0061736d010000000105016000017f0302010005030100210608017f01418080040b070e02066d656d6f72790200016600000a0a0108004180808480000b0be9fe7f0100418080040bdffe7f7761736d", 2096987,
		"0037046e616d65000c0b74776f2d32322e7761736d010401000166071201000f5f5f737461636b5f706f696e74657209080100052e64617461001a086275696c645f69641006468b11c294567981673ee8a6c6bea9"},
	{"sha1two-19.wasm", "wasm-ld-19", "sha1", 2 << 20,
		"0061736d010000000105016000017f0302010005030100220609017f0141e08684010b070e02066d656d6f72790200016600000a0a0108004180888080000b0be0fe7f01004180080bd7fe7f7761736d", 2096979,
		"003b046e616d6500100f7368613174776f2d31392e7761736d010401000166071201000f5f5f737461636b5f706f696e74657209080100052e64617461001e086275696c645f696414fb2ac1fcf84e8fbac4ea15d0f8c445bbe3da484c"},
	{"sha1-22.wasm", "wasm-ld-22", "sha1", 3<<20 + 10,
		"0061736d010000000105016000017f0302010005030100310608017f01418080040b070e02066d656d6f72790200016600000a0a0108004180808480000b0bedfebf010100418080040be2febf017761736d", 3145566,
		"0038046e616d65000d0c736861312d32322e7761736d010401000166071201000f5f5f737461636b5f706f696e74657209080100052e64617461001e086275696c645f696414e9c5d8f9ed92afc8c453ff66d236d083505cecf4"},
	{"four-19.wasm", "wasm-ld-19", "fast", 3<<20 + 12345,
		"0061736d010000000105016000017f0302010005030100320609017f0141a0e7c4010b070e02066d656d6f72790200016600000a0a0108004180888080000b0b9fdfc00101004180080b95dfc0017761736d", 3157905,
		"0038046e616d65000d0c666f75722d31392e7761736d010401000166071201000f5f5f737461636b5f706f696e74657209080100052e64617461001a086275696c645f6964103bf38b85d564525987aecc429b535a0e"},
}

func (l linked) bytes(t testing.TB) []byte {
	b := append(unhex(t, l.head), bytes.Repeat([]byte("Z"), l.fill)...)
	b = append(b, unhex(t, l.tail)...)
	if int64(len(b)) != l.size {
		t.Fatalf("%s has %d bytes, want %d", l.name, len(b), l.size)
	}
	return b
}

// TestJudgeChunks recomputes the IDs of modules at and around the borders of
// wasm-ld's chunks, with any number of workers.
func TestJudgeChunks(t *testing.T) {
	for _, l := range linkedModules {
		t.Run(l.name, func(t *testing.T) {
			module := l.bytes(t)
			for w := 1; w <= 8; w++ {
				v := judgeBytes(t, module, Options{Workers: w})
				if v.Freshness != Fresh || v.Scheme.String() != l.style {
					t.Errorf("%d workers: %v, %v (%s)", w, v.Freshness, v.Scheme, v.Reason)
				}
			}
			module[l.size/2] ^= 1
			if v := judgeBytes(t, module, Options{}); v.Freshness == Fresh {
				t.Error("a changed byte went unnoticed")
			}
		})
	}
}

// TestJudgeRealLinker links modules now, where the linkers are installed.
func TestJudgeRealLinker(t *testing.T) {
	mc, err := exec.LookPath("llvm-mc-22")
	if err != nil {
		t.Skip("llvm-mc-22 is not installed")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
	}
	const pad = 1<<20 + 4321
	src := fmt.Sprintf("\t.section .text.f,\"\",@\n\t.globl f\nf:\n\t.functype f () -> (i32)\n\ti32.const blob\n\tend_function\n"+
		"\t.section .data.blob,\"\",@\n\t.globl blob\nblob:\n\t.zero %d, 0x33\n\t.size blob, %d\n", pad, pad)
	if err := os.WriteFile(filepath.Join(dir, "m.s"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	run(mc, "--triple=wasm32", "-filetype=obj", "m.s", "-o", "m.o")
	for _, linker := range []string{"wasm-ld-19", "wasm-ld-22"} {
		for style, want := range map[string]Verdict{
			"--build-id":           {Freshness: Fresh, Scheme: SchemeFast},
			"--build-id=fast":      {Freshness: Fresh, Scheme: SchemeFast},
			"--build-id=sha1":      {Freshness: Fresh, Scheme: SchemeSHA1},
			"--build-id=tree":      {Freshness: Fresh, Scheme: SchemeSHA1},
			"--build-id=uuid":      {Scheme: SchemeRandom},
			"--build-id=0xabcd":    {Scheme: SchemeGiven},
			"--build-id=none":      {Scheme: SchemeNone},
			"--no-gc-sections":     {Scheme: SchemeNone},
			"--build-id=0x" + id20: {Scheme: SchemeSHA1},
		} {
			t.Run(linker+" "+style, func(t *testing.T) {
				if _, err := exec.LookPath(linker); err != nil {
					t.Skip(linker + " is not installed")
				}
				run(linker, "--no-entry", "--export=f", style, "m.o", "-o", "m.wasm")
				b, err := os.ReadFile(filepath.Join(dir, "m.wasm"))
				if err != nil {
					t.Fatal(err)
				}
				if v := judgeBytes(t, b, Options{}); v.Freshness != want.Freshness || v.Scheme != want.Scheme {
					t.Errorf("%v, %v (%s)", v.Freshness, v.Scheme, v.Reason)
				}
			})
		}
	}
}

func TestJudgeNoSingleID(t *testing.T) {
	base := testwasm.Sample()
	for name, sections := range map[string][]testwasm.Section{
		"absent":    nil,
		"malformed": {idSection([]byte{16, 1})},
		"conflict":  {testwasm.BuildID([]byte("abcd")), testwasm.BuildID([]byte("abce"))},
	} {
		v := judgeBytes(t, add(testwasm.Build(testwasm.Without(base, wasm.CustomBuildID)...), sections...), Options{})
		if v.Freshness != FreshnessUnknown || v.Scheme != SchemeNone || !strings.Contains(v.Reason, name) {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func TestJudgeBytesBounds(t *testing.T) {
	data := make([]byte, 100)
	id := make(ID, 20)
	for _, at := range []int64{-1, 81, 100, 1 << 62} {
		if _, err := JudgeBytes(context.Background(), bytes.NewReader(data), 100, at, id, Options{}); err == nil {
			t.Errorf("offset %d was accepted", at)
		}
	}
	if v, err := JudgeBytes(context.Background(), bytes.NewReader(data), 100, 80, id, Options{}); err != nil || v.Freshness != FreshnessUnknown {
		t.Errorf("%v, %v", v, err)
	}
	if v, err := JudgeBytes(context.Background(), bytes.NewReader(data), 100, 80, nil, Options{}); err != nil || v.Scheme != SchemeNone {
		t.Errorf("%v, %v", v, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := JudgeBytes(ctx, bytes.NewReader(data), 100, 80, id, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := JudgeBytes(context.Background(), bytes.NewReader(data[:50]), 100, 80, id, Options{}); err == nil {
		t.Error("a short file was accepted")
	}
}

func TestSchemeOf(t *testing.T) {
	for in, want := range map[string]Scheme{
		"301da0476a2b59a1a8810078e1c86e81":         SchemeFast,
		"301da0476a2b49a1a8810078e1c86e81":         SchemeRandom,
		"301da0476a2b89a1b8810078e1c86e81":         SchemeContent,
		"301da0476a2b59a1c8810078e1c86e81":         SchemeGiven, // another variant
		"301da0476a2b19a1a8810078e1c86e81":         SchemeGiven,
		"88e6b79685cee6f31b151028da3df0e1c3619eaf": SchemeSHA1,
		"ab": SchemeGiven,
	} {
		id, err := ParseID(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := SchemeOf(id); got != want {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
}
