package rewrite

import (
	"context"
	"errors"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Pair is a split module and its companion, open.
type Pair struct {
	Production, Companion *wasm.File
	Record                *Record // the companion's; nil without one
	// Measured gives the hashes of the companion's debug data where they may have been
	// taken already; nil to take them.
	Measured func() (*buildid.Measurement, error)
}

// Judge recomputes the ID of a pair, where its scheme allows that, from the bytes that
// it was made for: a content ID from both files, and a linker's from the input of the
// split, which the record puts together again. Neither file alone holds all of it; see
// [buildid.Judge] for what can be said of a single one.
func (p *Pair) Judge(ctx context.Context, id buildid.ID, o buildid.Options) (buildid.Verdict, error) {
	scheme := buildid.SchemeOf(id)
	if scheme != buildid.SchemeContent {
		return p.judgeInput(ctx, id, o)
	}
	measured := p.Measured
	if measured == nil {
		measured = func() (*buildid.Measurement, error) { return buildid.MeasureDebug(ctx, p.Companion, o) }
	}
	m, err := measured()
	if err != nil {
		return buildid.Verdict{}, err
	}
	again, err := buildid.ContentOfHalves(ctx, p.Production, m, o)
	switch {
	case err != nil:
		return buildid.Verdict{}, err
	case again.Equal(id):
		return buildid.Verdict{Freshness: buildid.Fresh, Scheme: scheme, Reason: "recomputing the content ID of the pair gives the same"}, nil
	case p.Record == nil:
		return buildid.Verdict{Scheme: scheme, Reason: "the ID has the form of a content ID, but the pair was not made by wasm-debugid"}, nil
	}
	return buildid.Verdict{Freshness: buildid.Changed, Scheme: scheme,
		Reason: "recomputing the content ID of the pair gives " + again.String() + ": something in the pair has changed since the split"}, nil
}

// judgeInput judges an ID on the input of the split.
func (p *Pair) judgeInput(ctx context.Context, id buildid.ID, o buildid.Options) (buildid.Verdict, error) {
	unknown := func(reason string) (buildid.Verdict, error) {
		return buildid.Verdict{Scheme: buildid.SchemeOf(id), Reason: reason}, nil
	}
	if p.Record == nil {
		// Tools that strip a copy leave what the linker wrote as the companion.
		found, err := buildid.Read(p.Companion)
		if err != nil {
			return buildid.Verdict{}, err
		}
		if found.ID.Equal(id) {
			v, err := buildid.Judge(ctx, p.Companion, found, o)
			if err != nil {
				return v, err
			}
			if v.Freshness == buildid.Fresh {
				v.Reason = "the companion is what the linker wrote: " + v.Reason
				return v, nil
			}
		}
		return unknown("the pair was made by another tool, and a linker's ID can only be recomputed from the file that the linker wrote")
	}
	input, err := Rebuild(p.Record, p.Production, p.Companion)
	if err != nil {
		return unknown(err.Error())
	}
	f, err := wasm.NewFile(input, input.Size())
	if err != nil {
		var format *wasm.FormatError
		if !errors.Is(err, wasm.ErrRead) && (errors.As(err, &format) || errors.Is(err, wasm.ErrNotModule)) {
			return unknown("the input of the split cannot be put together again: " + err.Error())
		}
		return buildid.Verdict{}, err
	}
	found, err := buildid.Read(f)
	if err != nil {
		return buildid.Verdict{}, err
	}
	if !found.ID.Equal(id) {
		return unknown("the split replaced the ID of its input, and this one has the form of none that can be recomputed")
	}
	return buildid.Judge(ctx, f, found, o)
}
