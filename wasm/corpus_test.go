package wasm_test

import (
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// corpus opens every module under testdata/corpus.
func corpus(t *testing.T, check func(t *testing.T, name string, f *wasm.File)) {
	t.Helper()
	root := filepath.Join("..", "testdata", "corpus")
	n := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".wasm") || filepath.Base(filepath.Dir(name)) == "component" {
			return err
		}
		n++
		t.Run(filepath.ToSlash(strings.TrimPrefix(name, root))[1:], func(t *testing.T) {
			f, err := wasm.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			check(t, name, f)
		})
		return nil
	})
	if err != nil || n < 10 {
		t.Fatalf("%d modules, %v", n, err)
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Logf("%s %v: %v", name, args, err)
	}
	return string(out)
}

// TestCorpusAgainstWabt compares section tables with those of wasm-objdump -h.
func TestCorpusAgainstWabt(t *testing.T) {
	objdump, err := exec.LookPath("wasm-objdump")
	if err != nil {
		t.Skip("wasm-objdump (wabt) is not installed: section tables are not compared with its own")
	}
	//    Type start=0x0000000a end=0x0000001c (size=0x00000012) count: 3
	//  Custom start=0x0000018b end=0x0000027a (size=0x000000ef) ".debug_loclists"
	line := regexp.MustCompile(`(?m)^ *([A-Za-z]+) start=0x([0-9a-f]+) end=0x([0-9a-f]+) \(size=0x([0-9a-f]+)\)(?: "(.*)")?`)
	names := map[wasm.SectionID]string{wasm.SectionElement: "Elem", wasm.SectionDataCount: "DataCount"}
	corpus(t, func(t *testing.T, name string, f *wasm.File) {
		var want, got []string
		for _, m := range line.FindAllStringSubmatch(run(t, objdump, "-h", name), -1) {
			want = append(want, fmt.Sprintf("%s %s..%s %s %s", m[1], m[2], m[3], m[4], m[5]))
		}
		for i := range f.Sections {
			s := &f.Sections[i]
			id, ok := names[s.ID]
			if !ok {
				id = strings.ToUpper(s.ID.String()[:1]) + s.ID.String()[1:]
			}
			got = append(got, fmt.Sprintf("%s %08x..%08x %08x %s", id, int64(s.Payload), int64(s.End()), s.Size, s.Name))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// TestCorpusAgainstLLVM compares section tables with those of llvm-objdump -h.
func TestCorpusAgainstLLVM(t *testing.T) {
	objdump, err := exec.LookPath("llvm-objdump-22")
	if err != nil {
		t.Skip("llvm-objdump-22 is not installed: section tables are not compared with its own")
	}
	//   9 .debug_loclists    000000df 0000018b
	// The last number is F of the payload, in 16 digits where memory has 64 bits,
	// and 0 for relocatable and dynamic modules.
	line := regexp.MustCompile(`(?m)^ *[0-9]+ (.*?) +([0-9a-f]{8}) ([0-9a-f]{8,16})(?: [A-Z, ]*)?$`)
	names := map[wasm.SectionID]string{wasm.SectionElement: "ELEM", wasm.SectionDataCount: "DATACOUNT"}
	compared := 0
	corpus(t, func(t *testing.T, name string, f *wasm.File) {
		out := run(t, objdump, "-h", name)
		if !strings.Contains(out, "Idx Name") {
			t.Skip("llvm-objdump does not read this module")
		}
		compared++
		var want, got []string
		placed := false
		for _, m := range line.FindAllStringSubmatch(out, -1) {
			at, err := strconv.ParseInt(m[3], 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			placed = placed || at != 0
			want = append(want, fmt.Sprintf("%s %s at %#x", m[1], m[2], at))
		}
		for i := range f.Sections {
			s := &f.Sections[i]
			id, ok := names[s.ID]
			switch {
			case s.ID == wasm.SectionCustom:
				id = s.Name
			case !ok:
				id = strings.ToUpper(s.ID.String())
			}
			at := s.Payload
			if !placed {
				at = 0
			}
			got = append(got, fmt.Sprintf("%s %08x at %v", id, s.DataSize(), at))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
	if compared < 10 {
		t.Errorf("only %d modules were compared", compared)
	}
}

// TestCorpusNamesAgainstWabt compares the names of functions with those that
// wasm-objdump prints.
func TestCorpusNamesAgainstWabt(t *testing.T) {
	objdump, err := exec.LookPath("wasm-objdump")
	if err != nil {
		t.Skip("wasm-objdump (wabt) is not installed: names are not compared with its own")
	}
	//   - func[0] <__wasm_call_ctors>
	line := regexp.MustCompile(`(?m)^ - func\[(\d+)\] <(.*)>$`)
	compared := 0
	corpus(t, func(t *testing.T, name string, f *wasm.File) {
		sec := f.Custom(wasm.CustomName)
		if sec == nil {
			t.Skip("no names")
		}
		n, err := wasm.ReadNames(sec)
		if err != nil {
			t.Fatal(err)
		}
		if p := n.Problems(); p != nil {
			t.Errorf("problems: %v", p)
		}
		want, got := map[uint32]string{}, map[uint32]string{}
		for _, m := range line.FindAllStringSubmatch(run(t, objdump, "-x", "-j", "name", name), -1) {
			i, err := strconv.ParseUint(m[1], 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			want[uint32(i)] = m[2]
		}
		table, err := n.Functions(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range table.All() {
			if strings.ContainsAny(name, "\n\x00") {
				// Such names cannot be read off its output.
				delete(want, i)
				continue
			}
			got[i] = name
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		compared += len(got)
	})
	if compared < 50 {
		t.Errorf("only %d names were compared", compared)
	}
}

// TestCorpusContents decodes what the corpus is known to hold.
func TestCorpusContents(t *testing.T) {
	corpus(t, func(t *testing.T, name string, f *wasm.File) {
		tile(t, f)
		if s := f.Custom(wasm.CustomProducers); s != nil {
			p, err := wasm.ReadProducers(s)
			if err != nil || len(p.Field("processed-by"))+len(p.Field("language")) == 0 {
				t.Errorf("producers: %v, %v", p, err)
			}
		}
		if s := f.Custom(wasm.CustomTargetFeatures); s != nil {
			if p, err := wasm.ReadTargetFeatures(s); err != nil || len(p) == 0 {
				t.Errorf("target_features: %v, %v", p, err)
			}
		}
		d, err := f.Dylink()
		if err != nil || (d != nil) != strings.Contains(name, "pic-") {
			t.Errorf("dylink.0: %+v, %v", d, err)
		}
		l, err := f.Linking()
		if err != nil || (l != nil) != strings.Contains(name, "reloc") || l != nil && (l.Version != 2 || l.Symbols == 0) {
			t.Errorf("linking: %+v, %v", l, err)
		}
		relocs, err := f.Relocations()
		if err != nil || (len(relocs) > 0) != (l != nil) {
			t.Errorf("relocations: %+v, %v", relocs, err)
		}
		for _, r := range relocs {
			target := &f.Sections[r.Target]
			want := strings.TrimPrefix(r.Section.Name, "reloc.")
			if target.Name != want && strings.ToUpper(target.ID.String()) != want || r.Count == 0 {
				t.Errorf("%s relocates %s with %d entries", r.Section.Name, target.Label(), r.Count)
			}
		}
		ref, err := f.ExternalDebugInfo()
		if err != nil || (ref.Count > 0) != strings.HasSuffix(name, "sep2.wasm") || ref.Count > 0 && !strings.HasSuffix(ref.URL, ".debug.wasm") {
			t.Errorf("external_debug_info: %+v, %v", ref, err)
		}
		ref, err = f.SourceMappingURL()
		if err != nil || ref.Count > 0 && ref.URL == "" || ref.Count == 0 && strings.Contains(name, "srcmap") {
			t.Errorf("sourceMappingURL: %+v, %v", ref, err)
		}
	})
}
