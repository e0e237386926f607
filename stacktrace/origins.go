package stacktrace

import "bytes"

// traceMemory is what resolving a trace needs, to be used again for the next.
type traceMemory struct {
	out     []*Resolution
	origins []origin
	chosen  []choice
	numbers map[originKey]int // of origins, where there are many
	group   []int             // number of the origin of each frame
	sizes   []int             // number of frames of each origin; then where its last one stands in members
	members []*Frame          // by origin
	key     []byte
}

// fewOrigins is the number of origins that are looked through one by one. Traces
// have one or two; a document may have as many as it has frames.
const fewOrigins = 16

// originKey is what an origin says about a module, see [origin.same].
type originKey struct {
	image        *Image
	named        int
	kind         LocationKind
	text, module string
}

func (o origin) key() originKey {
	f := o.frame
	return originKey{o.image, o.named, f.Location.Kind, string(f.Location.Text), string(f.Module)}
}

// originOf returns the number of an origin, a new one if it has none.
func (m *traceMemory) originOf(o origin) int {
	if len(m.origins) <= fewOrigins {
		for g := len(m.origins) - 1; g >= 0; g-- {
			if m.origins[g].same(o) {
				return g
			}
		}
	} else {
		if len(m.numbers) == 0 {
			m.numbers = map[originKey]int{}
			for g, known := range m.origins {
				m.numbers[known.key()] = g
			}
		}
		if g, ok := m.numbers[o.key()]; ok {
			return g
		}
		m.numbers[o.key()] = len(m.origins)
	}
	m.origins, m.sizes = append(m.origins, o), append(m.sizes, 0)
	return len(m.origins) - 1
}

// same reports whether two frames say the same about their module.
func (o origin) same(other origin) bool {
	a, b := o.frame, other.frame
	return o.image == other.image && o.named == other.named && a.Location.Kind == b.Location.Kind &&
		bytes.Equal(a.Location.Text, b.Location.Text) && bytes.Equal(a.Module, b.Module)
}
