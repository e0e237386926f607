package symcheck

import (
	"context"
	"errors"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// freshness judges the build ID on the bytes that it was made for: those of an
// unsplit module, or those that a companion's record puts together again. A
// stripped file by itself never matches a linker's hash.
func (c *checker) freshness() error {
	found := &c.ids[0]
	if found.First() == nil || c.o.Planned {
		return nil
	}
	v, at, err := c.judge(found)
	if err != nil {
		return err
	}
	c.fact("freshness", "%v: %s", v.Freshness, v.Reason)
	switch v.Freshness {
	case buildid.Changed:
		severity := report.Error
		if c.comp == nil {
			severity = report.Warning // a split will renew it
		}
		c.findAs(severity, IDNotFresh, at, "%s", v.Reason)
	case buildid.Fresh:
		c.checked("the build ID is recomputed from the bytes that it was made for")
	}
	return nil
}

func (c *checker) judge(found *buildid.Found) (buildid.Verdict, report.Location, error) {
	opt := buildid.Options{Workers: c.o.Workers}
	at := in(c.prod, found.First().Section)
	if c.comp == nil {
		v, err := buildid.Judge(c.ctx, c.prod.File, *found, opt)
		return v, at, c.prod.fail(err)
	}
	scheme := buildid.SchemeOf(found.ID)
	if scheme == buildid.SchemeContent {
		m, err := c.measured()
		if err != nil {
			return buildid.Verdict{}, at, err
		}
		id, err := buildid.ContentOfHalves(c.ctx, c.prod.File, m, opt)
		if err != nil {
			return buildid.Verdict{}, at, c.prod.fail(err)
		}
		switch {
		case id.Equal(found.ID):
			return buildid.Verdict{Freshness: buildid.Fresh, Scheme: scheme, Reason: "recomputing the content ID of the pair gives the same"}, at, nil
		case c.record == nil:
			return buildid.Verdict{Scheme: scheme, Reason: "the ID has the form of a content ID, but the pair was not made by wasm-debugid"}, at, nil
		}
		return buildid.Verdict{Freshness: buildid.Changed, Scheme: scheme,
			Reason: "recomputing the content ID of the pair gives " + id.String() + ": something in the pair has changed since the split"}, at, nil
	}
	v, err := judgeRebuilt(c.ctx, c.record, c.prod, c.comp, found.ID, opt)
	return v, at, err
}

// judgeRebuilt judges a linker's ID on the input of the split, which is put
// together from the pair.
func judgeRebuilt(ctx context.Context, record *rewrite.Record, prod, comp *Module, id buildid.ID, opt buildid.Options) (buildid.Verdict, error) {
	unknown := func(reason string) (buildid.Verdict, error) {
		return buildid.Verdict{Scheme: buildid.SchemeOf(id), Reason: reason}, nil
	}
	if record == nil {
		return unknown("the pair was made by another tool, and a linker's ID can only be recomputed from the file that the linker wrote")
	}
	input, err := rewrite.Rebuild(record, prod.File, comp.File)
	if err != nil {
		return unknown(err.Error())
	}
	f, err := wasm.NewFile(input, input.Size())
	if err != nil {
		if isFormat(err) || errors.Is(err, wasm.ErrNotModule) {
			return unknown("the input of the split cannot be put together again: " + err.Error())
		}
		return buildid.Verdict{}, comp.fail(err)
	}
	found, err := buildid.Read(f)
	if err != nil {
		return buildid.Verdict{}, comp.fail(err)
	}
	if !found.ID.Equal(id) {
		return unknown("the split replaced the ID of its input, and this one has the form of none that can be recomputed")
	}
	v, err := buildid.Judge(ctx, f, found, opt)
	return v, comp.fail(err)
}
