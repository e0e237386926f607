package report

import (
	"encoding/json"
	"io"
)

// The names of the JSON document, which docs/checks-json.md describes.
const (
	jsonSchema  = "wasm-debugid/check"
	jsonVersion = 1
)

// The fields of these types stand in the order of their keys: that is the order in
// which they are written.

type jsonDocument struct {
	Command     string        `json:"command"`
	Counts      jsonFound     `json:"counts"`
	Rules       []jsonRule    `json:"rules"`
	Schema      string        `json:"schema"`
	Subjects    []jsonSubject `json:"subjects"`
	Tool        string        `json:"tool"`
	ToolVersion string        `json:"tool_version"`
	Unproven    int           `json:"unproven"`
	Verdict     string        `json:"verdict"`
	Version     int           `json:"version"`
}

type jsonFound struct {
	Error   int `json:"error"`
	Info    int `json:"info"`
	Warning int `json:"warning"`
}

type jsonRule struct {
	Code     string `json:"code"`
	Meaning  string `json:"meaning"`
	Name     string `json:"name"`
	Remedy   string `json:"remedy"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
}

type jsonSubject struct {
	BuildID    string        `json:"build_id"`
	Checked    []string      `json:"checked"`
	Companion  string        `json:"companion"`
	Coverage   *jsonCoverage `json:"coverage"`
	Facts      []jsonFact    `json:"facts"`
	Findings   []jsonFinding `json:"findings"`
	NotChecked []string      `json:"not_checked"`
	Production string        `json:"production"`
	Tier       string        `json:"tier"`
	Verdict    string        `json:"verdict"`
}

type jsonFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type jsonFinding struct {
	Count    int            `json:"count"`
	Location jsonLocation   `json:"location"`
	Message  string         `json:"message"`
	Remedy   string         `json:"remedy"`
	Rule     string         `json:"rule"`
	Samples  []jsonLocation `json:"samples"`
	Severity string         `json:"severity"`
}

type jsonLocation struct {
	CodeOffset *int64  `json:"code_offset"`
	Column     *uint32 `json:"column"`
	FileOffset *int64  `json:"file_offset"`
	Function   string  `json:"function"`
	Index      *uint32 `json:"index"`
	Line       *uint32 `json:"line"`
	Path       string  `json:"path"`
	Section    string  `json:"section"`
	Source     string  `json:"source"`
}

type jsonCoverage struct {
	Classes   []jsonGroup `json:"classes"`
	Files     []jsonGroup `json:"files"`
	Functions []jsonGroup `json:"functions"`
	Languages []jsonGroup `json:"languages"`
	Total     jsonCounts  `json:"total"`
	Units     []jsonGroup `json:"units"`
}

type jsonGroup struct {
	Class  string     `json:"class"`
	Counts jsonCounts `json:"counts"`
	Name   string     `json:"name"`
	Parent string     `json:"parent"`
	Size   int64      `json:"size"`
}

type jsonCounts struct {
	Function int64 `json:"function"`
	Line     int64 `json:"line"`
	Nothing  int64 `json:"nothing"`
}

// WriteJSON writes a report as one JSON document with sorted keys. Nothing is left
// out or shortened.
func WriteJSON(w io.Writer, r *Report) error {
	d := jsonDocument{Schema: jsonSchema, Version: jsonVersion, Command: r.Command, Tool: r.Tool, ToolVersion: r.Version,
		Unproven: r.Unproven(), Verdict: r.Verdict().String(), Counts: jsonFound{r.Count(Error), r.Count(Info), r.Count(Warning)},
		Rules: make([]jsonRule, len(r.Rules)), Subjects: make([]jsonSubject, len(r.Subjects))}
	for i, rule := range r.Rules {
		d.Rules[i] = jsonRule{Code: rule.Code, Meaning: rule.Meaning, Name: rule.Name, Remedy: rule.Remedy, Severity: rule.Default.String(), Title: rule.Title}
	}
	for i := range r.Subjects {
		d.Subjects[i] = newJSONSubject(r, &r.Subjects[i])
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(&d)
}

func newJSONSubject(r *Report, s *Subject) jsonSubject {
	j := jsonSubject{BuildID: s.BuildID, Companion: s.Companion, Production: s.Production, Tier: s.Tier, Verdict: s.Verdict.String(),
		Checked: append([]string{}, s.Checked...), NotChecked: append([]string{}, s.NotChecked...),
		Facts: make([]jsonFact, len(s.Facts)), Findings: make([]jsonFinding, len(s.Findings))}
	for i, f := range s.Facts {
		j.Facts[i] = jsonFact(f)
	}
	for i := range s.Findings {
		f := &s.Findings[i]
		k := kind{rule: r.Rule(f.Rule)}
		j.Findings[i] = jsonFinding{Count: max(f.Count, 1), Location: newJSONLocation(&f.Location), Message: f.Message,
			Remedy: k.remedy(f), Rule: f.Rule, Severity: f.Severity.String(), Samples: make([]jsonLocation, len(f.Samples))}
		for n := range f.Samples {
			j.Findings[i].Samples[n] = newJSONLocation(&f.Samples[n])
		}
	}
	if c := s.Coverage; c != nil {
		j.Coverage = &jsonCoverage{Total: newJSONCounts(c.Total), Classes: newJSONGroups(c.Classes), Languages: newJSONGroups(c.Languages),
			Units: newJSONGroups(c.Units), Files: newJSONGroups(c.Files), Functions: newJSONGroups(c.Functions)}
	}
	return j
}

func newJSONLocation(l *Location) jsonLocation {
	j := jsonLocation{Function: l.Function, Index: l.Index, Path: l.Path, Section: l.Section, Source: l.Source}
	if l.File != nil {
		n := int64(*l.File)
		j.FileOffset = &n
	}
	if l.Code != nil {
		n := int64(*l.Code)
		j.CodeOffset = &n
	}
	if l.Line > 0 {
		j.Line = &l.Line
	}
	if l.Column > 0 {
		j.Column = &l.Column
	}
	return j
}

func newJSONCounts(c Counts) jsonCounts {
	return jsonCounts{Function: c.Function, Line: c.Line, Nothing: c.Nothing}
}

func newJSONGroups(groups []Group) []jsonGroup {
	list := make([]jsonGroup, len(groups))
	for i, g := range groups {
		list[i] = jsonGroup{Class: g.Class, Counts: newJSONCounts(g.Counts), Name: g.Name, Parent: g.Parent, Size: g.Size}
	}
	return list
}
