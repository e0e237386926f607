//go:build linux

package toolchain

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var rowAddress = regexp.MustCompile(`(?m)^0x([0-9a-f]{16}) +\d+ +\d+.*$`)

// lineAddresses returns the code offsets of all rows that LLVM finds in a file.
func lineAddresses(t *testing.T, dwarfdump, path string) []string {
	t.Helper()
	out := cmd{args: []string{dwarfdump, "--debug-line", path}}.run(t)
	var all []string
	for _, m := range rowAddress.FindAllStringSubmatch(out, -1) {
		if !strings.HasSuffix(m[0], "end_sequence") {
			all = append(all, "0x"+m[1])
		}
	}
	return all
}

// LLVM's tools read both kinds of companions and give for the address of every
// row the answer that they give for the input. They are asked for code offsets
// and short names: up to LLVM 22 they look linkage names up in another address
// space than lines.
func TestInteropLLVM(t *testing.T) {
	stage(t, "interop")
	pairs := interopPairs(t)
	for _, version := range []string{"19", "22"} {
		t.Run(version, func(t *testing.T) {
			asked := 0
			for name, kinds := range pairs {
				t.Run(name, func(t *testing.T) {
					reference, all := kinds[0].input, kinds[:]
					if name == "emit-relocs-19" {
						// LLVM 19 and 22 crash on the relocations that wasm-ld 19 keeps in an
						// input and a full companion has too; the other kind is read.
						reference, all = kinds[1].companion, kinds[1:]
					}
					asked += sameAnswers(t, version, reference, all)
				})
			}
			t.Logf("LLVM %s: %d addresses in %d programs, each asked of the input and of two companions", version, asked, len(pairs))
		})
	}
}

// sameAnswers compares what LLVM says of the reference and of both companions, and
// returns the number of addresses asked for.
func sameAnswers(t *testing.T, version, reference string, kinds []pair) int {
	dwarfdump := tool(t, "llvm-dwarfdump-"+version)
	symbolizer := tool(t, "llvm-symbolizer-"+version)
	objdump := tool(t, "llvm-objdump-"+version)
	addresses := lineAddresses(t, dwarfdump, reference)
	if len(addresses) < 10 {
		t.Fatalf("only %d rows in the input", len(addresses))
	}
	stdin := []byte(strings.Join(addresses, "\n") + "\n")
	symbolize := func(path string) []string {
		out := cmd{stdin: stdin, args: []string{symbolizer, "--functions=short", "-e", path}}.run(t)
		return strings.Split(strings.TrimSpace(out), "\n\n")
	}
	want := symbolize(reference)
	if len(want) != len(addresses) {
		t.Fatalf("%d answers to %d addresses", len(want), len(addresses))
	}
	unknown := 0
	for _, answer := range want {
		if strings.Contains(answer, "??:") {
			unknown++
		}
	}
	if unknown > len(want)/10 {
		t.Errorf("the input itself has no answer for %d of %d addresses", unknown, len(want))
	}
	verdict := verify(t, dwarfdump, reference)
	for _, p := range kinds {
		have := symbolize(p.companion)
		if len(have) != len(want) {
			t.Fatalf("%s companion: %d answers, the input gives %d", p.kind, len(have), len(want))
		}
		wrong := 0
		for i := range want {
			if want[i] != have[i] {
				if wrong++; wrong <= 3 {
					t.Errorf("%s companion, %s:\n%s\nthe input says\n%s", p.kind, addresses[i], have[i], want[i])
				}
			}
		}
		if wrong > 0 {
			t.Errorf("%s companion: %d of %d answers differ", p.kind, wrong, len(want))
		}
		if v := verify(t, dwarfdump, p.companion); v != verdict {
			t.Errorf("llvm-dwarfdump --verify of the %s companion:\n%s\nof the input:\n%s", p.kind, v, verdict)
		}
		headers := cmd{args: []string{objdump, "-h", p.companion}}.run(t)
		for _, s := range where(mustSections(t, "input", p.in), section.debug) {
			if !strings.Contains(headers, fmt.Sprintf(" %s ", s.name)) {
				t.Errorf("llvm-objdump -h does not list %s of the %s companion:\n%s", s.name, p.kind, headers)
			}
		}
	}
	cmd{args: []string{objdump, "-h", kinds[0].production}}.run(t)
	return len(addresses)
}

// verify returns the verdict of llvm-dwarfdump without the file's name.
func verify(t *testing.T, dwarfdump, path string) string {
	t.Helper()
	r := cmd{args: []string{dwarfdump, "--verify", path}}.try(t)
	return fmt.Sprintf("exit code %d\n%s", r.code, strings.ReplaceAll(r.stdout+r.stderr, path, "FILE"))
}

// What wabt and binaryen accept as an input they accept as outputs.
func TestInteropValidators(t *testing.T) {
	stage(t, "interop")
	validators := map[string][]string{
		"wabt":     {tool(t, "wasm-validate"), "--enable-all"},
		"binaryen": {tool(t, "wasm-opt"), "--all-features", "--quiet", "-o", "/dev/null"},
	}
	accepts := func(v []string, path string) bool { return exec.Command(v[0], append(v[1:], path)...).Run() == nil }
	accepted := map[string]int{}
	for name, kinds := range interopPairs(t) {
		for validator, v := range validators {
			if !accepts(v, kinds[0].input) {
				continue
			}
			accepted[validator]++
			for _, path := range []string{kinds[0].production, kinds[0].companion, kinds[1].companion} {
				if !accepts(v, path) {
					t.Errorf("%s: %s accepts the input, but not %s: %v", name, validator, path, cmd{args: append(v, path)}.try(t))
				}
			}
		}
	}
	for validator := range validators {
		if accepted[validator] < 20 {
			t.Errorf("%s accepted only %d inputs: its command is wrong", validator, accepted[validator])
		}
		t.Logf("%s: %d programs", validator, accepted[validator])
	}
}
