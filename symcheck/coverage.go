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

// coverage lists what the walk has summed up and holds it against the thresholds.
func (x *dwarfCheck) coverage() {
	cov := &report.Coverage{Total: x.sum.total(), Functions: x.listed}
	for c := range x.sum.classes {
		if g := x.sum.classes[c]; x.sum.functions[c] > 0 {
			g.Name = classes[c]
			cov.Classes = append(cov.Classes, g)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(x.sum.files)) {
		g := *x.sum.files[file]
		g.Name, g.Parent = file, directory(file)
		cov.Files = append(cov.Files, g)
	}
	languages := map[string]*report.Group{}
	for _, u := range slices.Sorted(maps.Keys(x.sum.units)) {
		g, language := *x.sum.units[u], ""
		if u >= 0 {
			g.Name, language = x.f.Unit(int(u)).Name, x.f.UnitLanguage(int(u)).String()
			cov.Units = append(cov.Units, g)
		}
		if language == "" {
			language = "unknown"
		}
		addIn(languages, language, &g)
	}
	for _, language := range slices.Sorted(maps.Keys(languages)) {
		g := *languages[language]
		g.Name = language
		cov.Languages = append(cov.Languages, g)
	}
	if x.sum.unlisted > 0 {
		g := x.sum.rest
		g.Name = fmt.Sprintf("%d more functions", x.sum.unlisted)
		cov.Functions = append(cov.Functions, g)
	}
	x.s.Coverage = cov
	x.thresholds(cov)
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
	groups := cov.Classes
	if x.sum.classes[userClass].Counts.Total() == 0 {
		// Nothing but libraries: they are held against what the program would be.
		groups = append(slices.Clone(groups), report.Group{Name: ClassUser, Counts: cov.Total})
	}
	for i := range groups {
		g := &groups[i]
		least := x.o.MinCoverage.of(g.Name)
		_, explicit := x.o.MinCoverage[g.Name]
		if !explicit && (x.ghost || !x.f.HasDWARF() && !x.sourceMap) {
			continue
		}
		have := g.Counts.Ratio() * 100
		if g.Counts.Total() == 0 || have >= least {
			continue
		}
		worst := worstFunctions(x.listed, g.Name)
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
