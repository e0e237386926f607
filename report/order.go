package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// kind is the findings of one rule in one subject.
type kind struct {
	rule     Rule
	severity Severity // the worst of the findings
	findings []*Finding
}

// places returns how many places the findings are about.
func (k *kind) places() int64 {
	var n int64
	for _, f := range k.findings {
		n += int64(max(f.Count, 1))
	}
	return n
}

// kinds groups the findings of a subject by rule, the worst first.
func kinds(r *Report, s *Subject) []*kind {
	var list []*kind
	for i := range s.Findings {
		f := &s.Findings[i]
		if f.Severity <= Off {
			continue
		}
		k := slices.IndexFunc(list, func(k *kind) bool { return k.rule.Code == f.Rule })
		if k < 0 {
			k = len(list)
			list = append(list, &kind{rule: r.Rule(f.Rule)})
		}
		list[k].severity = max(list[k].severity, f.Severity)
		list[k].findings = append(list[k].findings, f)
	}
	for _, k := range list {
		slices.SortStableFunc(k.findings, func(a, b *Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	}
	slices.SortStableFunc(list, func(a, b *kind) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(a.rule.Code, b.rule.Code))
	})
	return list
}

// remedy returns what to do about a finding.
func (k *kind) remedy(f *Finding) string {
	return cmp.Or(f.Remedy, k.rule.Remedy)
}

// subjects returns the subjects, those that fail first.
func subjects(r *Report) []*Subject {
	list := make([]*Subject, len(r.Subjects))
	for i := range r.Subjects {
		list[i] = &r.Subjects[i]
	}
	order := func(v Verdict) int {
		return [...]int{Fail: 0, CouldNotCheck: 1, NotProven: 2, Pass: 3}[min(max(v, 0), NotProven)]
	}
	slices.SortStableFunc(list, func(a, b *Subject) int { return cmp.Compare(order(a.Verdict), order(b.Verdict)) })
	return list
}

// name returns what a subject is called.
func (s *Subject) name() string {
	switch {
	case s.Production != "" && s.Companion != "":
		return clean(s.Production) + " + " + clean(s.Companion)
	case s.Production == "" && s.Companion == "":
		return "(no file)"
	}
	return clean(s.Production + s.Companion)
}

// path returns the file that a subject is reported under.
func (s *Subject) path() string { return cmp.Or(s.Production, s.Companion) }

// worst returns the n groups with the most places that do not resolve to a line.
func worst(groups []Group, n int) []Group {
	list := slices.DeleteFunc(slices.Clone(groups), func(g Group) bool { return unresolved(g.Counts) == 0 })
	slices.SortStableFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(unresolved(b.Counts), unresolved(a.Counts)), cmp.Compare(b.Size, a.Size),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Parent, b.Parent))
	})
	return list[:min(n, len(list))]
}

func unresolved(c Counts) int64 { return c.Function + c.Nothing }

// user returns the coverage of what people wrote, which is the figure to go by:
// code without debug information and what tools made would blur it. It reports
// false where there is none, and then returns that of everything.
func (c *Coverage) user() (Counts, bool) {
	for _, g := range c.Classes {
		if g.Name == "user" && g.Counts.Total() > 0 {
			return g.Counts, true
		}
	}
	return c.Total, false
}

// coverage adds up the coverage of all subjects: of the user code, and of everything.
// It reports false where none was measured.
func (r *Report) coverage() (user, all Counts, ok bool) {
	for i := range r.Subjects {
		if cov := r.Subjects[i].Coverage; cov != nil {
			ok = true
			all.Add(cov.Total)
			if u, is := cov.user(); is {
				user.Add(u)
			}
		}
	}
	return user, all, ok
}

// resolving says how much of the user code resolves, and of everything where that
// is more: what is not the user's may be most of it.
func resolving(user, all Counts) string {
	of := func(c Counts, where string) string {
		return fmt.Sprintf("%s of %s%s resolve to file and line", percent(c.Line, c.Total()), count(c.Total(), "place"), where)
	}
	switch {
	case user.Total() == 0:
		return of(all, "")
	case user == all:
		return of(user, " in user code")
	}
	return of(user, " in user code") + fmt.Sprintf(", %s of all %s", percent(all.Line, all.Total()), grouped(all.Total()))
}

// VerdictLine returns the outcome of a report in one line.
func VerdictLine(r *Report) string {
	var b strings.Builder
	b.WriteString(r.Verdict().String())
	b.WriteString(": ")
	b.WriteString(outcome(r))
	return b.String()
}

// outcome is VerdictLine without the verdict.
func outcome(r *Report) string {
	if len(r.Subjects) == 0 {
		return "there was nothing to check"
	}
	var parts []string
	if n := len(r.Subjects); n > 1 {
		var by [NotProven + 1]int
		for i := range r.Subjects {
			by[min(max(r.Subjects[i].Verdict, 0), NotProven)]++
		}
		text := fmt.Sprintf("%d of %d subjects pass", by[Pass], n)
		if by[Fail] > 0 {
			text += fmt.Sprintf(", %d fail", by[Fail])
		}
		if by[CouldNotCheck] > 0 {
			text += fmt.Sprintf(", %d could not be checked", by[CouldNotCheck])
		}
		if by[NotProven] > 0 {
			text += fmt.Sprintf(", nothing was proven for %d", by[NotProven])
		}
		parts = append(parts, text)
	} else {
		parts = append(parts, r.Subjects[0].name())
	}
	counts := findingCounts(r)
	if n := notChecked(r); n > 0 && len(r.Subjects) == 1 {
		counts += ", " + count(int64(n), "thing") + " not checked"
	}
	parts = append(parts, counts)
	if user, all, ok := r.coverage(); ok {
		if all.Total() > 0 {
			parts = append(parts, resolving(user, all))
		}
	} else if r.Verdict() == Pass && !r.Unmeasured {
		parts = append(parts, "coverage not measured")
	}
	if r.Unexamined != "" {
		parts = append(parts, r.Unexamined)
	}
	return strings.Join(parts, "; ")
}

func findingCounts(r *Report) string {
	var parts []string
	for _, s := range []struct {
		Severity
		noun string
	}{{Error, "error"}, {Warning, "warning"}, {Info, "note"}} {
		if n := r.Count(s.Severity); n > 0 {
			parts = append(parts, count(int64(n), s.noun))
		}
	}
	if parts == nil {
		return "no findings"
	}
	return strings.Join(parts, ", ")
}

func notChecked(r *Report) int {
	n := 0
	for i := range r.Subjects {
		n += len(r.Subjects[i].NotChecked)
	}
	return n
}
