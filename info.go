package debugid

import (
	"context"
	"fmt"
	"io"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// InfoOptions say what Info reads.
type InfoOptions struct {
	Input string // path of the module; "-" reads Stdin
	Stdin io.Reader
	// IDOnly leaves out everything but the sections and the build ID, and does not
	// judge the ID, so that nothing but headers is read.
	IDOnly bool
	Hash   buildid.Options // for judging the ID
}

// ModuleInfo describes one core module. Offsets named "start" and "offset" are
// file offsets (F); sizes are bytes. What could not be read is in Problems, and
// everything else is filled in all the same.
type ModuleInfo struct {
	Path     string        `json:"path"` // as given
	Size     int64         `json:"size"`
	Sections []SectionInfo `json:"sections"`
	Code     *CodeInfo     `json:"code"` // nil for a module without code
	BuildID  BuildIDInfo   `json:"build_id"`

	ExternalDebugInfo *PointerInfo `json:"external_debug_info"`
	SourceMappingURL  *PointerInfo `json:"source_mapping_url"`

	Kind       string   `json:"kind"`        // what the file is: "module", "production module", "companion", "object", "shared library" or "split DWARF"
	Traits     []string `json:"traits"`      // what matters to a build about it, one sentence each
	Tier       string   `json:"tier"`        // the best source of answers in this file: dwarf, sourcemap, names or index
	TierReason string   `json:"tier_reason"` // what it holds and what it lacks

	Names     *NamesInfo      `json:"names"`
	Producers []ProducerInfo  `json:"producers"`
	Features  []string        `json:"target_features"` // with their prefixes: "+simd128"
	DWARF     *DWARFInfo      `json:"dwarf"`           // nil without any .debug_ section
	Record    *rewrite.Record `json:"record"`          // of companions that this tool made
	Problems  []string        `json:"problems"`
}

// SectionInfo is one section.
type SectionInfo struct {
	Index     int             `json:"index"`
	ID        int             `json:"id"`
	Kind      string          `json:"kind"` // "code", "custom", ...
	Name      string          `json:"name"` // of a custom section
	Offset    wasm.FileOffset `json:"offset"`
	Payload   wasm.FileOffset `json:"payload"`    // F of the first byte behind the size
	Size      int64           `json:"size"`       // of the payload
	SizeWidth int             `json:"size_width"` // bytes of the LEB128 that holds the size
	Minimal   bool            `json:"minimal"`    // that is as few as possible
}

// CodeInfo places the code.
type CodeInfo struct {
	Start     wasm.FileOffset `json:"start"` // the code start: F of C = 0
	Size      int64           `json:"size"`
	Functions uint32          `json:"functions"` // with a body
	Imported  uint32          `json:"imported_functions"`
}

// BuildIDInfo is what can be said of a module's build ID.
type BuildIDInfo struct {
	Status       string           `json:"status"` // absent, ok, legacy, malformed, duplicate or conflict
	ID           string           `json:"id"`     // hex of the bare ID; empty if there is no single one
	Sections     []IDSectionInfo  `json:"sections"`
	Scheme       string           `json:"scheme"`    // how the ID was made, as far as its form tells
	Freshness    string           `json:"freshness"` // fresh, changed, cannot tell; empty if not judged
	Reason       string           `json:"reason"`    // of the freshness
	Forms        []ClientForm     `json:"forms"`     // what each client shows
	Disagreement []string         `json:"disagreement"`
	Found        buildid.Found    `json:"-"`
	Verdict      *buildid.Verdict `json:"-"` // nil if not judged
}

// IDSectionInfo is one build_id section.
type IDSectionInfo struct {
	Index    int    `json:"index"` // among all sections
	Encoding string `json:"encoding"`
	ID       string `json:"id"`
	Payload  string `json:"payload"` // hex, as far as it was read
	Note     string `json:"note"`
	Error    string `json:"error"`
}

// ClientForm is what one client makes of the build_id section.
type ClientForm struct {
	Client string `json:"client"`
	Kind   string `json:"kind"`
	Value  string `json:"value"` // empty if the client sees no ID
	Note   string `json:"note"`
}

// PointerInfo is an external_debug_info or a sourceMappingURL section.
type PointerInfo struct {
	URL      string `json:"url"`
	Sections int    `json:"sections"` // how many of them there are
	// Found is the state of the file that the URL names here: "found", "missing",
	// "unusable" for a companion that is no module, is cut off or cannot be opened
	// (Problems says why), "elsewhere" for a URL that does not name a file here,
	// "nowhere" for what is no URL, or empty for standard input.
	Found string `json:"found"`
}

// NamesInfo is the name section.
type NamesInfo struct {
	Module      string          `json:"module"`
	Functions   uint32          `json:"functions"` // number of names
	Subsections []SubsectionRef `json:"subsections"`
}

// SubsectionRef is one subsection of the name section.
type SubsectionRef struct {
	Kind string `json:"kind"`
	Size int64  `json:"size"`
}

// ProducerInfo is one entry of the producers section.
type ProducerInfo struct {
	Field   string `json:"field"`
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Info describes a module. It validates nothing: sections of features that this
// release does not know are listed like all others. The error is a
// *wasm.NotModuleError for a file that is no core module, a *wasm.FormatError for
// one whose sections do not fit it, and otherwise a failure to read.
//
// The file is not loaded: DWARF is mapped, of which the headers and the root
// entries of units are read, and judging an ID reads the file piece by piece.
func Info(ctx context.Context, o InfoOptions) (*ModuleInfo, error) {
	in, err := openInput(ctx, o.Input, o.Stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	m := &ModuleInfo{Path: o.Input, Size: in.size, Sections: []SectionInfo{}, Traits: []string{}, Producers: []ProducerInfo{}, Features: []string{}, Problems: []string{}}
	m.sections(in.File)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := m.buildID(ctx, in, &o); err != nil {
		return nil, fileError(in.path, err)
	}
	if o.IDOnly {
		return m, nil
	}
	m.code(in.File)
	m.customs(in.File)
	m.pointers(in.File, o.Input)
	if err := m.judgePair(ctx, in, &o); err != nil {
		return nil, fileError(in.path, err)
	}
	if err := m.dwarf(ctx, in); err != nil {
		return nil, fileError(in.path, err)
	}
	m.classify(in.File)
	m.tier(in.File)
	return m, in.unchanged()
}

// problem records something that could not be read.
func (m *ModuleInfo) problem(what string, err error) {
	if err != nil {
		m.Problems = append(m.Problems, fmt.Sprintf("%s: %v", what, err))
	}
}

func (m *ModuleInfo) sections(f *wasm.File) {
	for i := range f.Sections {
		s := &f.Sections[i]
		m.Sections = append(m.Sections, SectionInfo{Index: s.Index, ID: int(s.ID), Kind: s.ID.String(), Name: s.Name,
			Offset: s.Offset, Payload: s.Payload, Size: int64(s.Size), SizeWidth: s.SizeWidth, Minimal: s.SizeWidth == wasm.Uint32Len(s.Size)})
	}
}

func (m *ModuleInfo) buildID(ctx context.Context, in *input, o *InfoOptions) error {
	found, err := buildid.Read(in.File)
	if err != nil {
		return err
	}
	b := &m.BuildID
	*b = BuildIDInfo{Status: found.Status.String(), ID: found.ID.String(), Sections: []IDSectionInfo{}, Scheme: buildid.SchemeOf(found.ID).String(),
		Forms: []ClientForm{}, Disagreement: []string{}, Found: found}
	for i := range found.Sections {
		s := &found.Sections[i]
		one := IDSectionInfo{Index: s.Section.Index, ID: s.ID.String(), Payload: fmt.Sprintf("%x", s.Payload), Note: s.Note}
		if s.Err != nil {
			one.Error = s.Err.Error()
			m.problem("build_id", s.Err)
		} else {
			one.Encoding = s.Encoding.String()
		}
		b.Sections = append(b.Sections, one)
	}
	if found.Status == buildid.StatusConflict {
		m.problem("build_id", found.Err())
	}
	if payload, ok := shownPayload(&found); ok {
		for _, f := range buildid.Forms(payload, o.Input) {
			b.Forms = append(b.Forms, ClientForm(f))
		}
		b.Disagreement = append(b.Disagreement, buildid.Disagreement(payload)...)
	}
	if o.IDOnly || found.First() == nil {
		return nil
	}
	v, err := buildid.Judge(ctx, in.File, found, o.Hash)
	if err != nil {
		return err
	}
	b.Verdict, b.Freshness, b.Reason = &v, v.Freshness.String(), v.Reason
	return nil
}

// shownPayload picks the payload that the clients' forms are shown for: that of
// the file's ID, or of a single section that is malformed, of which some clients
// show something all the same. Where there are several IDs no one form holds.
func shownPayload(found *buildid.Found) ([]byte, bool) {
	if s := found.First(); s != nil {
		return s.Payload, true
	}
	if len(found.Sections) == 1 {
		return found.Sections[0].Payload, true
	}
	return nil, false
}

func (m *ModuleInfo) code(f *wasm.File) {
	span, ok := f.CodeSpan()
	if !ok {
		return
	}
	m.Code = &CodeInfo{Start: span.Start, Size: int64(span.Size)}
	var err error
	m.Code.Functions, err = f.FunctionCount()
	m.problem("number of functions", err)
	m.Code.Imported, err = f.ImportedFunctions()
	m.problem("imports", err)
}

// customs reads the small custom sections.
func (m *ModuleInfo) customs(f *wasm.File) {
	if s := f.Custom(wasm.CustomName); s != nil {
		m.names(s)
	}
	if s := f.Custom(wasm.CustomProducers); s != nil {
		producers, err := wasm.ReadProducers(s)
		m.problem("producers", err)
		for _, field := range producers {
			for _, v := range field.Values {
				m.Producers = append(m.Producers, ProducerInfo{field.Name, v.Name, v.Version})
			}
		}
	}
	if s := f.Custom(wasm.CustomTargetFeatures); s != nil {
		features, err := wasm.ReadTargetFeatures(s)
		m.problem("target_features", err)
		for _, v := range features {
			m.Features = append(m.Features, v.String())
		}
	}
	var err error
	m.Record, err = rewrite.ReadRecord(f)
	m.problem("the record of a split", err)
}

func (m *ModuleInfo) names(s *wasm.Section) {
	names, err := wasm.ReadNames(s)
	m.problem("names", err)
	n := &NamesInfo{Subsections: []SubsectionRef{}}
	for i := range names.Subsections {
		n.Subsections = append(n.Subsections, SubsectionRef{names.Subsections[i].ID.String(), names.Subsections[i].Len()})
	}
	n.Module, err = names.Module()
	m.problem("module name", err)
	// Counted, not believed: the number in the file may be any.
	for each := names.Map(wasm.NameFunctions); ; n.Functions++ {
		if !each.Next() {
			m.problem("function names", each.Err())
			break
		}
	}
	m.Names = n
}

func (m *ModuleInfo) pointers(f *wasm.File, path string) {
	read := func(what string, companion bool, ref wasm.URLRef, err error) *PointerInfo {
		m.problem(what, err)
		if ref.Section == nil || err != nil {
			return nil
		}
		p := &PointerInfo{URL: ref.URL, Sections: ref.Count}
		if path != Stdio {
			p.Found = "elsewhere"
			if symcheck.PointerProblem(ref.URL) != "" {
				p.Found = "nowhere"
			}
			if file, ok := pointerPath(path, ref.URL); ok {
				p.Found = "missing"
				if exists(file) {
					p.Found = "found"
				}
				if companion && !sameFile(file, path) {
					if err := unusable(file); err != nil {
						p.Found = "unusable"
						m.problem("the companion", err)
					}
				}
			}
		}
		return p
	}
	ref, err := f.ExternalDebugInfo()
	m.ExternalDebugInfo = read("external_debug_info", true, ref, err)
	ref, err = f.SourceMappingURL()
	m.SourceMappingURL = read("sourceMappingURL", false, ref, err)
}
