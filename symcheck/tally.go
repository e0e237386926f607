package symcheck

import (
	"fmt"
	"math/bits"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// All functions are listed one by one in the report, unless there are more than
// this many and they are smaller on average than this many bytes: a module can be
// made to hold millions. Those that come behind share one line.
const (
	listedAlways = 1 << 16
	listedBytes  = 32
)

// tally is what was found out about a number of bodies. Tallies that are added in
// any order give the same.
type tally struct {
	bodies       int
	instructions int64
	functions    [len(classes)]int
	classes      [len(classes)]report.Group
	files        map[string]*report.Group
	units        map[int32]*report.Group // −1: of no unit
	defects      [numDefects]places
	rows         map[int32]rowTally // by unit
	debugged     codeTally          // functions with debug information
	debuggedUser codeTally          // of them, those of the class user
	library      codeTally          // without: of libraries, by their names
	bare         codeTally          // without: all others but glue
	rest         report.Group       // functions that are not listed
	unlisted     int
}

func newTally() *tally {
	return &tally{files: map[string]*report.Group{}, units: map[int32]*report.Group{}, rows: map[int32]rowTally{}}
}

// record adds what was found out about body i.
func (x *dwarfCheck) record(t *tally, r *bodyResult, i int) {
	index, e := x.f.Body(i)
	file := r.file
	if file == "" && r.unit >= 0 {
		file = x.unitName(t, r.unit)
	}
	if file == "" {
		file = noSource
	}
	g := report.Group{Name: r.name, Parent: file, Class: classes[r.class], Size: int64(e.End - e.Start), Counts: r.counts}
	t.bodies++
	t.instructions += r.instructions
	t.functions[r.class]++
	addTo(&t.classes[r.class], &g)
	addIn(t.files, file, &g)
	addIn(t.units, r.unit, &g)
	switch {
	case r.unit >= 0:
		t.debugged.count(g.Size)
		if r.class == userClass {
			t.debuggedUser.count(g.Size)
		}
	case r.class == runtimeClass && r.name != "":
		t.library.count(g.Size)
	case r.class != glueClass:
		t.bare.count(g.Size)
	}
	if r.defects&(rowless|rowful) != 0 {
		n := t.rows[r.unit]
		n.add(r.defects)
		t.rows[r.unit] = n
	}
	for d := range t.defects {
		if r.defects&(1<<d) == 0 {
			continue
		}
		at := e.Start
		if 1<<d == rowOff || 1<<d == rangeOff {
			at = r.place
		}
		t.defects[d].add(at)
	}
	if i < len(x.listed) {
		if g.Name == "" {
			g.Name = fmt.Sprintf("function[%d]", index)
		}
		x.listed[i] = g
	} else {
		t.unlisted++
		addTo(&t.rest, &g)
	}
}

// unitName returns the name of a unit, which is remembered in the unit's group.
func (x *dwarfCheck) unitName(t *tally, unit int32) string {
	g := t.units[unit]
	if g == nil {
		g = &report.Group{}
		t.units[unit] = g
	}
	if g.Name == "" {
		g.Name = x.f.Unit(int(unit)).Name
	}
	return g.Name
}

// add adds the bodies of o.
func (t *tally) add(o *tally) {
	t.bodies += o.bodies
	t.instructions += o.instructions
	for c := range t.classes {
		t.functions[c] += o.functions[c]
		addTo(&t.classes[c], &o.classes[c])
	}
	for file, g := range o.files {
		addIn(t.files, file, g)
	}
	for unit, g := range o.units {
		addIn(t.units, unit, g)
	}
	t.debugged.add(o.debugged)
	t.debuggedUser.add(o.debuggedUser)
	t.library.add(o.library)
	t.bare.add(o.bare)
	for unit, n := range o.rows {
		m := t.rows[unit]
		t.rows[unit] = rowTally{m.with + n.with, m.without + n.without}
	}
	for d := range t.defects {
		t.defects[d].merge(&o.defects[d])
	}
	t.unlisted += o.unlisted
	addTo(&t.rest, &o.rest)
}

// total returns the counts of all bodies.
func (t *tally) total() (n report.Counts) {
	for c := range t.classes {
		n.Add(t.classes[c].Counts)
	}
	return n
}

// of returns where there is a defect.
func (t *tally) of(defect uint16) *places { return &t.defects[bits.TrailingZeros16(defect)] }

func addIn[K comparable](groups map[K]*report.Group, key K, g *report.Group) {
	to := groups[key]
	if to == nil {
		to = &report.Group{}
		groups[key] = to
	}
	addTo(to, g)
}

// addTo adds a function, or a group of them, to a group that it belongs to. A group
// with functions of several classes is of the class user.
func addTo(to, g *report.Group) {
	switch {
	case g.Class == "":
	case to.Class == "":
		to.Class = g.Class
	case to.Class != g.Class:
		to.Class = ClassUser
	}
	to.Size += g.Size
	to.Counts.Add(g.Counts)
}
