package wasm

import (
	"context"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// decodeAll walks every body of a module and returns the first error.
func decodeAll(t *testing.T, data []byte) error {
	r, err := NewBodyReader(openRaw(t, data))
	if err != nil {
		return err
	}
	for {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		code, err := r.Bytes(b, nil)
		if err != nil {
			return err
		}
		it := b.Instructions(code)
		for it.Next() {
		}
		if it.Err() != nil {
			return it.Err()
		}
	}
}

// tokens are what immediates are put together from: small numbers, some not
// minimal, and types.
var tokens = [][]byte{{0}, {0}, {0}, {0}, {0}, {1}, {2}, {3}, {0x40}, {0x41}, {0x44}, {0x7f}, {0x70}, {0x6f}, {0x0b}, {0x1a},
	{0x80, 0}, {0x81, 0}, {0x80, 0x80, 0}, {0xc0, 0}, {0xff, 0x7f}, {0x80, 0x80, 0x80, 0x80, 0}, {0x63, 0x70}, {0x64, 0}, {0x63, 0x6e}}

// guesses returns modules with a body of random instructions behind an
// unreachable, where operands may have any type, so that a good part is valid if
// only the immediates are well formed and their indices exist.
func guesses(n int, seed uint64, wazero bool) [][]byte {
	rng := rand.New(rand.NewPCG(seed, 2))
	before := [][]byte{
		rawSection(SectionType, []byte{3, 0x60, 0, 0, 0x60, 1, 0x7f, 0, 0x60, 0, 1, 0x7f}),
		rawSection(SectionFunction, []byte{1, 0}),
		rawSection(SectionTable, []byte{2, 0x70, 0, 4, 0x70, 0, 4}),
		rawSection(SectionMemory, []byte{1, 3, 1, 2}),
		rawSection(SectionTag, []byte{2, 0, 0, 0, 1}),
		rawSection(SectionGlobal, []byte{1, 0x7f, 1, 0x41, 0, 0x0b}),
		rawSection(SectionElement, []byte{1, 1, 0, 1, 0}),
		rawSection(SectionDataCount, []byte{1}),
	}
	after := rawSection(SectionData, []byte{1, 1, 1, 'x'})
	ops := Opcodes()
	if wazero {
		// It has no tags, and reads relaxed SIMD, which it does not have, as other
		// instructions: it looks at one byte behind the prefix.
		before = append(before[:4:4], before[5:]...)
		ops = slices.DeleteFunc(ops, func(op Opcode) bool { return op >= prefixed(prefixSIMD, 0x100) && op <= prefixed(prefixSIMD, 0xffff) })
	}
	var out [][]byte
	for range n {
		code := []byte{1, 4, 0x7f, 0x00}
		for range 1 + rng.IntN(3) {
			switch op := ops[rng.IntN(len(ops))]; {
			case rng.IntN(8) == 0:
				code = append(code, byte(rng.IntN(256)))
			case op > 0xff:
				code = AppendUint32(append(code, byte(op>>16)), uint32(op)&0xffff)
			default:
				code = append(code, byte(op))
			}
			for range rng.IntN(5) {
				code = append(code, tokens[rng.IntN(len(tokens))]...)
			}
			code = append(code, 0x00) // unreachable, or one more zero
		}
		code = append(code, 0x0b)
		if rng.IntN(3) == 0 {
			code = append(code, 0x0b)
		}
		body := append(AppendUint32([]byte{1}, uint32(len(code))), code...)
		out = append(out, rawModule(append(before[:len(before):len(before)], rawSection(SectionCode, body), after)...))
	}
	return out
}

// TestValidForWazero: what wazero compiles, the decoder reads.
func TestValidForWazero(t *testing.T) {
	ctx := context.Background()
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesThreads | experimental.CoreFeaturesTailCall
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(features))
	defer rt.Close(ctx)
	valid, wrong := 0, 0
	for _, data := range guesses(8000, 7, true) {
		m, err := rt.CompileModule(ctx, data)
		if err != nil {
			if decodeAll(t, data) != nil {
				wrong++
			}
			continue
		}
		m.Close(ctx)
		valid++
		if err := decodeAll(t, data); err != nil {
			t.Errorf("wazero compiles it; %v\n%x", err, data)
		}
	}
	t.Logf("%d valid modules decoded, %d refused by both", valid, wrong)
	if valid < 500 || wrong < 500 {
		t.Errorf("%d valid modules, %d refused by both", valid, wrong)
	}
}

// TestValidForNode: what V8 accepts, the decoder reads.
func TestValidForNode(t *testing.T) {
	node := tool(t, "node", "nodejs")
	all := guesses(8000, 11, false)
	var in strings.Builder
	for _, data := range all {
		in.WriteString(hex.EncodeToString(data) + "\n")
	}
	// Options come and go with the version of V8. Drafts of garbage collection
	// that old versions hold behind options are encoded differently.
	const script = `
for (const o of ["relaxed-simd", "memory64", "exnref", "multi-memory", "wasmfx", "custom-descriptors"])
	try { require("v8").setFlagsFromString("--experimental-wasm-" + o) } catch {}
for (const l of require("fs").readFileSync(0, "latin1").trim().split("\n"))
	process.stdout.write(WebAssembly.validate(Buffer.from(l, "hex")) ? "1" : "0")`
	cmd := exec.Command(node, "-e", script)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("%s: %v", node, err)
	}
	if len(out) != len(all) {
		t.Fatalf("%d answers for %d modules", len(out), len(all))
	}
	valid, wrong := 0, 0
	for i, data := range all {
		err := decodeAll(t, data)
		switch {
		case out[i] == '1':
			valid++
			if err != nil {
				t.Errorf("V8 accepts it; %v\n%x", err, data)
			}
		case err != nil:
			wrong++
		}
	}
	t.Logf("%d valid modules decoded, %d refused by both", valid, wrong)
	if valid < 500 || wrong < 500 {
		t.Errorf("%d valid modules, %d refused by both", valid, wrong)
	}
}
