package conformance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tetratelabs/wazero/api"
)

const (
	opUnreachable = 0x00
	opNop         = 0x01
)

// patched returns the Code payload with every reportable instruction replaced by
// unreachable and as many nops as it takes to keep its length. Behind unreachable
// operands may have any type, so that what was valid stays valid; instructions
// that make up the block structure are none of these and stay.
func (c *code) patched() []byte {
	out := slices.Clone(c.payload)
	for _, b := range c.bodies {
		it := b.Instructions(c.bytes(b))
		for it.Next() {
			if in := it.Instr(); in.Reportable() {
				overwrite(out[it.At():], in.Len)
			}
		}
	}
	return out
}

// overwrite writes an unreachable of n bytes.
func overwrite(b []byte, n uint32) {
	b[0] = opUnreachable
	for i := uint32(1); i < n; i++ {
		b[i] = opNop
	}
}

// blank overwrites all instructions of a function in a payload. It reports false
// for a function that has none but its end.
func (c *code) blank(payload []byte, index uint32) bool {
	b, ok := c.body(index)
	if !ok {
		return false
	}
	l, err := b.Locals(c.bytes(b))
	if err != nil || l.End >= b.End-1 {
		return false
	}
	overwrite(payload[l.End:b.End-1], uint32(b.End-1-l.End))
	return true
}

// swept is what became of a sweep in one engine.
type swept struct {
	points    int      // instructions replaced
	trapped   int      // functions that trapped in place
	returned  int      // functions that came to no replaced instruction
	blanked   int      // of these, functions that trapped in place once their body was blanked
	empty     []uint32 // functions that have no instruction
	slow      []uint32 // functions that reached no end in their time
	uncalled  []uint32 // functions with parameters that have no zero
	elsewhere []elsewhere
	refused   error // the engine refused the copy
	broken    error // no instance could be made
	limit     string
}

// elsewhere is a probe that was not reported in its own function.
type elsewhere struct {
	index uint32 // the function that was called
	saw   string
}

// sweepCallTime is how long a function of a sweep may take. It calls nothing, so
// that only its own loops take time.
const sweepCallTime = 300 * time.Millisecond

// sweep calls every function of a copy in which all reportable instructions trap.
// The places go to frames.
func (m *module) sweep(ctx context.Context, e Engine, l *Limits, frames *collector) (*swept, error) {
	s := &swept{points: m.code.points}
	limits := *l
	limits.CallTime = min(limits.CallTime, sweepCallTime)
	deadline := time.Now().Add(l.Time)
	image, err := m.copyModule(copyOptions{payload: m.code.patched(), exportAll: true, tableMax: uint64(l.TableElements)})
	if err != nil {
		return s, err
	}
	r, err := newRunner(ctx, e, m, image, nil, &limits, nil)
	if err != nil {
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		s.refused = err
		return s, nil
	}
	defer r.close(ctx)
	var back []uint32 // functions that returned
	err = s.each(ctx, r, m.indices(), deadline, func(index uint32, out outcome) {
		if out.ended == returned {
			s.returned++
			back = append(back, index)
			return
		}
		if at, ok := s.inPlace(index, out); ok {
			s.trapped++
			frames.add(e, SweepTrap, at)
		}
	})
	if err != nil || s.broken != nil {
		return s, err
	}
	return s, s.again(ctx, m, e, &limits, back, deadline)
}

// again calls functions once more, with their bodies blanked.
func (s *swept) again(ctx context.Context, m *module, e Engine, l *Limits, list []uint32, deadline time.Time) error {
	payload := m.code.patched()
	var full []uint32
	for _, index := range list {
		if m.code.blank(payload, index) {
			full = append(full, index)
		} else {
			s.empty = append(s.empty, index)
		}
	}
	if len(full) == 0 {
		return nil
	}
	image, err := m.copyModule(copyOptions{payload: payload, exportAll: true, tableMax: uint64(l.TableElements)})
	if err != nil {
		return err
	}
	r, err := newRunner(ctx, e, m, image, nil, l, nil)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.refused = err
		return nil
	}
	defer r.close(ctx)
	return s.each(ctx, r, full, deadline, func(index uint32, out outcome) {
		at, ok := s.inPlace(index, out)
		if !ok {
			return
		}
		b, _ := m.code.body(index)
		if l, err := b.Locals(m.code.bytes(b)); err != nil || at.Code != l.End {
			s.elsewhere = append(s.elsewhere, elsewhere{index, fmt.Sprintf("code offset %v, not at its first instruction", at.Code)})
			return
		}
		s.blanked++
	})
}

// inPlace returns the innermost frame of a trap if it is of the function that was
// called, and keeps what it was otherwise.
func (s *swept) inPlace(index uint32, out outcome) (Frame, bool) {
	switch {
	case out.ended == overLimit:
		s.slow = append(s.slow, index)
	case out.ended != trapped || len(out.frames) == 0:
		s.elsewhere = append(s.elsewhere, elsewhere{index, out.text})
	case !out.frames[0].hasOffset:
		s.elsewhere = append(s.elsewhere, elsewhere{index, "a frame without an offset"})
	case out.frames[0].Index != index:
		s.elsewhere = append(s.elsewhere, elsewhere{index, fmt.Sprintf("function %d", out.frames[0].Index)})
	default:
		return out.frames[0].Frame, true
	}
	return Frame{}, false
}

// each calls the functions of a copy with zeros.
func (s *swept) each(ctx context.Context, r *runner, list []uint32, deadline time.Time, result func(index uint32, out outcome)) error {
	var guest api.Module
	for i, index := range list {
		if time.Now().After(deadline) {
			s.limit = fmt.Sprintf("the time for the probes in the %s is over; %d functions were not called", r.engine, len(list)-i)
			return nil
		}
		if guest == nil || guest.IsClosed() {
			limited, cancel := context.WithTimeout(ctx, r.limits.CallTime+time.Second)
			var err error
			guest, err = r.instantiate(limited)
			cancel()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				s.broken = fmt.Errorf("the %s cannot instantiate the copy with probes: %s", r.engine, outcomeOf(nil, err).text)
				return nil
			}
		}
		f := guest.ExportedFunction(sweepName(index))
		if f == nil {
			s.elsewhere = append(s.elsewhere, elsewhere{index, "no such export"})
			continue
		}
		args, ok := zeros(f.Definition().ParamTypes())
		if !ok {
			s.uncalled = append(s.uncalled, index)
			continue
		}
		out, err := r.invoke(ctx, f, args)
		if err != nil {
			return err
		}
		result(index, out)
	}
	return nil
}

// indices returns the indices of all functions with a body.
func (m *module) indices() []uint32 {
	out := make([]uint32, len(m.code.bodies))
	for i := range m.code.bodies {
		out[i] = m.code.bodies[i].Index
	}
	return out
}
