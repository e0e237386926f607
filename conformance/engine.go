package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"
)

// coreFeatures are all features that the engine has.
const coreFeatures = api.CoreFeaturesV2 | experimental.CoreFeaturesThreads | experimental.CoreFeaturesTailCall |
	experimental.CoreFeaturesExtendedConst | experimental.CoreFeaturesExceptionHandling | experimental.CoreFeaturesTypedFunctionReferences

// runner runs one copy of a module in one engine. It is not safe for concurrent
// use.
type runner struct {
	engine    Engine
	m         *module
	limits    *Limits
	given     *Scenario
	rt        wazero.Runtime
	guest     wazero.CompiledModule
	providers []*provider
	watch     *watch
	open      []api.Module // of the present instance
}

// compilerAvailable reports whether the compiler exists for the machine that this
// runs on; wazero says so with a panic.
func compilerAvailable(ctx context.Context) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler()).Close(ctx) == nil
}

// newRunner compiles a copy of the module. With a watch, calls are listened to.
func newRunner(ctx context.Context, e Engine, m *module, image []byte, given *Scenario, l *Limits, w *watch) (r *runner, err error) {
	r = &runner{engine: e, m: m, limits: l, given: given, watch: w}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the engine failed: %v", p)
		}
		if err != nil {
			r.close(ctx)
			r = nil
		}
	}()
	config := wazero.NewRuntimeConfigInterpreter()
	if e == Compiler {
		config = wazero.NewRuntimeConfigCompiler()
	}
	r.rt = wazero.NewRuntimeWithConfig(ctx, config.
		WithCoreFeatures(coreFeatures).
		WithMemoryLimitPages(l.MemoryPages).
		WithCloseOnContextDone(true).
		WithDebugInfoEnabled(true))
	compile := ctx
	if w != nil {
		compile = experimental.WithFunctionListenerFactory(ctx, experimental.FunctionListenerFactoryFunc(w.guestListener))
	}
	if r.guest, err = r.rt.CompileModule(compile, image); err != nil {
		return r, err
	}
	return r, r.compileProviders(ctx)
}

// close releases everything.
func (r *runner) close(ctx context.Context) {
	if r != nil && r.rt != nil {
		_ = r.rt.Close(context.WithoutCancel(ctx))
	}
}

// instantiate makes a fresh instance of everything, without calling any export.
func (r *runner) instantiate(ctx context.Context) (guest api.Module, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the engine failed: %v", p)
		}
	}()
	r.drop(ctx)
	modules, err := r.provide(ctx)
	if err != nil {
		return nil, err
	}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	if s := r.given; s != nil {
		config = config.WithArgs(s.Args...).WithStdin(strings.NewReader(s.Stdin))
		for _, k := range sortedKeys(s.Env) {
			config = config.WithEnv(k, s.Env[k])
		}
		if len(s.Dirs) > 0 {
			fs := wazero.NewFSConfig()
			for _, k := range sortedKeys(s.Dirs) {
				fs = fs.WithReadOnlyDirMount(s.Dirs[k], k)
			}
			config = config.WithFSConfig(fs)
		}
	}
	if r.watch != nil {
		out := &limitedOutput{left: r.limits.Output, stop: r.watch.stop}
		config = config.WithStdout(out).WithStderr(out)
		r.watch.begin()
		defer context.AfterFunc(ctx, r.watch.stopper("the time to start is over"))()
	}
	ctx = experimental.WithImportResolver(ctx, func(name string) api.Module { return modules[name] })
	guest, err = r.rt.InstantiateModule(ctx, r.guest, config)
	if guest != nil {
		r.open = append(r.open, guest)
	}
	return guest, err
}

// drop closes the present instance.
func (r *runner) drop(ctx context.Context) {
	for i := len(r.open) - 1; i >= 0; i-- {
		_ = r.open[i].Close(context.WithoutCancel(ctx))
	}
	r.open = nil
}

// ended is how a call ended.
type ended int

const (
	returned   ended = iota
	trapped          // a trap, an uncaught exception, or a panic of the host
	exited           // proc_exit
	overLimit        // a limit stopped it
	overflowed       // the engine's own stack ended
)

var endedNames = [...]string{"return", "trap", "exit", "limit", "stack overflow"}

func (e ended) String() string { return endedNames[e] }

// outcome is what became of a call.
type outcome struct {
	ended   ended
	text    string // first line of the engine's text
	exit    uint32
	results []uint64
	frames  []textFrame // of a trap
	unsure  bool        // the innermost frame is where a limit was noticed, and no place that an engine reports
}

// invoke calls a function under the limit of time for one call. The error is for a
// context that ended.
func (r *runner) invoke(ctx context.Context, f api.Function, args []uint64) (out outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = outcome{ended: trapped, text: fmt.Sprintf("the engine failed: %v", p)}, nil
		}
	}()
	if r.watch != nil {
		r.watch.begin()
	}
	limited, cancel := context.WithTimeout(ctx, r.limits.CallTime)
	defer cancel()
	if r.watch != nil {
		// Between loops the engine looks at no clock; the listener does it at calls.
		defer context.AfterFunc(limited, r.watch.stopper("the time for one call is over"))()
	}
	results, callErr := f.Call(limited, args...)
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	return outcomeOf(results, callErr), nil
}

// outcomeOf reads what a call returned.
func outcomeOf(results []uint64, err error) outcome {
	if err == nil {
		return outcome{ended: returned, results: results}
	}
	text := err.Error()
	first, _, _ := strings.Cut(text, "\n")
	out := outcome{ended: trapped, text: first, frames: parseFrames(text)}
	var exit *sys.ExitError
	var limit *limitError
	switch {
	case errors.As(err, &limit):
		out.ended, out.text, out.unsure = overLimit, limit.what, true
	case errors.As(err, &exit):
		switch exit.ExitCode() {
		case sys.ExitCodeDeadlineExceeded, sys.ExitCodeContextCanceled:
			out.ended, out.text = overLimit, "the time for one call is over"
		default:
			out.ended, out.exit = exited, exit.ExitCode()
			out.text = fmt.Sprintf("exit code %d", exit.ExitCode())
		}
	case strings.Contains(first, "stack overflow"):
		out.ended = overflowed
	}
	return out
}

// limitError is what a listener panics with to end a call.
type limitError struct {
	what string
	call int64 // the number of the call to end
}

func (e *limitError) Error() string { return e.what }

// watch listens to calls: it records the callers of host functions, counts the
// functions that are entered, and ends what exceeds a limit.
type watch struct {
	engine    Engine
	limits    *Limits
	frames    *collector
	depthless bool // tail calls make the depth unknown
	entered   map[uint32]bool
	hostCalls int64 // in all

	call     int64 // number of this call
	depth    int
	callHost int64 // in this call
	stopped  atomic.Pointer[limitError]
}

func newWatch(e Engine, m *module, l *Limits, c *collector) *watch {
	return &watch{engine: e, limits: l, frames: c, depthless: m.uses.has(usesTailCalls), entered: map[uint32]bool{}}
}

// begin starts another call.
func (w *watch) begin() {
	w.call++
	w.depth, w.callHost = 0, 0
}

// stop ends the present call at the next chance.
func (w *watch) stop(what string) { w.stopped.Store(&limitError{what, w.call}) }

// stopper returns a function that ends the present call, and no later one, from
// another goroutine.
func (w *watch) stopper(what string) func() {
	err := &limitError{what, w.call}
	return func() { w.stopped.Store(err) }
}

// check panics if the present call is to end.
func (w *watch) check() {
	if err := w.stopped.Load(); err != nil && err.call == w.call {
		panic(err)
	}
}

func (w *watch) guestListener(api.FunctionDefinition) experimental.FunctionListener {
	return (*guestListener)(w)
}

func (w *watch) hostListener(api.FunctionDefinition) experimental.FunctionListener {
	return (*hostListener)(w)
}

// guestListener is told of every call of the module's own functions.
type guestListener watch

// Before implements experimental.FunctionListener.
func (w *guestListener) Before(_ context.Context, _ api.Module, def api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
	(*watch)(w).check()
	if w.depth++; w.depth > w.limits.Depth && !w.depthless {
		panic(&limitError{fmt.Sprintf("more than %d nested calls", w.limits.Depth), w.call})
	}
	w.entered[def.Index()] = true
}

// After implements experimental.FunctionListener.
func (w *guestListener) After(context.Context, api.Module, api.FunctionDefinition, []uint64) {
	w.depth--
}

// Abort implements experimental.FunctionListener.
func (w *guestListener) Abort(context.Context, api.Module, api.FunctionDefinition, error) {
	w.depth--
}

// hostListener is told of every call of a stub or of WASI.
type hostListener watch

// Before implements experimental.FunctionListener.
func (w *hostListener) Before(_ context.Context, _ api.Module, _ api.FunctionDefinition, _ []uint64, stack experimental.StackIterator) {
	w.hostCalls++
	if w.callHost++; w.callHost > w.limits.HostCalls {
		panic(&limitError{fmt.Sprintf("more than %d calls of the host", w.limits.HostCalls), w.call})
	}
	for first := true; stack.Next(); first = false {
		f := stack.Function()
		def := f.Definition()
		if first || def.ModuleName() != "" || def.GoFunction() != nil {
			continue // the host's own frame
		}
		w.frames.add(w.engine, HostCall, Frame{def.Index(), codeOffset(f.SourceOffsetForPC(stack.ProgramCounter()))})
	}
	(*watch)(w).check()
}

// After implements experimental.FunctionListener.
func (w *hostListener) After(context.Context, api.Module, api.FunctionDefinition, []uint64) {}

// Abort implements experimental.FunctionListener.
func (w *hostListener) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}

// limitedOutput discards what a module writes, up to a limit.
type limitedOutput struct {
	left int64
	stop func(what string)
}

// Write implements io.Writer.
func (o *limitedOutput) Write(p []byte) (int, error) {
	if o.left -= int64(len(p)); o.left < 0 {
		o.stop("it writes more output than the limit allows")
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}
