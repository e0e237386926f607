package symcheck

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// noSource stands for functions whose source file is not known.
const noSource = "(no source file)"

// coverage sums the walk up and holds it against the thresholds.
func (x *dwarfCheck) coverage() {
	cov := &report.Coverage{}
	byClass := map[string]*report.Group{}
	byLanguage := map[string]*report.Group{}
	byUnit := map[int32]*report.Group{}
	byFile := map[string]*report.Group{}
	units := map[int32]string{}
	for i := range x.bodies {
		r := &x.bodies[i]
		index, e := x.f.Body(i)
		g := report.Group{Name: r.name, Class: classes[r.class], Size: int64(e.End - e.Start),
			Counts: report.Counts{Line: int64(r.line), Function: int64(r.function), Nothing: int64(r.nothing)}}
		if g.Name == "" {
			g.Name = fmt.Sprintf("function[%d]", index)
		}
		language, file := "", r.file
		if r.unit >= 0 {
			language = x.languages[r.unit]
			if _, ok := units[r.unit]; !ok {
				units[r.unit] = x.f.Unit(int(r.unit)).Name
			}
			if file == "" {
				file = units[r.unit]
			}
			addTo(byUnit, r.unit, units[r.unit], "", &g)
		}
		if language == "" {
			language = "unknown"
		}
		if file == "" {
			file = noSource
		}
		g.Parent = file
		addTo(byClass, g.Class, g.Class, "", &g)
		addTo(byLanguage, language, language, "", &g)
		addTo(byFile, file, file, directory(file), &g)
		cov.Total.Add(g.Counts)
		cov.Functions = append(cov.Functions, g)
	}
	for _, c := range classes {
		if g := byClass[c]; g != nil {
			cov.Classes = append(cov.Classes, *g)
		}
	}
	cov.Languages, cov.Files = sortedGroups(byLanguage), sortedGroups(byFile)
	for _, u := range slices.Sorted(maps.Keys(byUnit)) {
		cov.Units = append(cov.Units, *byUnit[u])
	}
	x.s.Coverage = cov
	x.thresholds(cov)
}

// addTo adds a function to one of the groups that it belongs to. A group with
// functions of several classes is of the class user.
func addTo[K comparable](groups map[K]*report.Group, key K, name, parent string, g *report.Group) {
	to := groups[key]
	if to == nil {
		to = &report.Group{Name: name, Parent: parent, Class: g.Class}
		groups[key] = to
	}
	if to.Class != g.Class {
		to.Class = ClassUser
	}
	to.Size += g.Size
	to.Counts.Add(g.Counts)
}

func sortedGroups(groups map[string]*report.Group) []report.Group {
	var out []report.Group
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, *groups[key])
	}
	return out
}

// directory returns the directory of a path as a compiler recorded it, on any
// system.
func directory(file string) string {
	if file == noSource {
		return ""
	}
	if i := strings.LastIndexAny(file, `/\`); i >= 0 {
		return file[:max(i, 1)]
	}
	return path.Dir(file)
}

// thresholds reports classes with too little coverage. Where nothing can resolve
// at all, another rule has said so already.
func (x *dwarfCheck) thresholds(cov *report.Coverage) {
	for i := range cov.Classes {
		g := &cov.Classes[i]
		least := x.o.MinCoverage.of(g.Name)
		_, explicit := x.o.MinCoverage[g.Name]
		if !explicit && (x.ghost || !x.f.HasDWARF() && !x.sourceMap) {
			continue
		}
		have := g.Counts.Ratio() * 100
		if g.Counts.Total() == 0 || have >= least {
			continue
		}
		worst := worstFunctions(cov.Functions, g.Name)
		at := report.Location{Path: x.debug().Path}
		var samples []report.Location
		for _, k := range worst {
			_, e := x.f.Body(k)
			samples = append(samples, x.at(e.Start))
		}
		if len(samples) > 0 {
			at = samples[0]
		}
		f := x.find(CoverageLow, at, "%.1f %% of the %d reportable points of the class %s resolve to a line, %g %% are asked for; %d resolve to a function only and %d to nothing",
			have, g.Counts.Total(), g.Name, least, g.Counts.Function, g.Counts.Nothing)
		if f != nil {
			f.Samples = samples
		}
	}
}

// worstFunctions returns the functions of a class with the most points that do
// not resolve to a line.
func worstFunctions(functions []report.Group, class string) []int {
	missing := func(i int) int64 { return functions[i].Counts.Function + functions[i].Counts.Nothing }
	var all []int
	for i := range functions {
		if functions[i].Class == class && missing(i) > 0 {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Or(cmp.Compare(missing(b), missing(a)), cmp.Compare(a, b)) })
	return all[:min(len(all), maxSamples)]
}
