package rewrite

import (
	"context"
	"errors"
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Plan is the outcome of planning: the outputs, and what a person may want to
// know about them. Nothing has been written yet.
type Plan struct {
	Input    *wasm.File
	Decision buildid.Decision // the ID and where it came from
	Fates    []Fate           // what becomes of each section of the input
	Notes    []Note

	Production     *Layout    // the production module (or the one file of Inject)
	ProductionFile *wasm.File // the same, opened
	Companion      *Layout    // nil when no companion is made
	CompanionFile  *wasm.File // the same, opened
	Record         *Record    // the companion's wasm-debugid section

	class       wasm.Classification
	measurement *buildid.Measurement
}

// ID returns the build ID of the outputs.
func (p *Plan) ID() buildid.ID { return p.Decision.ID }

// RefusedError reports a module that is understood but must not be split.
type RefusedError struct {
	Msg  string // what it is and why not
	Hint string // what to do instead
}

// Error returns the message.
func (e *RefusedError) Error() string { return e.Msg }

// Split plans a production module and its companion.
//
// The error is a *RefusedError for a module that must not be split (an object
// file, one that wasm-bindgen has yet to process, a companion without code), a
// *UsageError for options that contradict each other, and otherwise an error of
// package wasm or buildid.
func Split(ctx context.Context, in *wasm.File, o Options) (*Plan, error) {
	p := &Plan{Input: in}
	if err := p.admit(&o); err != nil {
		return nil, err
	}
	if err := p.classify(&o); err != nil {
		return nil, err
	}
	dropped, hasCode := leading(p.withoutID())
	derive := func() (buildid.ID, error) {
		if err := p.measure(ctx, &o); err != nil {
			return nil, err
		}
		return p.measurement.ContentID(dropped, hasCode, p.keptNames()), nil
	}
	if err := p.decide(ctx, &o, derive); err != nil {
		return nil, err
	}

	production := p.productionItems(&o)
	var err error
	if p.Production, err = assemble(in, production); err != nil {
		return nil, err
	}
	if o.Companion != CompanionNone {
		if err := p.planCompanion(ctx, &o, production); err != nil {
			return nil, err
		}
	} else if in.HasDebug() {
		p.warn("the DWARF is discarded: no companion is made")
	}
	if err := p.verify(); err != nil {
		return nil, err
	}
	p.remarks()
	return p, nil
}

// admit refuses what must not be split.
func (p *Plan) admit(o *Options) error {
	var err error
	if p.class, err = wasm.Classify(p.Input); err != nil {
		return err
	}
	switch {
	case p.class.SplitDWARF:
		return &RefusedError{"this is a file of split DWARF (.dwo or .dwp), not a program",
			"split the linked module, and keep this file beside its companion"}
	case p.class.Object:
		return &RefusedError{"this is a relocatable object file: its addresses are not final, and its relocations name sections by index",
			"link it first, then split the linked module"}
	case p.class.AwaitsBindgen && !o.AllowBindgenInput:
		return &RefusedError{"this module still awaits wasm-bindgen (it has a section __wasm_bindgen_unstable), which rewrites the code and so moves every offset",
			"run wasm-bindgen --keep-debug first, then split the file ending in _bg.wasm that it writes"}
	}
	r, err := ReadRecord(p.Input)
	if err != nil {
		return err
	}
	if r != nil && r.Kind == CompanionSymbols.String() {
		return &RefusedError{"this is a companion without code (kind symbols); a production module cannot be made from it",
			"split the module that the linker wrote"}
	}
	return nil
}

// measure takes the digests that a content ID is made of, once.
func (p *Plan) measure(ctx context.Context, o *Options) (err error) {
	if p.measurement == nil {
		p.measurement, err = buildid.Measure(ctx, p.Input, o.Hash)
	}
	return err
}

// decide settles the build ID.
func (p *Plan) decide(ctx context.Context, o *Options, derive func() (buildid.ID, error)) (err error) {
	p.Decision, err = buildid.Decide(ctx, p.Input, o.BuildID, derive,
		buildid.DecideOptions{Options: o.Hash, Normalize: o.NormalizeBuildID, Measure: func() (*buildid.Measurement, error) {
			err := p.measure(ctx, o)
			return p.measurement, err
		}})
	if err != nil {
		return err
	}
	for _, w := range p.Decision.Warnings {
		p.warn("%s", w)
	}
	return nil
}

// keptIDSection returns the index of the input's build_id section that stays
// where it is, or -1.
func (p *Plan) keptIDSection() int {
	if p.Decision.Kept && !p.Decision.Normalize {
		return p.Decision.Section.Section.Index
	}
	return -1
}

// withoutID returns the sections that the production module keeps, as if the ID
// were replaced.
func (p *Plan) withoutID() []item {
	var items []item
	for i := range p.Fates {
		if f := &p.Fates[i]; f.Production && !f.Section.IsCustom(wasm.CustomBuildID) {
			items = append(items, item{src: f.Section})
		}
	}
	return items
}

// productionItems returns the production module's sections and completes the
// fates of build_id sections.
func (p *Plan) productionItems(o *Options) []item {
	keptID := p.keptIDSection()
	var items []item
	for i := range p.Fates {
		f := &p.Fates[i]
		if f.Section.IsCustom(wasm.CustomBuildID) && f.Section.Index != keptID {
			f.Production, f.Companion, f.Reason = false, false, "a build ID that is replaced"
			if p.Decision.Kept {
				f.Reason = "a build ID that stands elsewhere in the file"
			}
		}
		if f.Production {
			items = append(items, item{src: f.Section})
		}
	}
	if keptID < 0 {
		return append(p.appendPointer(items, o), p.idItem())
	}
	if k := len(items) - 1; items[k].src.Index == keptID {
		// An ID that closes the file goes on closing it.
		return append(p.appendPointer(items[:k:k], o), items[k])
	}
	return p.closeWithID(p.appendPointer(items, o), keptID)
}

func (p *Plan) appendPointer(items []item, o *Options) []item {
	if o.Pointer == "" {
		return items
	}
	return append(items, customItem(wasm.CustomExternalDebugInfo, wasm.AppendURL(nil, o.Pointer)))
}

func (p *Plan) idItem() item {
	return customItem(wasm.CustomBuildID, buildid.Encode(p.Decision.ID))
}

// closeWithID moves a kept ID behind the last section where that one is a custom
// section without contents: a module that ends in one is valid, but wazero does
// not load it with debug information enabled.
func (p *Plan) closeWithID(items []item, keptID int) []item {
	last := items[len(items)-1].src
	if last == nil || last.ID != wasm.SectionCustom || last.DataSize() > 0 {
		return items
	}
	code := p.Input.Code()
	if code != nil && keptID < code.Index {
		p.warn("the last section (%s) is empty; wazero does not load such a module with debug information enabled", last.Label())
		return items
	}
	for i := range items {
		if s := items[i].src; s != nil && s.Index == keptID {
			moved := items[i]
			items = append(append(items[:i:i], items[i+1:]...), moved)
			p.note("build_id stands last now: behind it stood an empty section, which wazero does not load at the end of a module")
			break
		}
	}
	return items
}

// remarks notes what a verified plan means for offsets and URLs.
func (p *Plan) remarks() {
	from, had := p.Input.CodeSpan()
	to, has := p.ProductionFile.CodeSpan()
	if !had || !has || from.Start == to.Start {
		return
	}
	var names []string
	for i := range p.Fates {
		if f := &p.Fates[i]; !f.Production && f.Section.Offset < from.Start {
			names = append(names, f.Section.Name)
		}
	}
	p.warn("the code starts at %v, in the input it starts at %v: removed from before it: %s; offsets of crashes of the unsplit input differ by that",
		to.Start, from.Start, someNames(names))
	for i := range p.Fates {
		if f := &p.Fates[i]; f.Production && f.Section.IsCustom(wasm.CustomSourceMappingURL) {
			p.warn("the source map that sourceMappingURL names counts file offsets of the unsplit input, which have moved")
		}
	}
}

// codeSpan opens the layout and returns its Code section.
func (l *Layout) codeSpan() (wasm.CodeSpan, error) {
	f, err := wasm.NewFile(l, l.size)
	if err != nil {
		return wasm.CodeSpan{}, err
	}
	span, ok := f.CodeSpan()
	if !ok {
		return span, errNoCode
	}
	return span, nil
}

var errNoCode = errors.New("the module has no code")

// internalError reports a plan that breaks a promise of this package.
func internalError(format string, args ...any) error {
	return &InternalError{fmt.Sprintf(format, args...)}
}

// InternalError reports a defect of this package: a plan that broke one of its
// promises and was not carried out.
type InternalError struct{ Msg string }

// Error returns the message.
func (e *InternalError) Error() string {
	return "the plan breaks a promise and is not carried out, which is a defect of wasm-debugid: " + e.Msg
}
