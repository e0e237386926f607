package dwarf

import "errors"

var (
	errNotReference = errors.New("value is not a reference")
	errRefTarget    = errors.New("reference leads outside of every unit")
	errRefType      = errors.New("reference to a type unit that is not in the file")
)

// Ref is a place of an entry: a unit, and an offset in the unit's section.
type Ref struct {
	Unit *Unit
	Off  uint64
}

// Ref returns the entry that a value of class reference leads to. That there
// is an entry at the offset is not checked.
func (u *Unit) Ref(v Value) (Ref, error) { return u.refOf(v.raw()) }

func (u *Unit) refOf(v rawAttr) (Ref, error) {
	switch v.form {
	case FormRef4, FormRef1, FormRef2, FormRef8, FormRefUdata:
		if v.u >= u.End-u.Off || u.Off+v.u < u.DIE {
			return Ref{}, errRefTarget
		}
		return Ref{u, u.Off + v.u}, nil
	case FormRefAddr:
		if u.Section == SecInfo && v.u >= u.DIE && v.u < u.End {
			return Ref{u, v.u}, nil
		}
		t := u.d.UnitAt(v.u)
		if t == nil || v.u < t.DIE {
			return Ref{}, errRefTarget
		}
		return Ref{t, v.u}, nil
	case FormRefSig8:
		t := u.d.TypeUnit(v.u)
		if t == nil {
			return Ref{}, errRefType
		}
		off := t.Off + t.TypeOff
		if off < t.Off || off < t.DIE || off >= t.End {
			return Ref{}, errRefTarget
		}
		return Ref{t, off}, nil
	case FormRefSup4, FormRefSup8, FormGNURefAlt:
		return Ref{}, ErrSupplementary
	}
	return Ref{}, errNotReference
}
