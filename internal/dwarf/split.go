package dwarf

import "errors"

// ErrNoSplitUnit is returned when a .dwo or .dwp does not hold the unit that a
// skeleton asks for.
var ErrNoSplitUnit = errors.New("no split unit with the skeleton's id")

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
