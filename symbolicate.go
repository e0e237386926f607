package debugid

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/stacktrace"
)

// TraceInput is the kind of text that Symbolicate reads.
type TraceInput string

// The kinds of input.
const (
	TraceAuto TraceInput = ""     // JSON if the whole text is a JSON document with a trace, else text
	TraceText TraceInput = "text" // lines, as engines print them, with anything in between
	TraceJSON TraceInput = "json" // a Sentry event, V8 call sites, or a Firefox error object
)

// TraceFormat is what Symbolicate writes.
type TraceFormat string

// The formats.
const (
	FormatText   TraceFormat = "text"   // the text with lines below each frame
	FormatJSON   TraceFormat = "json"   // one document, see stacktrace.JSONFrame
	FormatSentry TraceFormat = "sentry" // an event in Sentry's format; of JSON input, the input completed
)

// SymbolicateOptions say what Symbolicate reads and writes.
type SymbolicateOptions struct {
	Input   io.Reader
	Output  io.Writer
	Kind    TraceInput
	Format  TraceFormat // empty: text for text, and for JSON the input completed
	Debug   []string    // companions, unsplit modules, and directories with such
	Modules []string    // production modules
	Files   debugfile.Options
	Offsets stacktrace.OffsetMode
	Source  stacktrace.SourceOptions                       // where source files are
	Context int                                            // source lines before and behind the one of a frame; below 0: none at all
	Mark    func(kind stacktrace.Mark, text []byte) []byte // colours added text; may be nil
	Note    func(text string)                              // called for each note before the input is read; may be nil
}

// SymbolicateResult says what became of the frames.
type SymbolicateResult struct {
	stacktrace.Summary
	Notes []string // about the files; see stacktrace.Store
}

// maxTraceDocument is the size in bytes of a JSON document that is read.
const maxTraceDocument = 256 << 20

// Symbolicate reads a text with stack traces and writes it with the functions,
// files and lines that the WebAssembly frames stand for. Text is streamed; a JSON
// document is held in memory.
//
// A frame that cannot be resolved is no error: it is passed through with the
// reason, and counted in the result.
func Symbolicate(ctx context.Context, o SymbolicateOptions) (*SymbolicateResult, error) {
	if len(o.Debug)+len(o.Modules) == 0 {
		return nil, errors.New("name a companion, a directory with companions, or a module")
	}
	if err := o.Files.Available(); err != nil {
		return nil, err
	}
	store, err := stacktrace.OpenStore(ctx, stacktrace.StoreOptions{Debug: o.Debug, Modules: o.Modules, Files: o.Files})
	if err != nil {
		return nil, swapped(err, slices.Concat(o.Debug, o.Modules))
	}
	defer store.Close()
	if o.Note != nil {
		for _, n := range store.Notes() {
			o.Note(n)
		}
	}
	var sources *stacktrace.Sources
	if o.Context >= 0 && len(o.Source.Roots)+len(o.Source.Maps) > 0 {
		if sources, err = stacktrace.NewSources(o.Source); err != nil {
			return nil, err
		}
		defer sources.Close()
	}
	res := stacktrace.NewResolver(store, stacktrace.ResolverOptions{Offsets: o.Offsets})
	result := &SymbolicateResult{Notes: store.Notes()}
	input, doc, err := readTrace(&contextReader{ctx, o.Input}, o.Kind)
	if err != nil {
		return nil, err
	}
	lines := max(0, o.Context)
	asJSON := stacktrace.JSONOptions{Sources: sources, Context: lines}
	asText := stacktrace.AnnotateOptions{Sources: sources, Context: lines, Mark: o.Mark}
	switch {
	case doc != nil && (o.Format == FormatSentry || o.Format == ""):
		result.Summary, err = stacktrace.EnrichDocument(o.Output, doc, res, asJSON)
	case doc != nil && o.Format == FormatJSON:
		result.Summary, err = stacktrace.WriteDocumentJSON(o.Output, doc, res, asJSON)
	case doc != nil && o.Format == FormatText:
		result.Summary, err = stacktrace.AnnotateDocument(o.Output, doc, res, asText)
	case o.Format == FormatJSON:
		result.Summary, err = stacktrace.WriteJSON(o.Output, input, res, asJSON)
	case o.Format == FormatSentry:
		result.Summary, err = stacktrace.WriteSentry(o.Output, input, res, asJSON)
	case o.Format == FormatText || o.Format == "":
		result.Summary, err = stacktrace.Annotate(o.Output, input, res, asText)
	default:
		err = fmt.Errorf("there is no format %q", o.Format)
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// readTrace finds out what the input is. It returns a document, or the text from
// its first byte on.
func readTrace(r io.Reader, kind TraceInput) (io.Reader, *stacktrace.Document, error) {
	r, err := refuseBinary(r)
	if err != nil {
		return nil, nil, err
	}
	switch kind {
	case TraceText:
		return r, nil, nil
	case TraceJSON:
		text, err := io.ReadAll(io.LimitReader(r, maxTraceDocument+1))
		if err != nil {
			return nil, nil, err
		}
		if len(text) > maxTraceDocument {
			return nil, nil, fmt.Errorf("the JSON document is larger than %d bytes", maxTraceDocument)
		}
		doc, err := stacktrace.ParseDocument(text)
		if errors.Is(err, stacktrace.ErrNoFrames) && stacktrace.HoldsFrames(text) {
			return bytes.NewReader(text), nil, nil // in a string
		}
		if err != nil {
			return nil, nil, &TraceError{err}
		}
		return nil, doc, nil
	case TraceAuto:
	default:
		return nil, nil, fmt.Errorf("there is no kind of input %q", kind)
	}
	var head bytes.Buffer
	if !opensJSON(r, &head) {
		return io.MultiReader(&head, r), nil, nil
	}
	// A log can begin with a bracket as well. The decoder stops at the first byte
	// that is not JSON, so that little of such a log is held.
	source := io.MultiReader(bytes.NewReader(bytes.Clone(head.Bytes())), io.TeeReader(r, &head))
	dec := json.NewDecoder(io.LimitReader(source, maxTraceDocument))
	var whole json.RawMessage
	if dec.Decode(&whole) != nil {
		return io.MultiReader(&head, r), nil, nil
	}
	whole = nil
	if _, err := dec.Token(); err != io.EOF || head.Len() >= maxTraceDocument {
		return io.MultiReader(&head, r), nil, nil // one document a line, for example
	}
	doc, err := stacktrace.ParseDocument(head.Bytes())
	if errors.Is(err, stacktrace.ErrNoFrames) {
		return &head, nil, nil
	}
	if err != nil {
		return nil, nil, &TraceError{err}
	}
	return nil, doc, nil
}

// opensJSON reads up to the first byte that is not a blank and reports whether a
// JSON document can begin with it.
func opensJSON(r io.Reader, head *bytes.Buffer) bool {
	var one [1]byte
	for head.Len() < 1<<16 {
		n, err := r.Read(one[:])
		head.Write(one[:n])
		if n > 0 && !bytes.ContainsAny(one[:], " \t\r\n") {
			return one[0] == '{' || one[0] == '['
		}
		if err != nil {
			return false
		}
	}
	return false
}

// contextReader is a reader that fails once its context has ended.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// UnresolvedError says that frames of a trace did not resolve, where all of them
// were to. Symbolicate itself does not return it.
type UnresolvedError struct{ stacktrace.Summary }

// Error counts the frames.
func (e *UnresolvedError) Error() string {
	if e.Frames == 0 {
		return "the text holds no WebAssembly frame"
	}
	return fmt.Sprintf("%d of %d WebAssembly frames did not resolve", e.Unresolved, e.Frames)
}

// Hint says what to look at.
func (e *UnresolvedError) Hint() string {
	if e.Frames == 0 {
		return ""
	}
	return "the reasons stand below the frames, and in the JSON document"
}
