package rewrite

import (
	"context"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Inject plans a copy of the module that carries a build ID and is otherwise the
// same. Of the options only those that concern the ID count.
//
// An ID that is replaced and stands before Code moves the code when it goes; the
// plan's notes say so.
func Inject(ctx context.Context, in *wasm.File, o Options) (*Plan, error) {
	p := &Plan{Input: in}
	var err error
	if p.class, err = wasm.Classify(in); err != nil {
		return nil, err
	}
	if p.class.Object {
		return nil, &RefusedError{"this is a relocatable object file; the linker makes a new module of it and would drop or repeat its build ID",
			"link it first (wasm-ld --build-id writes an ID by itself)"}
	}
	if p.class.AwaitsBindgen {
		p.warn("the module still awaits wasm-bindgen, which rewrites its code and keeps the ID: give it its ID afterwards")
	}
	for i := range in.Sections {
		p.Fates = append(p.Fates, Fate{Section: &in.Sections[i], Production: true})
	}
	codeStart, hasCode := leading(p.withoutID())
	derive := func() (buildid.ID, error) {
		if err := p.measure(ctx, &o); err != nil {
			return nil, err
		}
		return p.measurement.ContentID(codeStart, hasCode, buildid.KeptNames(in)), nil
	}
	if err := p.decide(ctx, &o, derive); err != nil {
		return nil, err
	}
	if !p.Decision.Kept && !in.HasDebug() && in.Custom(wasm.CustomExternalDebugInfo) != nil && in.Custom(wasm.CustomBuildID) != nil {
		return nil, &RefusedError{"this module was split before and belongs to its companion by its ID; another ID would part the two",
			"split the module that the linker wrote, with the ID that is wanted"}
	}
	o.Pointer = ""
	if p.Production, err = assemble(in, p.productionItems(&o)); err != nil {
		return nil, err
	}
	if err := p.verify(); err != nil {
		return nil, err
	}
	p.remarks()
	return p, nil
}
