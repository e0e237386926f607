package symcheck

import (
	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// sourceMaps holds a source map that answers are taken from against the code, or
// notes that one which would give the lines is not at hand.
func (x *dwarfCheck) sourceMaps() error {
	if x.f.HasDWARF() && x.o.Debug.SourceMap == "" {
		return nil // none is looked at
	}
	err := x.f.SourceMapError()
	if x.f.NumMappings() == 0 {
		if err != nil {
			x.couldNot("the source map: %v", err)
		} else if ref, err := x.prod.File.SourceMappingURL(); err == nil && ref.Section != nil && !x.f.HasDWARF() {
			x.couldNot("the source map %q, which is not at hand (name it with --source-map)", ref.URL)
		}
		return nil
	}
	if err != nil {
		x.find(SourceMapDamaged, report.Location{Path: x.prod.Path}, "the source map cannot be read to its end: %v", err)
	}
	return x.mappings()
}

// mappedBody is a body and its mappings, from number lo to hi.
type mappedBody struct {
	body, lo, hi int
	off          int // how many of them stand where no instruction starts
	first        int // the first of these
}

// mappings checks that each mapping stands where the compiler of this very module
// can have put it: at the start of an instruction or of a body, or where a body ends.
// That is what AssemblyScript, emscripten and binaryen write; a map of another build
// has its mappings wherever the instructions of that one were.
//
// A segment without a source gives no answer. Outside of the bodies it means nothing.
func (x *dwarfCheck) mappings() error {
	span := x.f.MappedCode()
	n := x.f.NumMappings()
	var jobs []mappedBody
	var wrong []int // numbers of the first mappings that are in a wrong place
	outside, body := 0, 0
	for i := range n {
		m := x.f.Mapping(i)
		at := wasm.CodeOffset(int64(m.At) - int64(span.Start))
		in := m.At >= span.Start && m.At <= span.End()
		var e debugfile.Extent
		for ; in && body < x.f.NumBodies(); body++ {
			if _, e = x.f.Body(body); at <= e.End {
				break
			}
		}
		if !in || body == x.f.NumBodies() || at < e.Start {
			if m.Source {
				if outside++; len(wrong) < maxSamples {
					wrong = append(wrong, i)
				}
			}
			continue
		}
		if k := len(jobs) - 1; k < 0 || jobs[k].body != body {
			jobs = append(jobs, mappedBody{body: body, lo: i})
		}
		jobs[len(jobs)-1].hi = i + 1
	}
	bufs := make([][]byte, max(1, x.o.Workers))
	err := x.parallel(len(jobs), func(w, k int) error { return x.inStep(&jobs[k], span.Start, &bufs[w]) })
	if err != nil {
		return err
	}
	inside := 0
	for k := range jobs {
		if j := &jobs[k]; j.off > 0 {
			if inside += j.off; len(wrong) < maxSamples {
				wrong = append(wrong, j.first)
			}
		}
	}
	x.checked("%d mappings of the source map are held against the instructions", n)
	if outside+inside == 0 {
		return nil
	}
	var samples []report.Location
	for _, i := range wrong {
		samples = append(samples, x.atMapping(i, span))
	}
	many(x.find(SourceMapForeign, samples[0], "of %d mappings of the source map %d stand outside of the functions and %d where no instruction starts: it was made for other code",
		n, outside, inside), outside+inside, samples)
	return nil
}

// inStep walks over the instructions of one body in step with its mappings.
func (x *dwarfCheck) inStep(j *mappedBody, start wasm.FileOffset, buf *[]byte) error {
	index, e := x.f.Body(j.body)
	span, ok := x.codeSpan()
	if !ok || e.End-e.Start > wasm.MaxBody {
		return nil // found where all bodies are decoded
	}
	code, err := x.prod.bytes(int64(span.Start)+int64(e.Start), int64(e.End-e.Start), buf)
	if err != nil {
		return x.prod.fail(err)
	}
	body := wasm.NewBody(index, e.Start, e.End, span)
	it := body.Instructions(code)
	more := it.Next()
	for i := j.lo; i < j.hi; i++ {
		at := wasm.CodeOffset(int64(x.f.Mapping(i).At) - int64(start))
		for more && it.At() < at {
			more = it.Next()
		}
		if !more && it.Err() != nil {
			return nil // not known behind the instruction, which is found where all are decoded
		}
		if at == e.Start || at == e.End || more && it.At() == at {
			continue
		}
		if j.off++; j.off == 1 {
			j.first = i
		}
	}
	return nil
}

// atMapping returns the location of a mapping.
func (x *dwarfCheck) atMapping(i int, span wasm.CodeSpan) report.Location {
	m := x.f.Mapping(i)
	l := report.Location{Path: x.prod.Path, File: &m.At, Source: m.File, Line: m.Line, Column: m.Column}
	if c, ok := span.Code(m.At); ok {
		l.Section, l.Code = "code section", &c
		if a := x.f.Lookup(c, nil); a.HasIndex {
			index := a.Index
			l.Index = &index
		}
	}
	return l
}
