package conformance

import "github.com/wasm-debugid/wasm-debugid/wasm"

// tailCalls is the graph of tail calls: the functions that each function leaves
// itself for. Where it has a circle, code can run for ever without a loop and
// without a stack that grows. The interpreter looks at a clock only in loops, and
// tells listeners of no tail call, so that nothing would ever end such a run.
type tailCalls map[uint32][]uint32

// anyFunction stands for the target of a tail call through a table or reference.
const anyFunction = ^uint32(0)

// add adds an instruction of a function, if it is a tail call.
func (t tailCalls) add(function uint32, in wasm.Instr) {
	switch in.Op {
	case 0x12: // return_call
		t[function] = append(t[function], in.Arg)
	case 0x13, 0x15: // return_call_indirect, return_call_ref
		t[function] = append(t[function], anyFunction)
	}
}

// circle reports whether tail calls may lead back to where they came from. A call
// through a table may lead anywhere, and so to the function that makes it.
func (t tailCalls) circle() bool {
	const (
		open = 1 // on the path that is being followed
		done = 2
	)
	type step struct {
		function uint32
		next     int
	}
	state := map[uint32]int{}
	for root := range t {
		if state[root] != 0 {
			continue
		}
		state[root] = open
		for path := []step{{root, 0}}; len(path) > 0; {
			top := &path[len(path)-1]
			if top.next == len(t[top.function]) {
				state[top.function] = done
				path = path[:len(path)-1]
				continue
			}
			to := t[top.function][top.next]
			top.next++
			switch {
			case to == anyFunction, state[to] == open:
				return true
			case state[to] == 0:
				state[to] = open
				path = append(path, step{to, 0})
			}
		}
	}
	return false
}
