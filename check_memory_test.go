package debugid_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// hostile are modules that are made to need memory: as many things as fit into the
// bytes, each as small as it can be.
var hostile = []struct {
	name    string
	make    func(size int) []byte
	entries bool // see entryFactor
}{
	{name: "rows", make: func(n int) []byte {
		return lineModule(n, func(b []byte) []byte { return fill(append(b, setAddress(2)...), n, 18) }, []byte{2, 8, 0, 1, 1})
	}},
	{name: "rows that go back", make: func(n int) []byte {
		return lineModule(n, func(b []byte) []byte {
			b = append(append(b, setAddress(9)...), 1)
			return fill(append(b, setAddress(2)...), n, 18)
		}, []byte{2, 8, 0, 1, 1})
	}},
	{name: "rows of removed code", make: func(n int) []byte {
		return lineModule(n, func(b []byte) []byte { return fill(append(b, setAddress(0)...), n, 18) }, []byte{2, 8, 0, 1, 1})
	}},
	{name: "rows in a long body", make: func(n int) []byte {
		return lineModule(n, func(b []byte) []byte { return fill(append(b, setAddress(5)...), n/2, 32) }, []byte{2, 1, 0, 1, 1}, testwasm.Fn(make([]byte, n/2)...))
	}},
	{name: "sequences", make: func(n int) []byte {
		one := append(setAddress(5), 1, 2, 4, 0, 1, 1)
		return lineModule(n, func(b []byte) []byte { return fill(b, n, one...) }, nil)
	}},
	{name: "sequences elsewhere", make: func(n int) []byte {
		one := append(setAddress(1<<20), 1, 2, 4, 0, 1, 1)
		return lineModule(n, func(b []byte) []byte { return fill(b, n, one...) }, nil)
	}},
	{name: "files", make: func(n int) []byte { return filesModule(n) }},
	{name: "units", make: func(n int) []byte { return unitsModule(n, 1) }},
	{name: "units without a root", make: func(n int) []byte { return unitsModule(n, 0) }},
	{name: "units with an unknown root", make: func(n int) []byte { return unitsModule(n, 9) }},
	{name: "units that are cut off", make: func(n int) []byte { return unitsModule(n, 2) }},
	{name: "units with children", make: func(n int) []byte { return unitsModule(n, 2, 0) }},
	{name: "units with lines", make: func(n int) []byte { return unitsModule(n, 3, 0, 0, 0, 0) }},
	{name: "units with ranges", make: func(n int) []byte { return unitsModule(n, 4, 2, 0, 0, 0, 1) }},
	{name: "unit headers", make: func(n int) []byte { return headersModule(n) }},
	{name: "functions with DWARF", make: func(n int) []byte { return entriesModule(n, 5, 2, 0, 0, 0, 1) }, entries: true},
	{name: "inlined calls", make: func(n int) []byte { return entriesModule(n, 6, 2, 0, 0, 0, 1) }, entries: true},
	{name: "deep entries", make: func(n int) []byte { return entriesModule(n, 7) }},
	{name: "functions", make: functionsModule},
	{name: "functions in units that are cut off", make: func(n int) []byte {
		return append(functionsModule(n/2), doubtful(n/2, rootWith()...)...)
	}},
	{name: "functions beside units that may be anywhere", make: func(n int) []byte {
		return append(functionsModule(n/2), doubtful(n/2, 2)...)
	}},
	{name: "abbreviations", make: abbrevsModule},
}

// plainBody is a body of eight bytes at C 0x2.
var plainBody = testwasm.Fn(testwasm.OpNop, testwasm.OpNop, testwasm.OpNop, testwasm.OpNop, testwasm.OpNop, testwasm.OpNop)

func sectionsOf(dwarf []testwasm.Section, bodies ...testwasm.Body) []byte {
	if bodies == nil {
		bodies = []testwasm.Body{plainBody}
	}
	return testwasm.Build(append([]testwasm.Section{testwasm.Types(testwasm.FuncType{}), testwasm.Functions(make([]uint32, len(bodies))...), testwasm.Code(bodies...)}, dwarf...)...)
}

func fill(b []byte, size int, unit ...byte) []byte {
	for len(b) < size {
		b = append(b, unit...)
	}
	return b
}

func setAddress(a uint32) []byte {
	return binary.LittleEndian.AppendUint32([]byte{0, 5, 2}, a)
}

// abbrevs has a root with nothing, one with children, one with lines, one with a
// range, and a function, an inlined call and a block.
var abbrevs = []byte{
	1, 0x11, 0, 0, 0,
	2, 0x11, 1, 0, 0,
	3, 0x11, 0, 0x10, 0x17, 0, 0,
	4, 0x11, 0, 0x11, 0x01, 0x12, 0x0b, 0, 0,
	5, 0x2e, 0, 0x11, 0x01, 0x12, 0x0b, 0, 0,
	6, 0x1d, 0, 0x11, 0x01, 0x12, 0x0b, 0, 0,
	7, 0x0b, 1, 0, 0,
	8, 0x2e, 1, 0x11, 0x01, 0x12, 0x0b, 0, 0,
	10, 0x11, 1, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0, 0,
	0,
}

func unit(body ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(7+len(body)))
	return append(append(b, 4, 0, 0, 0, 0, 0, 4), body...)
}

// rootWith is the root entry of a unit with lines and much code, and what follows.
func rootWith(entries ...byte) []byte {
	return append([]byte{10, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1}, entries...)
}

func dwarfModule(info, line []byte, bodies ...testwasm.Body) []byte {
	return sectionsOf([]testwasm.Section{testwasm.Custom(".debug_info", info), testwasm.Custom(".debug_abbrev", abbrevs), testwasm.Custom(".debug_line", line)}, bodies...)
}

// header is a line program's header of DWARF 4 with the given tables.
func header(tables []byte) []byte {
	h := append([]byte{1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}, tables...)
	return append(binary.LittleEndian.AppendUint32([]byte{4, 0}, uint32(len(h))), h...)
}

func lineProgram(tables []byte, program []byte) []byte {
	h := append(header(tables), program...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(h))), h...)
}

func lineModule(n int, program func([]byte) []byte, end []byte, bodies ...testwasm.Body) []byte {
	p := append(program(make([]byte, 0, n+64)), end...)
	info := unit(rootWith(5, 2, 0, 0, 0, 8, 0)...)
	return dwarfModule(info, lineProgram([]byte{0, 'a', 0, 0, 0, 0, 0}, p), bodies...)
}

func filesModule(n int) []byte {
	tables := append(fill([]byte{0}, n, 'a', 0, 0, 0, 0), 0)
	p := append(append(setAddress(2), 18), 2, 7, 0, 1, 1)
	return dwarfModule(unit(rootWith(5, 2, 0, 0, 0, 8, 0)...), lineProgram(tables, p))
}

func unitsModule(n int, root ...byte) []byte {
	return dwarfModule(fill(nil, n, unit(root...)...), lineProgram([]byte{0, 'a', 0, 0, 0, 0, 0}, append(append(setAddress(2), 18), 2, 7, 0, 1, 1)))
}

func headersModule(n int) []byte { return dwarfModule(fill(nil, n, 1, 0, 0, 0, 9), nil) }

func entriesModule(n int, entry ...byte) []byte {
	root := rootWith()
	if entry[0] == 6 {
		root = append(root, 8, 2, 0, 0, 0, 8)
	}
	root = fill(root, n, entry...)
	return dwarfModule(unit(append(root, 0, 0)...), lineProgram([]byte{0, 'a', 0, 0, 0, 0, 0}, append(append(setAddress(2), 18), 2, 7, 0, 1, 1)))
}

func functionsModule(n int) []byte {
	count := n / 4
	return testwasm.Build(testwasm.Types(testwasm.FuncType{}), testwasm.Functions(make([]uint32, count)...), testwasm.Unknown(10, fill(binary.AppendUvarint(nil, uint64(count)), 3*count, 2, 0, 0x0b)))
}

// doubtful are sections of units whose entries are cut off.
func doubtful(n int, root ...byte) []byte {
	return testwasm.Custom(".debug_abbrev", abbrevs).Append(testwasm.Custom(".debug_info", fill(nil, n, unit(root...)...)).Append(nil))
}

func abbrevsModule(n int) []byte {
	var b []byte
	for i := uint64(1); len(b) < n; i++ {
		b = append(binary.AppendUvarint(b, i), 0x11, 0, 0, 0)
	}
	return sectionsOf([]testwasm.Section{testwasm.Custom(".debug_info", unit(1)), testwasm.Custom(".debug_abbrev", append(b, 0))})
}

const (
	// hostileSize is the size in bytes of the hostile modules.
	hostileSize = 4 << 20
	// Memory may be so many times that, and memoryBase for what any check takes: the
	// program, and what is allowed whatever the size of the file is.
	memoryFactor = 10
	memoryBase   = 64 << 20
	// entryFactor is for entries of functions and calls of seven bytes each, whose
	// records are what they are.
	entryFactor = 30
)

// TestCheckMemory holds the memory of a check of hostile modules against their
// size. Each is checked by a process of its own.
func TestCheckMemory(t *testing.T) {
	if name := os.Getenv("DEBUGID_HOSTILE"); name != "" {
		if _, err := debugid.Check(context.Background(), debugid.CheckOptions{Path: name}); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(m.Sys)
		return
	}
	if testing.Short() {
		t.Skip("measures memory, of which the race detector takes several times as much")
	}
	dir := t.TempDir()
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			data := h.make(hostileSize)
			name := filepath.Join(dir, h.name+".wasm")
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestCheckMemory$")
			cmd.Env = append(os.Environ(), "DEBUGID_HOSTILE="+name)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			sys, err := strconv.Atoi(strings.Fields(string(out))[0])
			if err != nil {
				t.Fatal(err)
			}
			factor := memoryFactor
			if h.entries {
				factor = entryFactor
			}
			if most := memoryBase + factor*len(data); sys > most {
				t.Errorf("%d bytes of memory for a module of %d, %d at most", sys, len(data), most)
			}
		})
	}
}
