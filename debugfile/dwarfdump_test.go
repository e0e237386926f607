package debugfile_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
)

// llvm-dwarfdump 22 as a witness of the whole index: it lists every entry and every
// row, and knows nothing of which of them answer.

// dumped is what llvm-dwarfdump says of a module.
type dumped struct {
	functions []string // "0xENTRY 0xSTART..0xEND" for each live range
	sequences []string // "0xSTART..0xEND" and the rows
}

// TestAgainstLLVMDwarfdump: the ranges of all functions and the rows of all
// sequences are those that llvm-dwarfdump lists, shadowed ones included.
func TestAgainstLLVMDwarfdump(t *testing.T) {
	bin := witness(t, "llvm-dwarfdump-22")
	modulesRead, functions, sequences, rows, odd := 0, 0, 0, 0, 0
	for _, file := range modules(t) {
		if strings.HasPrefix(path.Base(file), "split-") {
			continue // functions are in other files
		}
		f, err := debugfile.Open(file, debugfile.Options{Alone: true})
		if err != nil || !f.HasDWARF() || f.Module().Custom("linking") != nil {
			continue // of modules with kept relocations they apply those once more
		}
		if err := f.Build(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		ours, theirs := listed(f), dump(t, bin, file)
		modulesRead, functions = modulesRead+1, functions+len(ours.functions)
		same(t, file, "ranges of functions", ours.functions, theirs.functions)
		// Rows that go back, or on from a tombstone, we drop and report.
		if st, _ := f.Stats(); st.BackwardRows+st.WrappedRows+st.Unterminated > 0 || partlyDead(f) {
			odd++
		} else {
			same(t, file, "sequences", ours.sequences, theirs.sequences)
			sequences, rows = sequences+len(ours.sequences), rows+st.Rows.Total()
		}
		f.Close()
	}
	t.Logf("%d modules: %d ranges of functions, %d sequences with %d rows; %d modules with rows that we drop", modulesRead, functions, sequences, rows, odd)
	if modulesRead < 100 || functions < 700 || rows < 10000 || odd > modulesRead/20 {
		t.Error("too little was compared")
	}
}

func partlyDead(f *debugfile.File) bool {
	for s := range f.Sequences() {
		if s.Flags&debugfile.PartlyDead != 0 {
			return true
		}
	}
	return false
}

// listed lists what the index of a file has.
func listed(f *debugfile.File) (out dumped) {
	for r := range f.Functions() {
		out.functions = append(out.functions, fmt.Sprintf("0x%x 0x%x..0x%x", r.Offset, uint32(r.Start), uint32(r.End)))
	}
	for s := range f.Sequences() {
		var b strings.Builder
		fmt.Fprintf(&b, "0x%x..0x%x", uint32(s.Start), uint32(s.End))
		for r := range f.SequenceRows(s) {
			name := path.Base(r.File)
			if r.File == "" {
				name = ""
			}
			fmt.Fprintf(&b, " 0x%x %s:%d:%d", uint32(r.Offset), name, r.Line, r.Column)
		}
		out.sequences = append(out.sequences, b.String())
	}
	return out
}

var (
	dumpEntry   = regexp.MustCompile(`^0x([0-9a-f]+): +(DW_TAG_\w+|NULL)`)
	dumpAddress = regexp.MustCompile(`^ +(DW_AT_low_pc|DW_AT_high_pc|DW_AT_stmt_list)\t\(0x([0-9a-f]+)\)`)
	dumpRange   = regexp.MustCompile(`^ +\[0x([0-9a-f]+), 0x([0-9a-f]+)\)`)
	dumpProgram = regexp.MustCompile(`^debug_line\[0x([0-9a-f]+)\]`)
	dumpFile    = regexp.MustCompile(`^file_names\[ *(\d+)\]:`)
	dumpName    = regexp.MustCompile(`^ +name: "(.*)"`)
	dumpRow     = regexp.MustCompile(`^0x([0-9a-f]{16}) +(\d+) +(\d+) +(\d+) +\d+ +\d+ +\d+ (.*)$`)
)

// dump asks llvm-dwarfdump. What it lists of removed code is left out.
func dump(t *testing.T, bin, file string) (out dumped) {
	t.Helper()
	programs := map[uint64]bool{} // that units have
	entry, function := uint64(0), false
	var low, high uint64
	keep := func(start, end uint64) {
		if live(start) && end > start && end <= 1<<32-1 {
			out.functions = append(out.functions, fmt.Sprintf("0x%x 0x%x..0x%x", entry, start, end))
		}
	}
	flush := func() {
		if function && high != 0 {
			keep(low, high)
		}
		function, low, high = false, 0, 0
	}
	attribute := ""
	each(t, bin, file, "--debug-info", func(line string) {
		switch {
		case dumpEntry.MatchString(line):
			flush()
			m := dumpEntry.FindStringSubmatch(line)
			entry, function, attribute = hex(t, m[1]), m[2] == "DW_TAG_subprogram", ""
		case strings.Contains(line, "DW_AT_"):
			attribute = strings.Fields(line)[0]
			if m := dumpAddress.FindStringSubmatch(line); m != nil {
				switch v := hex(t, m[2]); m[1] {
				case "DW_AT_low_pc":
					low = v
				case "DW_AT_high_pc":
					high = v
				case "DW_AT_stmt_list":
					programs[v] = true
				}
			}
		case function && attribute == "DW_AT_ranges":
			if m := dumpRange.FindStringSubmatch(line); m != nil {
				keep(hex(t, m[1]), hex(t, m[2]))
			}
		}
	})
	flush()
	program, number := uint64(0), ""
	names := map[string]string{}
	var rows strings.Builder
	start := uint64(0)
	each(t, bin, file, "--debug-line", func(line string) {
		if m := dumpProgram.FindStringSubmatch(line); m != nil {
			program, names = hex(t, m[1]), map[string]string{}
			rows.Reset()
		} else if m := dumpFile.FindStringSubmatch(line); m != nil {
			number = m[1]
		} else if m := dumpName.FindStringSubmatch(line); m != nil {
			names[number] = path.Base(m[1])
		} else if m := dumpRow.FindStringSubmatch(line); m != nil {
			at := hex(t, m[1])
			if strings.Contains(m[5], "end_sequence") {
				if programs[program] && rows.Len() > 0 && live(start) && at > start {
					out.sequences = append(out.sequences, fmt.Sprintf("0x%x..0x%x%s", start, at, &rows))
				}
				rows.Reset()
				return
			}
			if rows.Len() == 0 {
				start = at
			}
			fmt.Fprintf(&rows, " 0x%x %s:%s:%s", at, names[m[4]], m[2], m[3])
		}
	})
	return out
}

// live reports whether an address is not one that stands for removed code.
func live(start uint64) bool { return start != 0 && start < 1<<32-2 }

func hex(t *testing.T, s string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func each(t *testing.T, bin, file, what string, do func(line string)) {
	t.Helper()
	text, err := exec.Command(bin, what, file).Output()
	if err != nil {
		t.Fatalf("%s %s %s: %v", bin, what, file, err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		do(lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// same compares two lists without regard to their order.
func same(t *testing.T, file, what string, ours, theirs []string) {
	t.Helper()
	slices.Sort(ours)
	slices.Sort(theirs)
	if slices.Equal(ours, theirs) {
		return
	}
	for i := 0; ; i++ {
		switch {
		case i >= len(ours) || i >= len(theirs):
			t.Errorf("%s: %d %s, llvm-dwarfdump lists %d", file, len(ours), what, len(theirs))
			return
		case ours[i] != theirs[i]:
			t.Errorf("%s: of %d %s one is\n%s\nllvm-dwarfdump lists %d, and there\n%s", file, len(ours), what, ours[i], len(theirs), theirs[i])
			return
		}
	}
}
