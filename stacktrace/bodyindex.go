package stacktrace

import (
	"bytes"
	"sort"
	"sync"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// maxDecoded is the number of instructions that a body index holds before it
// starts again with none.
const maxDecoded = 4 << 20

// The opcodes of calls, and of branches with and without a condition. Tail calls are
// not among them, because they leave no frame of the function that they are in.
// https://webassembly.github.io/spec/core/binary/instructions.html
const (
	opIf           = 0x04
	opBr           = 0x0c
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opCallRef      = 0x14
)

// site is the start of an instruction.
type site struct {
	at     wasm.CodeOffset
	kind   siteKind
	callee uint32 // siteCall: index of the function
}

type siteKind uint8

const (
	siteQuiet    siteKind = iota // never in a stack trace
	siteBranch                   // it branches on a condition: Cranelift's place for an unreachable behind it
	siteLoop                     // where engines may look for interrupts
	siteTraps                    // it can trap or throw; this and what follows is in stack traces
	siteCall                     // it calls a function by its index
	siteIndirect                 // it calls a function by a value
)

// sites are the instructions of one body.
type sites struct {
	list    []site
	partial bool // what follows the last one could not be decoded
}

// bodyIndex decodes bodies as frames need them. It is safe for concurrent use.
type bodyIndex struct {
	build *openBuild
	mu    sync.Mutex
	held  int
	known map[int]*sites // nil for a body whose code is not at hand
}

// of returns the instructions of a body by its number, or nil where the code is
// not at hand.
func (x *bodyIndex) of(body int) *sites {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s, ok := x.known[body]; ok {
		return s
	}
	s := x.build.decode(body)
	if x.known == nil || x.held > maxDecoded {
		x.known, x.held = map[int]*sites{}, 0
	}
	x.known[body] = s
	if s != nil {
		x.held += len(s.list)
	}
	return s
}

// decode reads a body from the production module or a companion with code.
func (o *openBuild) decode(body int) *sites {
	m := o.debug.Module()
	if o.production != nil {
		m = o.production
	}
	span, ok := m.CodeSpan()
	if !ok {
		return nil
	}
	index, e := o.debug.Body(body)
	at := wasm.NewBody(index, e.Start, e.End, span)
	if at.Size() > wasm.MaxBody {
		return nil
	}
	start, ok := span.File(e.Start)
	if !ok {
		return nil
	}
	code := make([]byte, at.Size())
	if n, _ := m.ReadAt(code, int64(start)); n < len(code) || isBlank(code) {
		return nil
	}
	s := &sites{}
	it := at.Instructions(code)
	for it.Next() {
		in := it.Instr()
		one := site{at: it.At()}
		switch in.Op {
		case opCall:
			one.kind, one.callee = siteCall, in.Arg
		case opCallIndirect, opCallRef:
			one.kind = siteIndirect
		default:
			if in.Reportable() {
				one.kind = siteTraps
			} else if in.Flags&wasm.OpLoop != 0 {
				one.kind = siteLoop
			} else if in.Op == opIf || in.Flags&wasm.OpBranch != 0 && in.Op != opBr && in.Op != opReturn {
				one.kind = siteBranch
			}
		}
		s.list = append(s.list, one)
	}
	s.partial = it.Err() != nil
	return s
}

// isBlank reports whether a body is one that a companion without code has in
// place of the real one: no locals, unreachable, nops, end.
func isBlank(code []byte) bool {
	n := len(code)
	return n > 3 && code[0] == 0 && code[1] == 0 && code[n-1] == 0x0b && len(bytes.Trim(code[2:n-1], "\x01")) == 0
}

// containing returns the position in the list of the instruction that holds c, or
// −1 if there is none, as in the local declarations.
func (s *sites) containing(c wasm.CodeOffset) int {
	return sort.Search(len(s.list), func(i int) bool { return s.list[i].at > c }) - 1
}

// starting returns the position of the instruction that starts at c. It reports
// false if there is none.
func (s *sites) starting(c wasm.CodeOffset) (int, bool) {
	i := s.containing(c)
	return i, i >= 0 && s.list[i].at == c
}

// callTo returns the one direct call of a function in the body. It reports false
// where there is none or more than one. Indirect says that the body also calls
// functions by values, so that the call may have been another.
func (s *sites) callTo(callee uint32) (at wasm.CodeOffset, indirect, ok bool) {
	n := 0
	for i := range s.list {
		switch s.list[i].kind {
		case siteCall:
			if s.list[i].callee == callee {
				at = s.list[i].at
				n++
			}
		case siteIndirect:
			indirect = true
		}
	}
	return at, indirect, n == 1 && !s.partial
}

// nameIndex finds functions by their names. It is safe for concurrent use.
type nameIndex struct {
	build *openBuild
	once  sync.Once
	index map[string]int64 // function index; −1 for a name that several have
	// longest is the length of the longest name: a trace may ask for the parts of
	// one that is longer than any.
	longest int
}

// find returns the index of the one function that has the name.
func (x *nameIndex) find(name []byte) (uint32, bool) {
	x.once.Do(func() {
		x.index = map[string]int64{}
		for i := range x.build.debug.NumBodies() {
			index, _ := x.build.debug.Body(i)
			n, ok := x.build.debug.FunctionName(index)
			if !ok {
				continue
			}
			x.longest = max(x.longest, len(n))
			if _, twice := x.index[n]; twice {
				x.index[n] = -1
			} else {
				x.index[n] = int64(index)
			}
		}
	})
	if len(name) > x.longest {
		return 0, false
	}
	i, ok := x.index[string(name)]
	return uint32(i), ok && i >= 0
}
