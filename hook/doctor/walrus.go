package doctor

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/report"
)

// Versions of walrus, the library with which wasm-bindgen rewrites modules: the first
// that counts the bytes of the number of functions, and the first whose DWARF
// binaryen can read. wasm-bindgen 0.2.126 was built with 0.26.4, 0.2.129 with 0.27.2,
// and 0.2.130 with 0.27.3.
var (
	countingWalrus = []int{0, 28}
	readableWalrus = []int{0, 27, 2}
)

// walrusTrouble says what a version of walrus does; empty if nothing is known.
func walrusTrouble(version string) string {
	trouble := ""
	if olderThan(version, countingWalrus...) {
		trouble = "in modules with fewer than 128 functions it makes every DWARF address one too high"
	}
	if olderThan(version, readableWalrus...) {
		trouble += ", and wasm-opt -g cannot read what it writes"
	}
	return trouble
}

var lockedWalrus = regexp.MustCompile(`name = "walrus"\r?\nversion = "([0-9.]+)"`)

// builtWalrus is how a Rust program names the source files of a library that it was
// built with.
var builtWalrus = regexp.MustCompile(`\bwalrus-([0-9]+\.[0-9]+\.[0-9]+)\b`)

// bindgen looks for the walrus that wasm-bindgen was built with: in lock files, and
// in the program itself.
func (e *examiner) bindgen() error {
	for _, f := range e.named("Cargo.lock") {
		m := lockedWalrus.FindStringSubmatchIndex(f.text)
		if m == nil {
			continue
		}
		version := f.text[m[2]:m[3]]
		if trouble := walrusTrouble(version); trouble != "" {
			e.add(OldWalrus, f.at(m[0]), "walrus %s rewrites what this project builds: %s", version, trouble)
		}
	}
	for _, t := range e.of("wasm-bindgen") {
		version, err := e.walrusOf(t.path)
		if err != nil {
			return err
		}
		said := "was built with walrus " + version
		if version == "" && startsWithDigit(t.text) {
			// It does not say; its own version does, up to the last that is known.
			switch {
			case olderThan(t.text, 0, 2, 127):
				version, said = "0.26.4", "is not newer than 0.2.126, which was built with walrus 0.26.4"
			case olderThan(t.text, 0, 2, 131):
				version, said = "0.27.3", "is not newer than 0.2.130, which was built with walrus 0.27.3"
			}
		}
		if version == "" {
			continue
		}
		if trouble := walrusTrouble(version); trouble != "" {
			e.add(OldWalrus, report.Location{Path: t.path}, "%s %s: %s", t.describe(), said, trouble)
		}
	}
	return nil
}

// walrusOf looks a program through for the version of walrus in it; empty if there
// is none.
func (e *examiner) walrusOf(path string) (string, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return "", nil // a program that may be run and not read
	}
	defer f.Close()
	const window, overlap = 1 << 20, 64
	r := bufio.NewReaderSize(io.NewSectionReader(f, 0, info.Size()), window)
	for {
		if err := e.ctx.Err(); err != nil {
			return "", err
		}
		b, err := r.Peek(window)
		if bytes.Contains(b, []byte("walrus-")) {
			if m := builtWalrus.FindSubmatch(b); m != nil {
				return string(m[1]), nil
			}
		}
		if err != nil {
			return "", nil // the end, or what cannot be read, which says nothing
		}
		if _, err := r.Discard(window - overlap); err != nil {
			return "", nil
		}
	}
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
