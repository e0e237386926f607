package symcheck

import (
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
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
		if f := c.findAs(severity, IDNotFresh, at, "%s", v.Reason); f != nil && c.comp != nil && v.Scheme == buildid.SchemeContent {
			f.Remedy = "take both files from one split, and let no tool change either of them after it" // no linker made this ID
		}
	case buildid.Fresh:
		c.checked("the build ID is recomputed from the bytes that it was made for")
	}
	return nil
}

// judge judges the build ID of a module, or of a pair on both files.
func (c *checker) judge(found *buildid.Found) (buildid.Verdict, report.Location, error) {
	opt := buildid.Options{Workers: c.o.Workers}
	at := in(c.prod, found.First().Section)
	if c.comp == nil {
		v, err := buildid.Judge(c.ctx, c.prod.File, *found, opt)
		return v, at, c.prod.fail(err)
	}
	p := rewrite.Pair{Production: c.prod.File, Companion: c.comp.File, Record: c.record, Measured: c.measured}
	v, err := p.Judge(c.ctx, found.ID, opt)
	return v, at, c.comp.fail(err)
}
