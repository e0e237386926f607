package report

import (
	"cmp"
	"slices"
	"strings"
)

// node is a part of the code: a directory, a file, a function, or what was merged.
type node struct {
	label  string // shown
	path   string // whole name, for people who point at it
	level  level
	size   int64 // bytes of code
	counts Counts
	kids   []*node // largest first
}

type level int

const (
	levelDir level = iota
	levelFile
	levelFunction
	levelRest // small ones, merged
)

// tree arranges the code of a coverage by directory, file and function. Where
// there are no functions, the files are the leaves, else the units, else the
// classes.
func tree(c *Coverage) *node {
	root := &node{label: "all code", level: levelDir}
	files := map[string]*node{}
	file := func(name, class string) *node {
		path := strings.ReplaceAll(clean(name), `\`, "/")
		if path == "" {
			path = "no source (" + cmp.Or(clean(class), "unknown") + ")"
		}
		f := files[path]
		if f == nil {
			f = &node{label: path[strings.LastIndexByte(path, '/')+1:], path: path, level: levelFile}
			files[path] = f
		}
		return f
	}
	switch {
	case len(c.Functions) > 0:
		for _, g := range c.Functions {
			f := file(g.Parent, g.Class)
			f.kids = append(f.kids, &node{label: cmp.Or(clean(g.Name), "(no name)"), path: clean(g.Name), level: levelFunction, size: g.Size, counts: g.Counts})
		}
	case len(c.Files)+len(c.Units) > 0:
		groups := c.Files
		if len(groups) == 0 {
			groups = c.Units
		}
		for _, g := range groups {
			f := file(g.Name, g.Class)
			f.size += g.Size
			f.counts.Add(g.Counts)
		}
	default:
		for _, g := range c.Classes {
			f := file(g.Name, g.Class)
			f.size += g.Size
			f.counts.Add(g.Counts)
		}
	}
	dirs := map[string]*node{"": root}
	var dir func(path string) *node
	dir = func(path string) *node {
		if d := dirs[path]; d != nil {
			return d
		}
		up, name := "", path
		if i := strings.LastIndexByte(path, '/'); i > 0 {
			up, name = path[:i], path[i+1:]
		}
		d := &node{label: cmp.Or(name, "/"), path: path, level: levelDir}
		dirs[path] = d
		parent := dir(up)
		parent.kids = append(parent.kids, d)
		return d
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at := root
		// A path of a thousand parts is no path; it would only cost a stack.
		if i := strings.LastIndexByte(name, '/'); i > 0 && strings.Count(name, "/") < 64 {
			at = dir(strings.TrimSuffix(name[:i], "/"))
		}
		at.kids = append(at.kids, files[name])
	}
	root.finish()
	return root
}

// finish adds sizes up, joins directories that hold nothing but another one, and
// puts the largest first.
func (n *node) finish() {
	for i, kid := range n.kids {
		kid.finish()
		for kid.level == levelDir && len(kid.kids) == 1 && kid.kids[0].level == levelDir {
			kid.kids[0].label = strings.TrimSuffix(kid.label, "/") + "/" + kid.kids[0].label
			kid = kid.kids[0]
			n.kids[i] = kid
		}
		n.size += kid.size
		n.counts.Add(kid.counts)
	}
	n.kids = slices.DeleteFunc(n.kids, func(k *node) bool { return k.size <= 0 })
	slices.SortStableFunc(n.kids, func(a, b *node) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.label, b.label))
	})
}

// rect is a rectangle in the units of the picture.
type rect struct{ x, y, w, h float64 }

func (r rect) area() float64 { return r.w * r.h }

func (r rect) inset(left, top, right, bottom float64) rect {
	return rect{r.x + left, r.y + top, max(r.w-left-right, 0), max(r.h-top-bottom, 0)}
}

// cell is a node with its place.
type cell struct {
	*node
	rect
	group bool // it is the frame of others
}

// Sizes in the treemap.
const (
	headHeight = 17.0 // of a frame's label
	charWidth  = 6.1  // of a character of a label
)

// layout places a tree in a picture. What would be smaller than the area least is
// merged, so that the number of cells is bounded whatever the tree.
func layout(root *node, r rect, least float64) []cell {
	var cells []cell
	var place func(n *node, r rect, depth int)
	place = func(n *node, r rect, depth int) {
		room := r
		if depth > 0 {
			if r.h > 2*headHeight && r.w > 40 {
				room = r.inset(1.5, headHeight, 1.5, 1.5)
			} else {
				room = r.inset(1.5, 1.5, 1.5, 1.5)
			}
		}
		if len(n.kids) == 0 || room.area() < 2*least || room.w < 8 || room.h < 8 || depth > 64 {
			cells = append(cells, cell{node: n, rect: r})
			return
		}
		if depth > 0 {
			cells = append(cells, cell{node: n, rect: r, group: true})
		}
		kids := merge(n, least/room.area())
		for i, at := range squarify(kids, room) {
			place(kids[i], at, depth+1)
		}
	}
	if root.size > 0 && r.area() > 0 {
		place(root, r, 0)
	}
	return cells
}

// merge returns the children of n; those with less than a share of its size become
// one.
func merge(n *node, share float64) []*node {
	small := len(n.kids)
	for small > 0 && float64(n.kids[small-1].size) < share*float64(n.size) {
		small--
	}
	if len(n.kids)-small < 2 {
		return n.kids
	}
	rest := &node{level: levelRest, path: n.path}
	for _, k := range n.kids[small:] {
		rest.size += k.size
		rest.counts.Add(k.counts)
	}
	rest.label = count(int64(len(n.kids)-small), "smaller one")
	kids := append(slices.Clone(n.kids[:small]), rest)
	slices.SortStableFunc(kids, func(a, b *node) int { return cmp.Compare(b.size, a.size) })
	return kids
}

// squarify divides r among nodes by their sizes, the largest first, into rectangles
// as square as they can be (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000).
func squarify(nodes []*node, r rect) []rect {
	var total float64
	for _, n := range nodes {
		total += float64(n.size)
	}
	scale := r.area() / total
	out := make([]rect, 0, len(nodes))
	for i := 0; i < len(nodes); {
		side := min(r.w, r.h)
		sum, end := 0.0, i
		shape := 0.0
		for end < len(nodes) {
			next := sum + float64(nodes[end].size)*scale
			s := ratio(float64(nodes[i].size)*scale, float64(nodes[end].size)*scale, next, side)
			if end > i && s > shape {
				break
			}
			sum, shape = next, s
			end++
		}
		if end == len(nodes) && side > 0 {
			sum = r.area() // what rounding left over
		}
		thick := 0.0
		if side > 0 {
			thick = sum / side
		}
		at := 0.0
		var row float64
		for _, n := range nodes[i:end] {
			row += float64(n.size)
		}
		for _, n := range nodes[i:end] {
			long := side * float64(n.size) / row
			if r.w >= r.h {
				out = append(out, rect{r.x, r.y + at, thick, long})
			} else {
				out = append(out, rect{r.x + at, r.y, long, thick})
			}
			at += long
		}
		if r.w >= r.h {
			r = r.inset(thick, 0, 0, 0)
		} else {
			r = r.inset(0, thick, 0, 0)
		}
		i = end
	}
	return out
}

// ratio returns how far from square the worst of a row is, whose largest and
// smallest areas are given.
func ratio(largest, smallest, sum, side float64) float64 {
	return max(side*side*largest/(sum*sum), sum*sum/(side*side*smallest))
}
