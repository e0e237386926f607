package stacktrace

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestV8LabelParse(t *testing.T) {
	for _, c := range []struct {
		text, module string
		hash         uint32
	}{
		{"wasm://wasm/00013d22", "", 0x13d22},
		{"wasm://wasm/calc.wasm-00013d22", "calc.wasm", 0x13d22},
		{"wasm://wasm/my mod-(1)-74a48abe", "my mod-(1)", 0x74a48abe},
		{"wasm://wasm/00013d22-00013d26", "00013d22", 0x13d26},
	} {
		l, ok := ParseV8Label([]byte(c.text))
		if !ok || string(l.Module) != c.module || l.Hash != c.hash || l.String() != c.text {
			t.Errorf("%q: %+v %v, printed %q", c.text, l, ok, l)
		}
	}
	for _, text := range []string{"", "wasm://wasm/", "wasm://wasm/13d22", "wasm://wasm/-00013d22", "wasm://wasm/x00013d22", "wasm://wasm/00013D22",
		"wasm://wasm/zzzzzzzz", "https://x/00013d22", "wasm://wasm/00013d22/"} {
		if l, ok := ParseV8Label([]byte(text)); ok {
			t.Errorf("%q was read as %+v", text, l)
		}
	}
}

func TestV8LabelSizes(t *testing.T) {
	for _, c := range []struct {
		hash uint32
		want []int64
	}{
		{0x00013d22, []int64{20296, 20296 + 1<<30, 20296 + 2<<30, 20296 + 3<<30}}, // measured in Node.js 20 and Chromium 156
		{0x00013d23, nil}, // not of the form 4n+2
		{4*16383 + 2, []int64{16383 + 1<<30, 16383 + 2<<30, 16383 + 3<<30}},
		{4*16384 + 2, []int64{16384, 16384 + 1<<30, 16384 + 2<<30, 16384 + 3<<30}},
	} {
		got := V8Label{Hash: c.hash}.Sizes()
		if !slices.Equal(got, c.want) {
			t.Errorf("%08x: sizes %v, want %v", c.hash, got, c.want)
		}
		for _, size := range got {
			if h, err := V8LabelHash(size, nil); err != nil || h != c.hash {
				t.Errorf("size %d: hash %08x (%v), want %08x", size, h, err, c.hash)
			}
		}
	}
}

// TestV8LabelHash compares with the labels that Node.js 20 printed.
func TestV8LabelHash(t *testing.T) {
	for name, want := range map[string]uint32{"traps-named": 0xbf200afe, "weird": 0x74a48abe} {
		data, err := os.ReadFile(filepath.Join(tracesDir, name+".wasm"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := V8LabelHash(int64(len(data)), bytes.NewReader(data))
		if err != nil || got != want {
			t.Errorf("%s: %08x (%v), want %08x", name, got, err, want)
		}
		if _, err := V8LabelHash(int64(len(data))+1, bytes.NewReader(data)); err == nil {
			t.Errorf("%s: no error for content shorter than its size", name)
		}
	}
	// The traces of the other variants name their modules as well.
	for _, trace := range []string{"node20-padded-sync--no-liftoff"} {
		text, err := os.ReadFile(filepath.Join(tracesDir, trace+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(tracesDir, "traps-padded.wasm"))
		if err != nil {
			t.Fatal(err)
		}
		h, err := V8LabelHash(int64(len(data)), bytes.NewReader(data))
		if err != nil || !bytes.Contains(text, []byte("("+V8Label{Hash: h}.String()+":")) {
			t.Errorf("%s does not hold %v (%v)", trace, V8Label{Hash: h}, err)
		}
	}
	if h, err := V8LabelHash(0, strings.NewReader("")); err != nil || h != 27*4+2 {
		t.Errorf("empty file: %08x (%v)", h, err)
	}
	if _, err := V8LabelHash(-1, nil); err == nil {
		t.Error("no error for a negative size")
	}
	if _, err := V8LabelHash(100, nil); err == nil {
		t.Error("no error for a small file without content")
	}
}

// TestV8LabelNode asks Node.js for the labels of modules on both sides of the
// size limit. The hash of small files is compared with version 20 alone.
func TestV8LabelNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	version, err := exec.Command(node, "--version").Output()
	if err != nil {
		t.Skipf("node does not run: %v", err)
	}
	module, err := os.ReadFile(filepath.Join(tracesDir, "weird.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"-e", `const fs=require("fs");for(const p of process.argv.slice(1)){try{new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(p))).exports.entry()}
catch(e){console.log(e.stack.match(/wasm:\/\/wasm\/[^:]*/)[0])}}`}
	var want []string
	for _, size := range []int{1000, 16382, 16383, 16384, 20296} {
		if size <= v8HashedSize && !bytes.HasPrefix(version, []byte("v20.")) {
			continue
		}
		// A custom section named "x" fills the file up.
		n := size - len(module) - 4
		data := append(bytes.Clone(module), 0, byte(n&0x7f|0x80), byte(n>>7&0x7f|0x80), byte(n>>14), 1, 'x')
		data = append(data, make([]byte, size-len(data))...)
		file := filepath.Join(dir, strconv.Itoa(size)+".wasm")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
		h, err := V8LabelHash(int64(size), bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, V8Label{Hash: h}.String())
	}
	out, err := exec.Command(node, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, out)
	}
	if got := strings.Fields(string(out)); !slices.Equal(got, want) {
		t.Errorf("node %s prints %q, want %q", bytes.TrimSpace(version), got, want)
	}
}
