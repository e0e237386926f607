package testdwarf

import "fmt"

// DIE is a debugging information entry.
type DIE struct {
	Tag      int
	Attrs    []Attr
	Children []*DIE

	off  uint64
	code uint64
}

// Attr is an attribute. The value is a number, string, []byte or *DIE, as the
// form needs it; [Indirect] for FormIndirect.
type Attr struct {
	Name, Form int
	Value      any
}

// Indirect is a value that brings its own form.
type Indirect struct {
	Form  int
	Value any
}

// A makes an attribute.
func A(name, form int, value any) Attr { return Attr{name, form, value} }

// Die makes an entry.
func Die(tag int, attrs ...Attr) *DIE { return &DIE{Tag: tag, Attrs: attrs} }

// With adds children and returns the entry.
func (d *DIE) With(children ...*DIE) *DIE {
	d.Children = append(d.Children, children...)
	return d
}

// Off returns the entry's offset in its section, after Build.
func (d *DIE) Off() uint64 { return d.off }

// walk calls f for the entry and everything below it, without recursion: tests
// make trees that are deeper than a stack.
func (d *DIE) walk(f func(*DIE)) {
	d.visit(f, func() {})
}

func (d *DIE) visit(enter func(*DIE), leave func()) {
	type level struct {
		kids []*DIE
		i    int
	}
	stack := []level{{kids: []*DIE{d}}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.i == len(top.kids) {
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				leave()
			}
			continue
		}
		die := top.kids[top.i]
		top.i++
		enter(die)
		if len(die.Children) > 0 {
			stack = append(stack, level{kids: die.Children})
		}
	}
}

// encoder writes the entries of a unit.
type encoder struct {
	b    *Builder
	u    *Unit
	out  Bytes
	base uint64 // offset in the section of out[0]
}

func (e *encoder) die(root *DIE) {
	root.visit(func(d *DIE) {
		d.off = e.base + uint64(len(e.out))
		e.out = e.out.ULEB(d.code)
		for _, a := range d.Attrs {
			e.value(a.Form, a.Value)
		}
	}, func() { e.out = e.out.U8(0) })
}

// ref returns the number that stands for a reference: a *DIE's offset, in the
// unit or in the section.
func (e *encoder) ref(v any, inUnit bool) uint64 {
	d, ok := v.(*DIE)
	switch {
	case !ok:
		return number(v)
	case inUnit:
		return d.off - e.u.off
	}
	return d.off
}

func (e *encoder) value(form int, v any) {
	out := e.out
	switch form {
	case FormFlagPresent, FormImplicitConst:
	case FormData1, FormFlag, FormStrx1, FormAddrx1:
		out = out.U8(e.index(form, v))
	case FormData2, FormStrx2, FormAddrx2:
		out = out.U16(e.index(form, v))
	case FormStrx3, FormAddrx3:
		out = out.Uint(e.index(form, v), 3)
	case FormData4, FormStrx4, FormAddrx4:
		out = out.U32(e.index(form, v))
	case FormData8, FormRefSig8, FormRefSup8:
		out = out.U64(number(v))
	case FormUdata, FormStrx, FormAddrx, FormGNUAddrIndex, FormGNUStrIndex, FormLoclistx, FormRnglistx:
		out = out.ULEB(e.index(form, v))
	case FormSdata:
		out = out.SLEB(int64(number(v)))
	case FormData16:
		out = append(out, v.([]byte)...)
	case FormAddr:
		out = out.Uint(number(v), e.u.addrSize())
	case FormString:
		out = out.Str(v.(string))
	case FormStrp:
		out = out.offset(e.string(v, e.b.Str), e.u.Is64)
	case FormLineStrp:
		out = out.offset(e.string(v, e.b.LineStr), e.u.Is64)
	case FormSecOffset, FormStrpSup, FormGNURefAlt, FormGNUStrpAlt:
		out = out.offset(number(v), e.u.Is64)
	case FormRefSup4:
		out = out.U32(number(v))
	case FormRef1:
		out = out.U8(e.ref(v, true))
	case FormRef2:
		out = out.U16(e.ref(v, true))
	case FormRef4:
		out = out.U32(e.ref(v, true))
	case FormRef8:
		out = out.U64(e.ref(v, true))
	case FormRefUdata:
		out = out.ULEBPadded(e.ref(v, true), 4)
	case FormRefAddr:
		if e.u.Version == 2 {
			out = out.Uint(e.ref(v, false), e.u.addrSize())
		} else {
			out = out.offset(e.ref(v, false), e.u.Is64)
		}
	case FormBlock1:
		out = append(out.U8(uint64(len(v.([]byte)))), v.([]byte)...)
	case FormBlock2:
		out = append(out.U16(uint64(len(v.([]byte)))), v.([]byte)...)
	case FormBlock4:
		out = append(out.U32(uint64(len(v.([]byte)))), v.([]byte)...)
	case FormBlock, FormExprloc:
		out = append(out.ULEB(uint64(len(v.([]byte)))), v.([]byte)...)
	case FormIndirect:
		in := v.(Indirect)
		e.out = out.ULEB(uint64(in.Form))
		e.value(in.Form, in.Value)
		return
	default:
		panic(fmt.Sprintf("testdwarf: form 0x%x cannot be written", form))
	}
	e.out = out
}

// index turns strings and addresses of indexed forms into indices.
func (e *encoder) index(form int, v any) uint64 {
	if s, ok := v.(string); ok {
		return e.b.Strx(s)
	}
	switch form {
	case FormAddrx, FormAddrx1, FormAddrx2, FormAddrx3, FormAddrx4, FormGNUAddrIndex:
		if a, ok := v.(Addr); ok {
			return e.b.Addrx(uint64(a), e.u.addrSize())
		}
	}
	return number(v)
}

// Addr is an address for an indexed form; a plain number is the index itself.
type Addr uint64

// string returns the offset of a string; a number is the offset itself.
func (e *encoder) string(v any, add func(string) uint64) uint64 {
	if s, ok := v.(string); ok {
		return add(s)
	}
	return number(v)
}
