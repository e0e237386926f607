package stacktrace

import (
	"fmt"
	"testing"
)

// TestOriginsAreFound: an origin has one number, however many there are; the frames of
// a module would not vote together otherwise.
func TestOriginsAreFound(t *testing.T) {
	var m traceMemory
	const modules = 3 * fewOrigins
	for round := range 3 {
		for i := range modules {
			f := &Frame{Module: fmt.Appendf(nil, "m%d", i)}
			if got := m.originOf(origin{frame: f}); got != i {
				t.Fatalf("round %d: module %d has number %d", round, i, got)
			}
		}
	}
	if len(m.origins) != modules || len(m.sizes) != modules {
		t.Errorf("%d origins and %d sizes for %d modules", len(m.origins), len(m.sizes), modules)
	}
}
