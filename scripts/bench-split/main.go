//go:build linux

// Command bench-split measures splitting beside copying the same bytes and beside
// other tools, all on one generated module and in one run, and prints a Markdown
// table. Nothing is judged: the figures are for people.
//
//	go run ./scripts/bench-split [-sizes 50,500] [-runs 5] [-dir DIR] [-program FILE]
//
// Tools that are not found have no row, and the table says so. Each figure is the
// median of the runs, which go round all tools in turn; the input is in the page
// cache; the time includes writing the outputs through to the disk.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

func main() {
	var o options
	sizes := flag.String("sizes", "50,500", "sizes of the modules in MB")
	flag.IntVar(&o.runs, "runs", 5, "runs of each tool; slow ones get fewer")
	flag.StringVar(&o.dir, "dir", "", "folder on the disk to measure (default: a temporary one)")
	flag.StringVar(&o.program, "program", "", "wasm-debugid to measure (default: built from this tree)")
	flag.StringVar(&o.sentry, "sentry", "", "dist/bin.cjs of the npm package sentry")
	hash := flag.String("blake3", "", "only hash this file, as the other modes do in a process of its own")
	flag.Parse()
	var err error
	if *hash != "" {
		err = hashFile(*hash)
	} else {
		err = run(o, *sizes)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-split:", err)
		os.Exit(1)
	}
}

type options struct {
	runs                 int
	dir, program, sentry string
}

func run(o options, sizes string) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "wasm-debugid-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.dir = dir
	}
	if o.program == "" {
		o.program = filepath.Join(o.dir, "wasm-debugid")
		if out, err := exec.Command("go", "build", "-o", o.program, "./cmd/wasm-debugid").CombinedOutput(); err != nil {
			return fmt.Errorf("building the program: %w\n%s", err, out)
		}
	}
	fmt.Print(machine(o))
	for _, s := range strings.Split(sizes, ",") {
		mb, err := strconv.ParseInt(s, 10, 64)
		if err != nil || mb < 1 {
			return fmt.Errorf("%q is not a size in MB", s)
		}
		if err := bench(o, mb); err != nil {
			return err
		}
	}
	return nil
}

// bench measures all tools on a module of mb MB and prints their table. The parts
// have the proportions of large C++ programs: an eighth is code.
func bench(o options, mb int64) error {
	dir := filepath.Join(o.dir, fmt.Sprintf("%dMB", mb))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	input := filepath.Join(dir, "input.wasm")
	code := mb * 1e6 / 8
	module := testwasm.BigModule{CodeBytes: code, Funcs: int(code / 400), Names: true, Seed: 1}
	module.DebugBytes = mb*1e6 - code - 15*int64(module.Funcs)
	big, err := module.Open()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(input); err != nil {
		return err
	}
	if err := big.WriteFile(input); err != nil {
		return err
	}
	rows, missing, err := tools(o, dir, input)
	if err != nil {
		return err
	}
	if err := measureAll(rows, input, o.runs); err != nil {
		return err
	}
	info, err := os.Stat(input)
	if err != nil {
		return err
	}
	fmt.Printf("\n### %d MB module\n\n", mb)
	fmt.Printf("%s bytes: %s of code in %s functions, %s of DWARF sections.\n\n", digits(info.Size()), digits(code),
		digits(int64(module.Funcs)), digits(module.DebugBytes))
	fmt.Print(table(rows))
	for _, m := range missing {
		fmt.Printf("\nNot measured: %s.\n", m)
	}
	return errors.Join(os.RemoveAll(dir))
}

// hashFile is one pass of BLAKE3 over a file.
func hashFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = buildid.Sum(context.Background(), f, 0, info.Size(), buildid.Options{})
	return err
}
