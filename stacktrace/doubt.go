package stacktrace

import "strings"

// Confidence grades how far a frame's index and offset can be relied on.
type Confidence uint8

// The grades, best last.
const (
	// Low means that the position may mean something else than it seems to.
	Low Confidence = iota
	// Medium means that the position holds and that something beside it (the
	// name, the border of the location, the function's index) is uncertain.
	Medium
	// High means that the text has one reading.
	High
)

// String returns "low", "medium" or "high".
func (c Confidence) String() string {
	switch c {
	case High:
		return "high"
	case Medium:
		return "medium"
	}
	return "low"
}

// Doubts is a set of reasons why a frame deserves less than full confidence.
type Doubts uint16

// The reasons. Those above doubtMinor concern the position itself.
const (
	// DoubtNameCut: the name began on an earlier line, so it was dropped.
	DoubtNameCut Doubts = 1 << iota
	// DoubtBoundary: the name and the location could be divided in another way.
	DoubtBoundary
	// DoubtNoIndex: an offset was printed without a function index to check it.
	DoubtNoIndex
	// DoubtUnmarked: nothing in the line says which engine printed it.
	DoubtUnmarked
	doubtMinorEnd

	// DoubtDecimal: a decimal offset, which old engines counted from the function.
	DoubtDecimal
	// DoubtZero: the offset is 0, which is never code.
	DoubtZero
	// DoubtRange: the index or the offset is too large for any module.
	DoubtRange
	// DoubtMode: the meaning of the offset depends on how the engine ran.
	DoubtMode
	// DoubtNothing: the engine printed neither function nor offset.
	DoubtNothing
	// DoubtForm: the line has an outdated or unusual form.
	DoubtForm
	// DoubtCut: the line ends before the frame does, so that the offset, of which
	// digits may be missing, was dropped.
	DoubtCut
)

var doubtTexts = [...]struct {
	doubt Doubts
	text  string
}{
	{DoubtNameCut, "the name began on an earlier line and is lost"},
	{DoubtBoundary, "a name with parentheses leaves open where the location begins"},
	{DoubtNoIndex, "the offset comes without a function index"},
	{DoubtUnmarked, "no engine prints frames in exactly this form"},
	{DoubtDecimal, "the offset is decimal, which old engines counted from the start of the function"},
	{DoubtZero, "offset 0 stands for an unknown position, a host function or a stub"},
	{DoubtRange, "the index or offset is too large for a module"},
	{DoubtMode, "the offset is exact in compiled code, past the operator in the classic interpreter, and meaningless in the fast one"},
	{DoubtNothing, "the engine prints neither function nor offset for WebAssembly code"},
	{DoubtForm, "the form of the line is outdated or unusual"},
	{DoubtCut, "the line was cut off, so that digits of its offset may be missing"},
}

// Has reports whether all of the given doubts are in the set.
func (d Doubts) Has(x Doubts) bool { return d&x == x }

// Confidence returns the grade that the doubts leave.
func (d Doubts) Confidence() Confidence {
	switch {
	case d == 0:
		return High
	case d < doubtMinorEnd:
		return Medium
	}
	return Low
}

// Reason returns the doubts in words, separated by "; ", and the empty string
// when there are none.
func (d Doubts) Reason() string {
	var parts []string
	for _, t := range doubtTexts {
		if d.Has(t.doubt) {
			parts = append(parts, t.text)
		}
	}
	return strings.Join(parts, "; ")
}
