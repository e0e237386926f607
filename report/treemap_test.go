package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSquarify: areas are as the sizes, the rectangles fill the whole and none
// covers another.
func TestSquarify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(1, 1<<30), 1, 60).Draw(t, "sizes")
		root := &node{}
		for _, s := range sizes {
			root.kids = append(root.kids, &node{level: levelFunction, size: s})
		}
		root.finish()
		whole := rect{3, 5, rapid.Float64Range(1, 1000).Draw(t, "w"), rapid.Float64Range(1, 1000).Draw(t, "h")}
		got := squarify(root.kids, whole)
		if len(got) != len(sizes) {
			t.Fatalf("%d rectangles for %d sizes", len(got), len(sizes))
		}
		const slack = 1e-6
		for i, r := range got {
			want := whole.area() * float64(root.kids[i].size) / float64(root.size)
			if math.Abs(r.area()-want) > whole.area()*slack {
				t.Fatalf("area %g, want %g", r.area(), want)
			}
			if r.x < whole.x-slack || r.y < whole.y-slack || r.x+r.w > whole.x+whole.w+slack*1000 || r.y+r.h > whole.y+whole.h+slack*1000 {
				t.Fatalf("%v lies outside %v", r, whole)
			}
			for _, o := range got[:i] {
				if w, h := min(r.x+r.w, o.x+o.w)-max(r.x, o.x), min(r.y+r.h, o.y+o.h)-max(r.y, o.y); w > 0 && h > 0 && w*h > whole.area()*slack {
					t.Fatalf("%v and %v overlap", r, o)
				}
			}
		}
	})
}

// TestSquarifyIsSquare: the example of the paper comes out as it shows it.
func TestSquarifyIsSquare(t *testing.T) {
	var nodes []*node
	for _, s := range []int64{6, 6, 4, 3, 2, 2, 1} {
		nodes = append(nodes, &node{size: s})
	}
	var got []string
	for _, r := range squarify(nodes, rect{0, 0, 6, 4}) {
		got = append(got, fmt.Sprintf("%.2f×%.2f", r.w, r.h))
	}
	want := "3.00×2.00 3.00×2.00 1.71×2.33 1.29×2.33 1.20×1.67 1.20×1.67 0.60×1.67"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}

// TestSquarifyGrid: equal sizes that can be squares are squares.
func TestSquarifyGrid(t *testing.T) {
	nodes := make([]*node, 12)
	for i := range nodes {
		nodes[i] = &node{size: 7}
	}
	for i, r := range squarify(nodes, rect{0, 0, 4, 3}) {
		if math.Abs(r.w-1) > 1e-9 || math.Abs(r.h-1) > 1e-9 {
			t.Errorf("the %dth is %g×%g", i, r.w, r.h)
		}
	}
}

func TestLayoutIsBounded(t *testing.T) {
	root := tree(bigReport(2_000).Subjects[0].Coverage)
	area := rect{0, 0, 1000, 500}
	cells := layout(root, area, area.area()/1000)
	leaves, sum := 0, int64(0)
	for _, c := range cells {
		if !c.group {
			leaves++
			sum += c.size
		}
	}
	if leaves > 1000 || leaves < 50 {
		t.Errorf("%d cells", leaves)
	}
	if sum != root.size {
		t.Errorf("the cells have %d bytes, the code %d", sum, root.size)
	}
}

func TestTree(t *testing.T) {
	show := func(c *Coverage) string {
		var b strings.Builder
		var walk func(n *node, indent string)
		walk = func(n *node, indent string) {
			fmt.Fprintf(&b, "%s%s %d %d\n", indent, n.label, n.size, n.counts.Total())
			for _, k := range n.kids {
				walk(k, indent+" ")
			}
		}
		walk(tree(c), "")
		return b.String()
	}
	got := show(&Coverage{Functions: []Group{
		{Name: "f", Parent: "/a/b/x.c", Size: 10, Counts: Counts{Line: 2}},
		{Name: "g", Parent: "/a/b/x.c", Size: 20, Counts: Counts{Line: 3}},
		{Name: "h", Parent: `/a\c/y.c`, Size: 5},
		{Name: "i", Class: "glue", Size: 1, Counts: Counts{Nothing: 1}},
		{Name: "nothing of it", Parent: "z.c", Size: 0},
	}})
	want := `all code 36 6
 /a 35 5
  b 30 5
   x.c 30 5
    g 20 3
    f 10 2
  c 5 0
   y.c 5 0
    h 5 0
 no source (glue) 1 1
  i 1 1
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := show(&Coverage{Files: []Group{{Name: "a.c", Size: 3}, {Name: "b/c.c", Size: 4}}}); got != "all code 7 0\n b 4 0\n  c.c 4 0\n a.c 3 0\n" {
		t.Error(got)
	}
	if got := show(&Coverage{}); got != "all code 0 0\n" {
		t.Error(got)
	}
	if cells := layout(tree(&Coverage{}), rect{0, 0, 9, 9}, 1); cells != nil {
		t.Error(cells)
	}
	tree(&Coverage{Functions: []Group{{Parent: strings.Repeat("d/", 100_000), Size: 1}}})
}

func TestShades(t *testing.T) {
	for _, c := range []struct {
		Counts
		want shade
	}{
		{Counts{}, shadeEmpty},
		{Counts{Line: 5}, shadeFull},
		{Counts{Line: 999, Nothing: 1}, shadeMost},
		{Counts{Line: 79, Function: 21}, shadePart},
		{Counts{Line: 19, Function: 81}, shadeNames},
		{Counts{Function: 1}, shadeNames},
		{Counts{Nothing: 1}, shadeNone},
		{Counts{Line: 1, Function: 3, Nothing: 6}, shadeNone},
	} {
		if got := shadeOf(c.Counts); got != c.want {
			t.Errorf("%+v is %s", c.Counts, got.Class)
		}
	}
}
