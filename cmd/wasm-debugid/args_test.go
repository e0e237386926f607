package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestReorder(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"split in -o out", "split -o=out -- in"},
		{"split -o out in", "split -o=out -- in"},
		{"split in --output out -q", "split --output=out -q -- in"},
		{"split in -o=out", "split -o=out -- in"},
		{"split in -output out", "split -output=out -- in"},
		{"split in --in-place --json=false", "split --in-place --json=false -- in"},
		{"split a b c --keep x d --keep y", "split --keep=x --keep=y -- a b c d"},
		{"split in -qv", "split -q -v -- in"},
		{"split in -qvo out", "split -q -v -o=out -- in"},
		{"split in -qo=out", "split -q -o=out -- in"},
		{"split -q -- -in -o out", "split -q -- -in -o out"},
		{"split -o out --", "split -o=out"},
		{"split - -o -", "split -o=- -- -"},
		{"split in --external-url=", "split --external-url= -- in"},
		{"split in -o=--json", "split -o=--json -- in"},
		{"-q split in", "split -q -- in"},
		{"--color never split in", "split --color=never -- in"},
		{"-nq split in", "split -n -q -- in"}, // -n is a flag of split alone
		{"--in-place -qv split in", "split --in-place -q -v -- in"},
		{"--color split in", "--color=split -- in"},
		{"split in --version", "--version split -- in"},
		{"split in --nosuch", "split --nosuch -- in"},
		{"split split", "split -- split"},
		{"nosuch split -o x", "-o -- nosuch split x"},
		{"-- split in", "-- split in"},
		{"info --ids a", "info --ids -- a"},
		{"info -o a", "info -o -- a"}, // not a flag of info: the parser refuses it
		{"split --in-place in -zq", "split --in-place -zq -- in"},
		{"", ""},
	} {
		got, err := reorder(append([]string{program}, strings.Fields(tt.line)...), commands())
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		if text := strings.Join(got.ordered[1:], " "); text != tt.want {
			t.Errorf("%s: %q, want %q", tt.line, text, tt.want)
		}
	}
	for _, tt := range []struct{ line, want string }{
		{"split in -o", "-o needs a value"},
		{"split in --keep", "--keep needs a value"},
		{"split in -o --json", "looks like a flag"},
		{"split in -o -q", "looks like a flag"},
		{"split -ouput in", "there is no flag -ouput"},
		{"split -qo", "-o needs a value"},
		{"-o split in", "-o needs a value, but split follows, which is the command"},
	} {
		_, err := reorder(append([]string{program}, strings.Fields(tt.line)...), commands())
		if !is[*usageError](err) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.line, err, tt.want)
		}
	}
}

// parsed is what a command sees of a line.
type parsed struct {
	Args             []string
	Output, DebugOut string
	Keep             []string
	InPlace, Quiet   bool
}

// parse runs the whole way from a line to a command that only looks.
func parse(args []string) (parsed, error) {
	var p parsed
	all := commands()
	for i := range all {
		all[i].run = func(c *call) error {
			p = parsed{Args: c.Args().Slice(), Output: c.String("output"), DebugOut: c.String("debug-out"), Keep: c.list("keep"),
				InPlace: c.Bool("in-place"), Quiet: c.quiet}
			return nil
		}
	}
	ordered, err := reorder(args, all)
	if err != nil {
		return p, err
	}
	s := newStreams(context.Background(), nil, io.Discard, io.Discard)
	return p, newApp(s, ordered, args, all).RunContext(context.Background(), ordered.ordered)
}

// TestFlagsAnywhere: whatever the order and the spelling of flags and files, the
// command sees the same.
func TestFlagsAnywhere(t *testing.T) {
	word := rapid.StringMatching(`[a-zA-Z0-9_./=,* ]{1,8}|-`)
	rapid.Check(t, func(t *rapid.T) {
		var want parsed
		var items [][]string
		value := func(names []string) string {
			v := word.Draw(t, "value")
			name := rapid.SampledFrom(names).Draw(t, "name")
			if rapid.Bool().Draw(t, "joined") {
				items = append(items, []string{name + "=" + v})
			} else {
				items = append(items, []string{name, v})
			}
			return v
		}
		if rapid.Bool().Draw(t, "output") {
			want.Output = value([]string{"-o", "--output", "-output", "--out"})
		}
		if rapid.Bool().Draw(t, "debug") {
			want.DebugOut = value([]string{"-d", "--debug-out", "--companion"})
		}
		for range rapid.IntRange(0, 3).Draw(t, "keeps") {
			value([]string{"--keep", "-keep"})
		}
		if rapid.Bool().Draw(t, "place") {
			items, want.InPlace = append(items, []string{"--in-place"}), true
		}
		if rapid.Bool().Draw(t, "quiet") {
			items, want.Quiet = append(items, []string{rapid.SampledFrom([]string{"-q", "--quiet", "-vq", "-qn"}).Draw(t, "q")}), true
		}
		for range rapid.IntRange(0, 3).Draw(t, "files") {
			items = append(items, []string{word.Draw(t, "file")})
		}
		items = rapid.Permutation(items).Draw(t, "order")
		args := []string{program, "split"}
		for _, it := range items {
			args = append(args, it...)
			switch name, v, _ := strings.Cut(strings.TrimLeft(it[0], "-"), "="); {
			case len(it) == 1 && it[0] == "-" || it[0][0] != '-':
				want.Args = append(want.Args, it[0])
			case name == "keep" && len(it) == 2:
				want.Keep = append(want.Keep, it[1])
			case name == "keep":
				want.Keep = append(want.Keep, v)
			}
		}
		if rapid.Bool().Draw(t, "dashes") {
			args = append(args, "--", "-o", "--json")
			want.Args = append(want.Args, "-o", "--json")
		}
		got, err := parse(args)
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if len(got.Args) == 0 {
			got.Args = nil
		}
		if len(got.Keep) == 0 {
			got.Keep = nil
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%q:\n%s", args, d)
		}
	})
}

// FuzzReorder: any line is put in order without a panic; nothing is lost but what is said twice; what is
// in order stays as it is; and the parser behind it sees no flag among the files.
func FuzzReorder(f *testing.F) {
	for _, line := range []string{
		"split\nin\n-o\nout", "split\n-qvo\nout\nin", "--\nsplit", "-q\nsplit\n--\n-in", "split\n-\n-o\n-", "split\n-o\n--json", "split\n-ouput",
		"info\n--ids\n-", "\n\n", "split\n--keep=\n--keep\n*", "--color\nnever\nhelp\nsplit", "split\n-=x\n---\n--=", "-V\nsplit", "-qq\nsplit\n--quiet", "-\xce\n\xb9", "split\n-\xff\nx", "-nq\nsplit", "-o\nsplit\nin", "-q\n-quiet", "-q\n-q=1",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := append([]string{program}, strings.Split(line, "\n")...)
		got, err := reorder(args, commands())
		if err != nil {
			if !is[*usageError](err) {
				t.Fatalf("%q: %v", args, err)
			}
			return
		}
		again, err := reorder(got.ordered, commands())
		if err != nil || !slices.Equal(again.ordered, got.ordered) {
			t.Fatalf("%q: %q became %q, %v", args, got.ordered, again.ordered, err)
		}
		before, after := strings.Join(args, "\n"), strings.Join(got.ordered, "\n")
		known := append(common(), rootOnly()...)
		if got.command != nil {
			known = append(known, got.command.allOptions()...)
		}
		for _, o := range known {
			// A flag that is said again with the same value is said once: under one of its
			// names, and a switch in one of the ways to write its value.
			if got.has(o.name()) {
				after += strings.Join(o.names, "") + o.bare
				if o.value == "" {
					after += "1tTRUEtrueTrue0fFALSEfalseFalse"
				}
			}
		}
		for _, r := range before {
			if r != '-' && r != '=' && r != '\n' && !strings.ContainsRune(after, r) {
				t.Fatalf("%q: %q was lost in %q", args, r, got.ordered)
			}
		}
		if got.command == nil {
			return
		}
		all := commands()
		var seen []string
		for i := range all {
			all[i].run = func(c *call) error { seen = c.Args().Slice(); return errSeen }
		}
		s := newStreams(context.Background(), nil, io.Discard, io.Discard)
		if err := newApp(s, got, args, all).RunContext(context.Background(), got.ordered); !errors.Is(err, errSeen) {
			return
		}
		var rest []string
		if i := slices.Index(got.ordered, "--"); i >= 0 {
			rest = got.ordered[i+1:]
		}
		if !slices.Equal(seen, rest) {
			t.Fatalf("%q: the command sees %q, want %q", args, seen, rest)
		}
	})
}

var errSeen = errors.New("seen")
