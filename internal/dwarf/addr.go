package dwarf

import "errors"

var (
	errNoAddrTable = errors.New("there is no .debug_addr section")
	errAddrIndex   = errors.New("index lies outside of .debug_addr")
	errNotAddress  = errors.New("value is not an address")
)

// Address returns the address that a value of class address stands for.
func (u *Unit) Address(v Value) (uint64, error) {
	st, err := u.load()
	if err != nil {
		return 0, err
	}
	return u.addressOf(st, v.raw())
}

func (u *Unit) addressOf(st *unitState, v rawAttr) (uint64, error) {
	switch v.form {
	case FormAddr:
		return v.u, nil
	case FormAddrx, FormAddrx1, FormAddrx2, FormAddrx3, FormAddrx4, FormGNUAddrIndex:
		return u.addrx(st, v.u)
	case FormLLVMAddrxOffset:
		a, err := u.addrx(st, v.u>>32)
		if err != nil {
			return 0, err
		}
		sum := a + v.u&(1<<32-1)
		if isTombstone(a, u.MaxAddr()) {
			return a, nil
		}
		if sum < a || sum > u.MaxAddr() {
			return 0, errors.New("address and offset wrap around")
		}
		return sum, nil
	}
	return 0, errNotAddress
}

// addrx returns entry i of the unit's part of .debug_addr. A split unit uses
// its skeleton's.
func (u *Unit) addrx(st *unitState, i uint64) (uint64, error) {
	d, root := u.d, st.root
	if u.skel != nil {
		skel, err := u.skel.load()
		if err != nil {
			return 0, err
		}
		d, root = u.skel.d, skel.root
	}
	table := d.sec.Addr
	if table == nil {
		return 0, errNoAddrTable
	}
	base := u.addrBase(root)
	n := uint64(len(table))
	size := uint64(u.AddrSize)
	if base > n || i >= (n-base)/size {
		return 0, errAddrIndex
	}
	r := reader{data: table, off: int(base + i*size)}
	return r.uint(int(size)), nil
}

// addrBase returns where the unit's part of .debug_addr begins.
func (u *Unit) addrBase(root *Root) uint64 {
	if !root.addrBase.set && u.Version >= 5 {
		if u.DWARF64 {
			return 16
		}
		return 8 // right after the header of the only contribution
	}
	return root.addrBase.off
}

// isTombstone says that a linker wrote this value in place of the address of
// removed code: all ones, or all ones minus one (for lists in which all ones
// means something else), in the width of an address.
func isTombstone(addr, max uint64) bool { return addr >= max-1 }

// IsTombstone says that addr stands for removed code in this unit: all ones or
// all ones minus one in the unit's address size, or 0 where no code can be.
func (u *Unit) IsTombstone(addr uint64) bool {
	return isTombstone(addr, u.MaxAddr()) || addr == 0 && u.zeroIsDead()
}

func (u *Unit) zeroIsDead() bool { return u.addrUnit().d.opt.ZeroIsDead }
