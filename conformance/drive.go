package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Names of exports with a meaning.
//
// https://github.com/WebAssembly/WASI/blob/main/legacy/application-abi.md
const (
	exportStart      = "_start"
	exportInitialize = "_initialize"
)

// What a dynamic linker, or the JavaScript that emcc writes, calls in place of
// _initialize.
//
// https://github.com/WebAssembly/tool-conventions/blob/main/DynamicLinking.md
const (
	exportRelocs = "__wasm_apply_data_relocs"
	exportCtors  = "__wasm_call_ctors"
)

// initialisers lists the exports to call first in a fresh instance.
func (m *module) initialisers() []string {
	if _, command := m.export(exportStart); command {
		return nil
	}
	list := []string{exportRelocs, exportInitialize}
	if _, reactor := m.export(exportInitialize); !reactor {
		list[1] = exportCtors
	}
	return slices.DeleteFunc(list, func(name string) bool {
		_, ok := m.export(name)
		return !ok
	})
}

// callResult is a call with what became of it.
type callResult struct {
	call    Call
	planned int // its place among the calls to make, from 1; 0 for what makes an instance
	outcome outcome
	err     error // it could not be made
}

// driven is what became of a run in one engine.
type driven struct {
	results []callResult
	limits  []string // what ended early, one clause each
	broken  error    // why there is no instance
}

// mode says in a clause what is run.
func (m *module) mode(s *Scenario) string {
	_, command := m.export(exportStart)
	switch {
	case s != nil && len(s.Calls) > 0:
		return fmt.Sprintf("%d named calls", len(s.Calls))
	case command:
		return exportStart + ", and all other exports with boundary arguments"
	}
	return "all exports with boundary arguments"
}

// exported names some of the functions that the module exports.
func (m *module) exported() string {
	const most = 8
	var names []string
	for _, e := range m.exports {
		if e.kind == wasm.ExternFunc {
			names = append(names, strconv.Quote(e.name))
		}
	}
	switch n := len(names); {
	case n == 0:
		return "none at all"
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	}
	return strings.Join(names, ", ")
}

// plan lists the calls to make.
func (r *runner) plan() []Call {
	if s := r.given; s != nil && len(s.Calls) > 0 {
		return s.Calls
	}
	defs, first := r.guest.ExportedFunctions(), r.m.initialisers()
	var out []Call
	if _, ok := r.m.export(exportStart); ok {
		out = append(out, Call{Export: exportStart})
	}
	for _, e := range r.m.exports {
		def := defs[e.name]
		if e.kind != wasm.ExternFunc || def == nil || e.name == exportStart || slices.Contains(first, e.name) {
			continue
		}
		out = append(out, explorations(e.name, def.ParamTypes())...)
	}
	return out
}

// drive makes the calls and records what they report. The error is for a context
// that ended.
func (r *runner) drive(ctx context.Context, frames *collector) (*driven, error) {
	d := &driven{}
	deadline := time.Now().Add(r.limits.Time)
	var guest api.Module
	for i, call := range r.plan() {
		if time.Now().After(deadline) {
			d.limit(fmt.Sprintf("the time for the %s is over; %s and what follows was not called", r.engine, call))
			break
		}
		if guest == nil || guest.IsClosed() {
			var err error
			if guest, err = r.start(ctx, d, frames); err != nil || d.broken != nil {
				return d, err
			}
		}
		f := guest.ExportedFunction(call.Export)
		if f == nil {
			d.results = append(d.results, callResult{call: call, planned: i + 1, err: fmt.Errorf("there is no exported function of this name, but %s", r.m.exported())})
			continue
		}
		args, err := encodeArgs(call.Args, f.Definition().ParamTypes())
		if err != nil {
			d.results = append(d.results, callResult{call: call, planned: i + 1, err: err})
			continue
		}
		out, err := r.invoke(ctx, f, args)
		if err != nil {
			return d, err
		}
		d.record(r.engine, call, i+1, out, frames)
	}
	if guest == nil && d.broken == nil { // no export: the start function may still do something
		if _, err := r.start(ctx, d, frames); err != nil {
			return d, err
		}
	}
	return d, nil
}

// start makes an instance and initialises it.
func (r *runner) start(ctx context.Context, d *driven, frames *collector) (api.Module, error) {
	limited, cancel := context.WithTimeout(ctx, r.limits.CallTime)
	defer cancel()
	guest, err := r.instantiate(limited)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		out := outcomeOf(nil, err)
		var exit *sys.ExitError
		if len(out.frames) > 0 || errors.As(err, &exit) || out.ended == overLimit {
			d.record(r.engine, Call{Export: "(start function)"}, 0, out, frames)
		}
		d.broken = fmt.Errorf("the %s cannot instantiate it: %s", r.engine, out.text)
		return nil, nil
	}
	for _, name := range r.m.initialisers() {
		f := guest.ExportedFunction(name)
		if f == nil || len(f.Definition().ParamTypes()) != 0 {
			continue
		}
		out, err := r.invoke(ctx, f, nil)
		if err != nil {
			return nil, err
		}
		d.record(r.engine, Call{Export: name}, 0, out, frames)
		if guest.IsClosed() {
			d.broken = fmt.Errorf("%s closed the module: %s", name, out.text)
			break
		}
	}
	return guest, nil
}

// record keeps the result of a call and its frames.
func (d *driven) record(e Engine, call Call, planned int, out outcome, frames *collector) {
	list := places(out.frames)
	if out.unsure && len(list) > 0 {
		list = list[1:]
	}
	for _, f := range list {
		frames.add(e, Trap, f)
	}
	if out.ended == overLimit {
		d.limit(fmt.Sprintf("%s in the %s: %s", call, e, out.text))
	}
	d.results = append(d.results, callResult{call: call, planned: planned, outcome: out})
}

func (d *driven) limit(what string) { d.limits = append(d.limits, what) }

// count returns how many calls ended in a way.
func (d *driven) count(how ...ended) int {
	n := 0
	for i := range d.results {
		for _, h := range how {
			if d.results[i].err == nil && d.results[i].outcome.ended == h {
				n++
			}
		}
	}
	return n
}
