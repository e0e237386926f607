package conformance

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Kind says what made the engine report a frame.
type Kind uint8

// The kinds.
const (
	HostCall  Kind = iota // a call of an imported function: the frames of its callers
	Trap                  // a trap, an exception that nothing caught, or the end of a limit
	SweepTrap             // a trap of the sweep
	numKinds  int  = iota
)

var kindNames = [...]string{"host call", "trap", "probe"}

// String returns "host call", "trap" or "probe".
func (k Kind) String() string { return kindNames[k] }

// Frame is one place that an engine reported.
type Frame struct {
	Index uint32          // of the function that the engine names, imports counted
	Code  wasm.CodeOffset // C
}

// seenFrame is a place with how often and by whom it was reported.
type seenFrame struct {
	Frame
	count   [numKinds]int64
	engines [2]bool
}

// kind returns the kind that the frame is shown with.
func (s *seenFrame) kind() Kind {
	for k := range s.count {
		if s.count[k] > 0 {
			return Kind(k)
		}
	}
	return Trap
}

// collector gathers frames. Each place is judged once, however often it was seen.
type collector struct {
	seen  map[Frame]*seenFrame
	total int64
}

func newCollector() *collector { return &collector{seen: map[Frame]*seenFrame{}} }

func (c *collector) add(e Engine, k Kind, f Frame) {
	s := c.seen[f]
	if s == nil {
		s = &seenFrame{Frame: f}
		c.seen[f] = s
	}
	s.count[k]++
	s.engines[e] = true
	c.total++
}

// sorted returns the places by offset and index.
func (c *collector) sorted() []*seenFrame {
	out := make([]*seenFrame, 0, len(c.seen))
	for _, s := range c.seen {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *seenFrame) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Index, b.Index))
	})
	return out
}

// The engine's text for a frame of the module: a line with the function's index,
// because the copy has no names, and one with the offset and what DWARF says.
// Functions of the host have other names and no second line. The text is no API:
// a test pins it.
var (
	frameLine  = regexp.MustCompile(`^\t\.\$(\d+)\(`)
	offsetLine = regexp.MustCompile(`^\t\t0x([0-9a-f]+): (.*)$`)
	moreLine   = regexp.MustCompile(`^\t\t +(\S.*)$`)
)

// goTrace precedes a stack trace of the host itself in the engine's text.
const goTrace = "Go runtime stack trace:"

// textFrame is a frame in the text of an error.
type textFrame struct {
	Frame
	hasOffset bool
	lines     []string // what the engine's DWARF says, innermost first
}

// parseFrames reads the frames from the text of an error, innermost first.
func parseFrames(text string) []textFrame {
	text, _, _ = strings.Cut(text, goTrace)
	var out []textFrame
	open := false // the last line was of a frame of the module
	for line := range strings.SplitSeq(text, "\n") {
		if m := frameLine.FindStringSubmatch(line); m != nil {
			index, err := strconv.ParseUint(m[1], 10, 32)
			if open = err == nil; open {
				out = append(out, textFrame{Frame: Frame{Index: uint32(index)}})
			}
			continue
		}
		if !open {
			continue
		}
		last := &out[len(out)-1]
		if m := offsetLine.FindStringSubmatch(line); m != nil && !last.hasOffset {
			c, err := strconv.ParseUint(m[1], 16, 32)
			if err != nil {
				continue
			}
			last.Code, last.hasOffset = wasm.CodeOffset(c), true
			last.lines = append(last.lines, m[2])
		} else if m := moreLine.FindStringSubmatch(line); m != nil && last.hasOffset {
			last.lines = append(last.lines, m[1])
		} else {
			open = false
		}
	}
	return out
}

// places returns the frames that have an offset.
func places(frames []textFrame) []Frame {
	var out []Frame
	for _, f := range frames {
		if f.hasOffset {
			out = append(out, f.Frame)
		}
	}
	return out
}

// codeOffset converts what the engine says. No code is at 0, and none beyond the
// range of a CodeOffset; the largest value stands for such an answer.
func codeOffset(v uint64) wasm.CodeOffset {
	c, ok := wasm.CodeOffsetFromAddress(v)
	if !ok {
		return ^wasm.CodeOffset(0)
	}
	return c
}
