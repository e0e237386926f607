//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// row is one tool's work: commands that run one after the other, and the files
// that they write.
type row struct {
	name     string
	note     string
	commands [][]string
	outputs  []string
	baseline bool // other rows are compared with this one
	runs     []sample
}

// givenID is the ID of the runs that compare with tools that make none.
const givenID = "--build-id=00112233445566778899aabbccddeeff"

// tools returns the rows of the table and the names of tools that are not here.
func tools(o options, dir, input string) (rows []*row, missing []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	// The baseline copies the very files that a split writes.
	prod, comp := file("real.wasm"), file("real.debug.wasm")
	if out, err := exec.Command(o.program, "split", input, "-o", prod, "-q").CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("splitting the input: %w\n%s", err, out)
	}
	rows = append(rows, &row{name: "cp + BLAKE3", baseline: true,
		note:     "copies of the same two outputs, and one pass of BLAKE3 over the input",
		commands: [][]string{{"cp", prod, file("cp.wasm")}, {"cp", comp, file("cp.debug.wasm")}, {self, "-blake3", input}},
		outputs:  []string{file("cp.wasm"), file("cp.debug.wasm")}})
	split := func(name, note string, companion bool, flags ...string) {
		r := &row{name: name, note: note, outputs: []string{file("split.wasm")},
			commands: [][]string{append([]string{o.program, "split", input, "-o", file("split.wasm"), "-q"}, flags...)}}
		if companion {
			r.outputs = append(r.outputs, file("split.debug.wasm"))
		}
		rows = append(rows, r)
	}
	split("wasm-debugid split", "ID, production module, companion", true)
	split("wasm-debugid split, given ID", "the same; the companion's record hashes the DWARF", true, givenID)
	split("wasm-debugid split --companion-kind=symbols", "companion without code and data", true, "--companion-kind=symbols")
	split("wasm-debugid split --companion-kind=none, given ID", "production module only", false, "--companion-kind=none", givenID)

	objcopy := find("llvm-objcopy-22", "llvm-objcopy-19", "llvm-objcopy")
	add := func(tool, program string, r row) {
		if program == "" {
			missing = append(missing, tool)
			return
		}
		rows = append(rows, &r)
	}
	strip := []string{objcopy, "--strip-debug", input, file("objcopy.wasm")}
	add("llvm-objcopy", objcopy, row{name: filepath.Base(objcopy) + " --strip-debug", note: "stripped module only, no ID",
		commands: [][]string{strip}, outputs: []string{file("objcopy.wasm")}})
	if objcopy != "" {
		rows = append(rows, &row{name: filepath.Base(objcopy) + ", two passes", note: "then --only-keep-debug, whose file has no code, ID or names",
			commands: [][]string{strip, {objcopy, "--only-keep-debug", input, file("objcopy.debug.wasm")}},
			outputs:  []string{file("objcopy.wasm"), file("objcopy.debug.wasm")}})
	}
	wabt := find("wasm-strip")
	add("wabt's wasm-strip", wabt, row{name: "wabt wasm-strip", note: "stripped module only; drops every custom section",
		commands: [][]string{{wabt, input, "-o", file("wabt.wasm")}}, outputs: []string{file("wabt.wasm")}})
	opt := find("wasm-opt")
	add("binaryen's wasm-opt", opt, row{name: "wasm-opt --strip-debug", note: "stripped module only; writes the code anew",
		commands: [][]string{{opt, "--quiet", "--strip-debug", input, "-o", file("opt.wasm")}}, outputs: []string{file("opt.wasm")}})
	node := find("node")
	if o.sentry == "" {
		node = ""
	}
	add("sentry wasm-split", node, row{name: "sentry wasm-split", note: "random ID, stripped module, companion; starts Node",
		commands: [][]string{{node, o.sentry, "wasm-split", input, "-o", file("sentry.wasm"), "-d", file("sentry.debug.wasm"), "--strip", "-q"}},
		outputs:  []string{file("sentry.wasm"), file("sentry.debug.wasm")}})
	return rows, missing, nil
}

// find returns the path of the first program that is there.
func find(names ...string) string {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path
		}
	}
	return ""
}
