package conformance

import (
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// maxSamples is how many places of one kind a finding shows.
const maxSamples = 8

// findings gathers what a run found, one finding for each rule and subject matter.
type findings struct {
	severities map[string]report.Severity
	list       []report.Finding
	byKey      map[string]int
}

func newFindings(severities map[string]report.Severity) *findings {
	return &findings{severities: severities, byKey: map[string]int{}}
}

// add adds one place to the finding of a rule. The first message of a rule counts;
// a key tells several findings of one rule apart.
func (f *findings) add(code, key, message string, at report.Location) {
	rule, _ := FindRule(code)
	severity := rule.Default
	if s, ok := f.severities[code]; ok {
		severity = s
	}
	if severity == report.Off {
		return
	}
	i, ok := f.byKey[code+key]
	if !ok {
		f.byKey[code+key] = len(f.list)
		f.list = append(f.list, report.Finding{Rule: code, Severity: severity, Message: message, Location: at, Count: 1})
		return
	}
	x := &f.list[i]
	x.Count++
	if len(x.Samples) == 0 {
		x.Samples = append(x.Samples, x.Location)
	}
	if len(x.Samples) < maxSamples {
		x.Samples = append(x.Samples, at)
	}
}

// count returns how many places findings of a severity have.
func (f *findings) count(s report.Severity) int {
	n := 0
	for i := range f.list {
		if f.list[i].Severity == s {
			n += f.list[i].Count
		}
	}
	return n
}

// location places a frame in a file.
func location(path string, span wasm.CodeSpan, fr Frame) report.Location {
	l := report.Location{Path: path, Index: &fr.Index}
	if file, ok := span.File(fr.Code); ok {
		l.Code, l.File = &fr.Code, &file
	}
	return l
}
