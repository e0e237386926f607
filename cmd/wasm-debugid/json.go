package main

import (
	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// The JSON documents are described in docs/json.md. Fields are only ever added
// to a version; whoever reads one should pass over what it does not know.

// printJSON prints a document with sorted keys.
func (c *call) printJSON(doc any) error { return writeJSON(c.stdout, doc) }

// rewriteDocument is what split and inject print.
type rewriteDocument struct {
	Schema  string           `json:"schema"`
	Version int              `json:"version"`
	DryRun  bool             `json:"dry_run"`
	Modules []rewriteElement `json:"modules"`
}

type rewriteElement struct {
	Input          string         `json:"input"`
	Production     string         `json:"production"`
	Companion      *string        `json:"companion"`
	CompanionKind  string         `json:"companion_kind"`
	BuildID        string         `json:"build_id"`
	BuildIDKept    bool           `json:"build_id_kept"`
	BuildIDReason  string         `json:"build_id_reason"`
	AlreadySplit   bool           `json:"already_split"`
	Changed        bool           `json:"changed"`
	CodeStart      *int64         `json:"code_start"`
	InputCodeStart *int64         `json:"input_code_start"`
	InputSize      int64          `json:"input_size"`
	ProductionSize int64          `json:"production_size"`
	CompanionSize  int64          `json:"companion_size"`
	Removed        []removedEntry `json:"removed"`
	Notes          []noteEntry    `json:"notes"`
}

type removedEntry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Reason string `json:"reason"`
}

type noteEntry struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

func newRewriteDocument(verb string, dryRun bool) *rewriteDocument {
	return &rewriteDocument{Schema: "wasm-debugid/" + verb, Version: 1, DryRun: dryRun, Modules: []rewriteElement{}}
}

func (d *rewriteDocument) add(r *debugid.SplitResult) {
	e := rewriteElement{Input: r.Input, Production: r.Production, CompanionKind: rewrite.CompanionNone.String(), BuildID: r.ID.String(),
		BuildIDKept: r.Already, AlreadySplit: r.Already, Changed: r.Changed,
		InputSize: r.InputSize, ProductionSize: r.ProductionSize, CompanionSize: r.CompanionSize,
		Removed: []removedEntry{}, Notes: noteEntries(r.Notes)}
	if r.Companion != "" {
		e.Companion = &r.Companion
	}
	if r.Already {
		e.BuildIDReason = "the module was split before; its companion carries the same id"
		e.CompanionKind = "existing"
	}
	if p := r.Plan; p != nil {
		e.BuildIDKept, e.BuildIDReason = p.Decision.Kept, p.Decision.Reason
		if span, ok := p.ProductionFile.CodeSpan(); ok {
			start := int64(span.Start)
			e.CodeStart = &start
		}
		if span, ok := p.Input.CodeSpan(); ok {
			start := int64(span.Start)
			e.InputCodeStart = &start
		}
		if p.Record != nil {
			e.CompanionKind = p.Record.Kind
		}
		for i := range p.Fates {
			if f := &p.Fates[i]; !f.Production {
				e.Removed = append(e.Removed, removedEntry{f.Section.Name, f.Section.Len(), f.Reason})
			}
		}
	}
	d.Modules = append(d.Modules, e)
}

func noteEntries(notes []rewrite.Note) []noteEntry {
	out := []noteEntry{}
	for _, n := range notes {
		level := "note"
		if n.Warning {
			level = "warning"
		}
		out = append(out, noteEntry{level, n.Text})
	}
	return out
}
