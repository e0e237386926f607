package rewrite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// RecordVersion is the version of the wasm-debugid section that this package
// writes.
const RecordVersion = 1

// Record is the contents of the custom section wasm-debugid, which every
// companion carries behind its Code section. It ties the companion to its very
// production module. The contents are one JSON document, UTF-8, without a length
// prefix; numbers are bytes and file offsets, digests are BLAKE3-256 in lower-case
// hex.
type Record struct {
	Version    int              `json:"version"`                 // RecordVersion
	Kind       string           `json:"kind"`                    // full or symbols
	BuildID    string           `json:"build_id"`                // hex of the bare ID
	Production RecordProduction `json:"production"`              // the production module
	Code       *RecordCode      `json:"code,omitempty"`          // its code; absent for a module without any
	Debug      *RecordDebug     `json:"debug,omitempty"`         // the companion's debug data
	Stripped   []RecordStripped `json:"stripped"`                // sections of the input that the production module lacks, in input order; the first maxStripped
	More       int              `json:"stripped_more,omitempty"` // how many more there are
	Input      []RecordPiece    `json:"input"`                   // how the input is put together again; null where it cannot be
}

// RecordProduction identifies the production module.
type RecordProduction struct {
	Size   int64  `json:"size"`
	BLAKE3 string `json:"blake3"`
}

// RecordCode identifies the payload of the production module's Code section.
type RecordCode struct {
	Start  wasm.FileOffset `json:"start"` // code start: F of the payload in both files
	Size   int64           `json:"size"`
	BLAKE3 string          `json:"blake3"`
}

// Holds reports whether a Code section's payload is the one that the record names.
func (c *RecordCode) Holds(ctx context.Context, payload []byte) (bool, error) {
	if c.Size != int64(len(payload)) {
		return false, nil
	}
	sum, err := buildid.Sum(ctx, bytes.NewReader(payload), 0, c.Size, buildid.Options{})
	return err == nil && sum.String() == c.BLAKE3, err
}

// RecordDebug identifies what the companion answers with: its ".debug_*" sections
// and the names of functions, as [buildid.Measurement.DebugDigest] hashes them. It
// ties them to the pair where the build ID does not.
type RecordDebug struct {
	Size   int64  `json:"size"` // bytes that were hashed
	BLAKE3 string `json:"blake3"`
}

// RecordStripped names a section that was stripped.
type RecordStripped struct {
	Name string `json:"name"`
	Size int64  `json:"size"` // length of the whole section
}

// RecordPiece is a run of whole sections of the input. The 8-byte preamble of a
// module stands before the first one.
//
// The linker's own build IDs are hashes over the whole input, so they can be
// judged later only on an input that has been put together again.
type RecordPiece struct {
	From    string `json:"from"`              // companion, production or literal
	First   int    `json:"first,omitempty"`   // index of the first section in that file
	Count   int    `json:"count,omitempty"`   // number of sections
	Literal []byte `json:"literal,omitempty"` // literal: the bytes, in base64
}

// Limits of a Record. What a plan writes stays below what is read, whatever the
// input holds.
const (
	maxRecord   = 4 << 20   // size in bytes of a Record that is read
	maxStripped = 5_000     // sections listed as stripped
	maxName     = 256       // bytes of their names
	maxPieces   = 10_000    // pieces of the input
	maxLiteral  = 512 << 10 // bytes of literals in all pieces
)

// encode returns the section's contents.
func (r *Record) encode() ([]byte, error) { return json.Marshal(r) }

// ReadRecord reads the wasm-debugid section of a companion. It returns nil and
// no error for a file that has none.
func ReadRecord(f *wasm.File) (*Record, error) {
	s := f.Custom(wasm.CustomWasmDebugID)
	if s == nil {
		return nil, nil
	}
	b, err := s.Bytes(maxRecord)
	if err != nil {
		return nil, err
	}
	var r Record
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, &wasm.FormatError{Off: s.Data, Section: s.Label(), Msg: "its contents are not the JSON they should be", Err: err}
	}
	if r.Version < 1 {
		return nil, &wasm.FormatError{Off: s.Data, Section: s.Label(), Msg: "its contents name no version: they are no record of a split"}
	}
	if r.Version > RecordVersion {
		return nil, &wasm.FormatError{Off: s.Data, Section: s.Label(),
			Msg: fmt.Sprintf("version %d is not known; a later release of wasm-debugid wrote it", r.Version)}
	}
	return &r, nil
}

// pieces tells how the input is put together again from the outputs. It returns
// nil where it cannot be.
func pieces(in *wasm.File, production, companion []item) []RecordPiece {
	where := func(list []item) map[*wasm.Section]int {
		m := map[*wasm.Section]int{}
		for i, it := range list {
			if it.src != nil && !it.blank {
				m[it.src] = i
			}
		}
		return m
	}
	inCompanion, inProduction := where(companion), where(production)
	out := []RecordPiece{}
	literals := int64(0)
	for i := range in.Sections {
		s := &in.Sections[i]
		if len(out) > maxPieces {
			return nil
		}
		if k, ok := inCompanion[s]; ok {
			out = appendRun(out, "companion", k)
		} else if k, ok := inProduction[s]; ok {
			out = appendRun(out, "production", k)
		} else {
			if literals += s.Len(); literals > maxLiteral {
				return nil
			}
			b := make([]byte, s.Len())
			if _, err := in.ReadAt(b, int64(s.Offset)); err != nil {
				return nil
			}
			out = append(out, RecordPiece{From: "literal", Literal: b})
		}
	}
	return out
}

func appendRun(out []RecordPiece, from string, index int) []RecordPiece {
	if k := len(out) - 1; k >= 0 && out[k].From == from && out[k].First+out[k].Count == index {
		out[k].Count++
		return out
	}
	return append(out, RecordPiece{From: from, First: index, Count: 1})
}
