package dwarf

import "reflect"

// Careful makes a walk look closely at every entry.
func Careful(o FuncOptions) FuncOptions {
	o.careful = true
	return o
}

// Same compares everything that a walk finds.
func (f *Functions) Same(g *Functions) bool { return reflect.DeepEqual(f, g) }
