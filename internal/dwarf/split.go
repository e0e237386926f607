package dwarf

import "errors"

// ErrNoSplitUnit is returned when a .dwo or .dwp does not hold the unit that a
// skeleton asks for.
var ErrNoSplitUnit = errors.New("no split unit with the skeleton's id")

// ErrLinkedSplit is returned when the split sections have been through a linker,
// which merges their strings and adjusts nothing: names from there are wrong.
// That happens to the ".dwo" sections of modules linked of objects that were
// built with -gsplit-dwarf=single; the objects still have them intact.
var ErrLinkedSplit = errors.New("split debug sections were merged by a linker; use the object files")

// AttachDWO finds the split unit that belongs to a skeleton in a .dwo file and
// returns it with the skeleton's address table, base addresses, line program
// and compilation directory. The result stands for the skeleton from then on.
// dwo must have been made of Sections with DWO set.
func AttachDWO(skel *Unit, dwo *Data) (*Unit, error) {
	id, err := skel.splitID()
	if err != nil {
		return nil, err
	}
	for i := range dwo.units {
		u := &dwo.units[i]
		if u.isType() {
			continue
		}
		root, err := u.Root()
		if err == nil && root.HasDWOID && root.DWOID == id {
			if u.stringsMerged() {
				return nil, ErrLinkedSplit
			}
			return u.attach(skel), nil
		}
	}
	return nil, ErrNoSplitUnit
}

func (u *Unit) splitID() (uint64, error) {
	root, err := u.Root()
	if err != nil {
		return 0, err
	}
	if !u.IsSkeleton() || !root.HasDWOID {
		return 0, u.errf(u.Off, "unit is not a skeleton with an id")
	}
	return root.DWOID, nil
}

// stringsMerged says that offsets of strings lead into the middle of strings,
// which no compiler writes. The first few tell.
func (u *Unit) stringsMerged() bool {
	str, table := u.d.sec.Str, u.d.sec.StrOffsets
	enc := u.encoding()
	size := int(enc.offsetSize())
	r := reader{data: table}
	if u.Version >= 5 {
		r.skip(uint64(2 * size))
	}
	for range 64 {
		off := r.uint(size)
		if r.bad {
			break
		}
		if off > uint64(len(str)) || off > 0 && str[off-1] != 0 {
			return true
		}
	}
	return false
}

// attach makes a unit of the same bytes that uses the skeleton's tables.
func (u *Unit) attach(skel *Unit) *Unit {
	return &Unit{Header: u.Header, d: u.d, skel: skel}
}

// CompDir returns the compilation directory: for an attached split unit its
// skeleton's, which is the one that producers write.
func (u *Unit) CompDir() []byte {
	root, err := u.Root()
	if err != nil {
		return nil
	}
	if root.CompDir == nil && u.skel != nil {
		return u.skel.CompDir()
	}
	return root.CompDir
}
