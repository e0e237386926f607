package symcheck

import (
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// maxPairNames bounds the size in bytes of the names that are kept for a
// comparison.
const maxPairNames = 1 << 30

// functionNames compares the names that the two files give to functions, imports
// included. A name that one of them lacks is no difference: names may be stripped.
func (c *checker) functionNames() error {
	if c.comp == nil || c.o.Planned {
		return nil
	}
	p, k := c.prod.File.Custom(wasm.CustomName), c.comp.File.Custom(wasm.CustomName)
	if p == nil || k == nil {
		return nil
	}
	ours, err := wasm.ReadNames(p)
	if ours == nil {
		return c.prod.unless(err)
	}
	theirs, err := wasm.ReadNames(k)
	if theirs == nil {
		return c.comp.unless(err)
	}
	table, err := theirs.Functions(maxPairNames)
	if table == nil {
		return c.comp.unless(err)
	}
	compared, n := 0, 0
	var samples []report.Location
	var first string
	list := ours.Map(wasm.NameFunctions)
	for list.Next() {
		index := list.Index()
		kept, ok := table.Name(index)
		if !ok {
			continue
		}
		compared++
		if name := string(list.Name()); name != kept && !sameFunction(name, kept, kept) {
			if n++; n == 1 {
				first = name + " and " + kept
			}
			if len(samples) < maxSamples {
				at, _ := list.Extent()
				samples = append(samples, report.Location{Path: c.prod.Path, Section: p.Label(), File: &at, Index: &index, Function: name})
			}
		}
	}
	if compared > 0 {
		c.checked("the names that both files give to %d functions are compared", compared)
	}
	if n > 0 {
		many(c.find(ProductionNames, samples[0], "%d of %d functions are called differently in the production module and in the companion, such as %s", n, compared, first), n, samples)
	}
	return c.prod.unless(list.Err())
}

// unless is fail for what has to be read, and is a finding of other rules where it
// is malformed.
func (m *Module) unless(err error) error {
	if err == nil || isFormat(err) {
		return nil
	}
	return m.fail(err)
}
