package testwasm

import (
	"sort"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Custom returns a custom section.
func Custom(name string, data []byte) Section {
	return Section{ID: wasm.SectionCustom, Name: name, Payload: data}
}

// BuildID returns a build_id section in the convention's encoding.
func BuildID(id []byte) Section { return Custom("build_id", bytesVec(nil, id)) }

// ExternalDebugInfo returns an external_debug_info section.
func ExternalDebugInfo(url string) Section {
	return Custom("external_debug_info", wasm.AppendName(nil, url))
}

// SourceMappingURL returns a sourceMappingURL section.
func SourceMappingURL(url string) Section {
	return Custom("sourceMappingURL", wasm.AppendName(nil, url))
}

// TargetFeatures returns a target_features section; each feature is written
// with its prefix, as in "+simd128".
func TargetFeatures(features ...string) Section {
	return Custom("target_features", vec(features, func(b []byte, f string) []byte {
		return wasm.AppendName(append(b, f[0]), f[1:])
	}))
}

// Producer is one value of one field of a producers section.
type Producer struct{ Field, Name, Version string }

// Producers returns a producers section. Values of the same field that follow
// one another are gathered in one field.
func Producers(values ...Producer) Section {
	var fields [][]Producer
	for _, v := range values {
		if n := len(fields); n > 0 && fields[n-1][0].Field == v.Field {
			fields[n-1] = append(fields[n-1], v)
			continue
		}
		fields = append(fields, []Producer{v})
	}
	return Custom("producers", vec(fields, func(b []byte, f []Producer) []byte {
		b = wasm.AppendName(b, f[0].Field)
		return append(b, vec(f, func(b []byte, p Producer) []byte {
			return wasm.AppendName(wasm.AppendName(b, p.Name), p.Version)
		})...)
	}))
}

// NameMap maps indices to names; it is written in the order of the indices.
type NameMap map[uint32]string

// List returns a NameMap that names the indices from 0 on.
func List(names ...string) NameMap {
	m := NameMap{}
	for i, n := range names {
		m[uint32(i)] = n
	}
	return m
}

// From returns a NameMap that names the indices from first on.
func From(first uint32, names ...string) NameMap {
	m := NameMap{}
	for i, n := range names {
		m[first+uint32(i)] = n
	}
	return m
}

// Payload returns the encoded map.
func (m NameMap) Payload() []byte {
	keys := make([]uint32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	return vec(keys, func(b []byte, k uint32) []byte {
		return wasm.AppendName(wasm.AppendUint32(b, k), m[k])
	})
}

// Names is the content of a name section. Subsections that are empty are not
// written.
type Names struct {
	Module    string
	Functions NameMap
	Locals    map[uint32]NameMap // by function index
	Globals   NameMap
	Data      NameMap
	Extra     []Section // further subsections: ID and Payload (Width and Claimed work as for sections)
}

// Section returns the name section.
func (n Names) Section() Section {
	var b []byte
	if n.Module != "" {
		b = Subsection(0, wasm.AppendName(nil, n.Module)).Append(b)
	}
	if len(n.Functions) > 0 {
		b = Subsection(1, n.Functions.Payload()).Append(b)
	}
	if len(n.Locals) > 0 {
		keys := make([]uint32, 0, len(n.Locals))
		for k := range n.Locals {
			keys = append(keys, k)
		}
		sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
		b = Subsection(2, vec(keys, func(b []byte, k uint32) []byte {
			return append(wasm.AppendUint32(b, k), n.Locals[k].Payload()...)
		})).Append(b)
	}
	if len(n.Globals) > 0 {
		b = Subsection(7, n.Globals.Payload()).Append(b)
	}
	if len(n.Data) > 0 {
		b = Subsection(9, n.Data.Payload()).Append(b)
	}
	for _, s := range n.Extra {
		b = s.Append(b)
	}
	return Custom("name", b)
}

// Subsection returns a subsection of a name, dylink.0 or linking section. It is
// built like a section, so Pad and Claim work.
func Subsection(id byte, payload []byte) Section {
	if id == 0 {
		// Id 0 would make a custom section with a name of its own.
		header, _ := wasm.AppendSectionHeader(nil, 0, uint32(len(payload)), 0)
		return Raw(append(header, payload...)...)
	}
	return Unknown(id, payload)
}
