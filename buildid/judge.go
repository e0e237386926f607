package buildid

import (
	"context"
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Freshness says whether a file is still the one that its ID was made for.
type Freshness int

// The three answers.
const (
	FreshnessUnknown Freshness = iota // cannot tell
	Fresh                             // recomputing the ID gives the same
	Changed                           // it gives another: something in the file has changed since
)

// String returns "cannot tell", "fresh" or "changed".
func (f Freshness) String() string {
	switch f {
	case FreshnessUnknown:
		return "cannot tell"
	case Fresh:
		return "fresh"
	case Changed:
		return "changed"
	}
	return fmt.Sprintf("freshness %d", int(f))
}

// Scheme is a way of making IDs, as far as an ID's form gives it away.
type Scheme int

// Schemes, with the form by which each is told.
const (
	SchemeNone    Scheme = iota // no ID
	SchemeFast                  // wasm-ld --build-id, --build-id=fast: UUID of version 5
	SchemeSHA1                  // wasm-ld --build-id=sha1 or tree: 20 bytes
	SchemeContent               // the content ID of this package: UUID of version 8
	SchemeRandom                // wasm-ld --build-id=uuid and others: UUID of version 4
	SchemeGiven                 // anything else
)

var schemeNames = [...]string{"none", "fast", "sha1", "content", "random", "given"}

// String returns the scheme in one lower-case word.
func (s Scheme) String() string {
	if s < 0 || int(s) >= len(schemeNames) {
		return fmt.Sprintf("scheme %d", int(s))
	}
	return schemeNames[s]
}

// cannotTell is the reason for schemes that cannot be recomputed.
func (s Scheme) cannotTell() string {
	switch s {
	case SchemeNone:
		return "there is no id to judge"
	case SchemeRandom:
		return "the id is random (a UUID of version 4); nothing can be recomputed from the file"
	case SchemeContent:
		return "a content id (a UUID of version 8) is judged by the sections of the module, not by its bytes"
	}
	return "the id has the form of none that can be recomputed; somebody gave it to the linker"
}

// SchemeOf guesses from its form how an ID was made.
func SchemeOf(id ID) Scheme {
	switch len(id) {
	case 0:
		return SchemeNone
	case 20:
		return SchemeSHA1
	}
	switch uuidVersion(id) {
	case 4:
		return SchemeRandom
	case 5:
		return SchemeFast
	case 8:
		return SchemeContent
	}
	return SchemeGiven
}

// Verdict is the outcome of a judgement.
type Verdict struct {
	Freshness Freshness
	Scheme    Scheme // what the form of the ID points to
	Reason    string // one sentence, without a full stop
}

// Judge recomputes the ID of f, where its scheme allows that, and compares. It
// reads the whole file. What it can say:
//
//   - an ID of wasm-ld's "fast" is fresh or changed. Every byte of the file
//     counts for it, so that changed does not mean that the code did;
//   - a 20-byte ID is fresh, or it cannot be told: it may be a git commit;
//   - a content ID is fresh or changed in a module that holds its DWARF; half of
//     a split pair does not hold all that was hashed, so that a difference there
//     cannot be told from a change (see ContentOfPair);
//   - of every other ID nothing can be told.
func Judge(ctx context.Context, f *wasm.File, found Found, o Options) (Verdict, error) {
	return judge(ctx, f, found, o, func() (*Measurement, error) { return Measure(ctx, f, o) })
}

func judge(ctx context.Context, f *wasm.File, found Found, o Options, measure func() (*Measurement, error)) (Verdict, error) {
	sec := found.First()
	if sec == nil {
		return Verdict{Reason: fmt.Sprintf("the file holds no single id to judge (%v)", found.Status)}, nil
	}
	if SchemeOf(found.ID) != SchemeContent {
		at, _ := sec.IDOffset()
		return JudgeBytes(ctx, f.Reader(), f.Size(), int64(at), found.ID, o)
	}
	m, err := measure()
	if err != nil {
		return Verdict{}, err
	}
	again := m.ContentOf(f)
	v := Verdict{Scheme: SchemeContent}
	switch {
	case again.Equal(found.ID):
		v.Freshness = Fresh
		v.Reason = "the content id of this file is the same: nothing that it covers has changed"
	case f.Custom(wasm.CustomWasmDebugID) != nil:
		v.Reason = "the file is a debug companion, and its id covers the production module too: the pair is needed"
	case f.Custom(wasm.CustomExternalDebugInfo) != nil:
		v.Reason = "the file points to a debug companion, and its id covers the companion too: the pair is needed"
	case !f.HasDebug():
		v.Reason = "the file holds no DWARF, and its id may cover that of a debug companion: the pair is needed"
	default:
		v.Freshness = Changed
		v.Reason = fmt.Sprintf("the content id of this file is %v: something that the id covers has changed since it was made", again)
	}
	return v, nil
}
