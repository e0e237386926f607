package report

import (
	"fmt"
	"math/rand/v2"
	"path"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func at[T any](v T) *T { return &v }

var sampleRules = []Rule{
	{Code: "WD101", Name: "code-start-differs", Title: "The code starts at different file offsets in the two files",
		Meaning: "Browsers report file offsets of the production module; a client that uses the companion's code start is off by the difference in every frame.",
		Remedy:  "run check --fix, which lays the companion out again at the right offset", Default: Error},
	{Code: "WD112", Name: "not-on-instruction", Title: "DWARF points into the middle of an instruction",
		Meaning: "What points elsewhere describes other code, and its lines are wrong.",
		Remedy:  "rebuild without the step that rewrites code and leaves its DWARF alone", Default: Error},
	{Code: "WD115", Name: "shadowed-definitions", Title: "DWARF of definitions that lost at link time",
		Meaning: "Other symbolizers may answer with the wrong copy.", Remedy: "build all objects with the same options", Default: Info},
	{Code: "WD160", Name: "leaked-path", Title: "The production module holds paths of the machine that built it",
		Meaning: "Users can read them.", Remedy: "pass -ffile-prefix-map", Default: Warning},
}

// sampleReport has something of everything, with names that are made to hurt.
func sampleReport() *Report {
	return &Report{Tool: "wasm-debugid", Version: "v1.2.3", Command: "check", Rules: sampleRules, Subjects: []Subject{
		{
			Production: "dist/app.wasm", Companion: "dist/app.debug.wasm", BuildID: "9f86d081884c7d659a2feaa0c55ad015",
			Tier: "dwarf", Verdict: Fail,
			Findings: []Finding{
				{Rule: "WD160", Severity: Warning, Count: 3, Message: "the data holds absolute paths below a home directory",
					Location: Location{Path: "dist/app.wasm", Section: "data", File: at(wasm.FileOffset(0x9a10))},
					Samples:  []Location{{Path: "dist/app.wasm", File: at(wasm.FileOffset(0x9a10))}, {Path: "dist/app.wasm", File: at(wasm.FileOffset(0x9b00))}}},
				{Rule: "WD101", Severity: Error, Message: "the code starts at 0x1d8 in the production module and at 0x1b6 in the companion; frames would be 34 bytes off",
					Location: Location{Path: "dist/app.debug.wasm", Section: "code", File: at(wasm.FileOffset(0x1b6))}},
				{Rule: "WD112", Severity: Error, Count: 1234, Message: "rows of the line table point into instructions", Remedy: "pass -g to wasm-opt",
					Location: Location{Path: "dist/app.debug.wasm", Section: ".debug_line", File: at(wasm.FileOffset(0x3e8)), Code: at(wasm.CodeOffset(0x232)),
						Index: at(uint32(12)), Function: "core::ptr::drop_in_place<alloc::vec::Vec<[u8; 4]>>", Source: "src/lib.rs", Line: 41, Column: 7},
					Samples: []Location{
						{Path: "dist/app.debug.wasm", Code: at(wasm.CodeOffset(0x232)), Index: at(uint32(12)), Function: "a::b::{{closure}}", Source: "src/lib.rs", Line: 41},
						{Path: "dist/app.debug.wasm", Code: at(wasm.CodeOffset(0x299)), Index: at(uint32(12)), Source: "src/100% sure, really: a|b.rs", Line: 9},
					}},
				{Rule: "WD115", Severity: Info, Message: "2 definitions <script>alert(1)</script> lost \x1b[31mat link time\u202e @octocat [here](http://example.invalid/)",
					Location: Location{Path: "dist/app.debug.wasm"}},
			},
			Coverage: &Coverage{
				Total:     Counts{Line: 9120, Function: 640, Nothing: 41},
				Classes:   []Group{{Name: "user", Class: "user", Size: 81000, Counts: Counts{Line: 9120, Function: 40, Nothing: 1}}, {Name: "runtime", Class: "runtime", Size: 9000, Counts: Counts{Function: 600}}, {Name: "glue", Class: "glue", Size: 300, Counts: Counts{Nothing: 40}}},
				Languages: []Group{{Name: "Rust", Size: 70000, Counts: Counts{Line: 8000, Function: 40}}, {Name: "C++14", Size: 11000, Counts: Counts{Line: 1120, Nothing: 1}}},
				Units:     []Group{{Name: "src/lib.rs", Size: 70000, Counts: Counts{Line: 8000, Function: 40}}},
				Files: []Group{
					{Name: "/home/me/app/src/lib.rs", Parent: "/home/me/app/src", Class: "user", Size: 60000, Counts: Counts{Line: 7000}},
					{Name: "/home/me/app/src/net/<img src=x onerror=alert(1)>.rs", Parent: "/home/me/app/src/net", Class: "user", Size: 10000, Counts: Counts{Line: 1000, Function: 40}},
					{Name: "/rustc/abc/library/core/src/fmt/mod.rs", Parent: "/rustc/abc/library/core/src/fmt", Class: "user", Size: 11000, Counts: Counts{Line: 1120, Nothing: 1}},
				},
				Functions: []Group{
					{Name: "app::run", Parent: "/home/me/app/src/lib.rs", Class: "user", Size: 40000, Counts: Counts{Line: 5000}},
					{Name: "app::parse::<impl \"quoted\" & 'more'>", Parent: "/home/me/app/src/lib.rs", Class: "user", Size: 20000, Counts: Counts{Line: 2000}},
					{Name: "<img src=x onerror=alert(2)>", Parent: "/home/me/app/src/net/<img src=x onerror=alert(1)>.rs", Class: "user", Size: 10000, Counts: Counts{Line: 1000, Function: 40}},
					{Name: "core::fmt::write", Parent: "/rustc/abc/library/core/src/fmt/mod.rs", Class: "user", Size: 11000, Counts: Counts{Line: 1120, Nothing: 1}},
					{Name: "dlmalloc", Class: "runtime", Size: 9000, Counts: Counts{Function: 600}},
					{Name: "__wasm_call_ctors", Class: "glue", Size: 300, Counts: Counts{Nothing: 40}},
				},
			},
			Checked:    []string{"build IDs", "the code of 6 functions, byte for byte", "every row of the line tables"},
			NotChecked: []string{"split DWARF: app.dwo is not at hand"},
			Facts:      []Fact{{"functions", "6"}, {"instructions", "31,337"}},
		},
		{Production: "dist/odd name,100%:\n::set-output.wasm", Verdict: CouldNotCheck, NotChecked: []string{"no companion was found beside it"}},
		{Production: "dist/good.wasm", Companion: "dist/good.debug.wasm", BuildID: "00ff", Tier: "dwarf", Verdict: Pass,
			Coverage: &Coverage{Total: Counts{Line: 10}}, Checked: []string{"everything"}},
	}}
}

// passReport is one pair without a flaw.
func passReport() *Report {
	r := sampleReport()
	r.Subjects = r.Subjects[2:]
	return r
}

// bigReport has n functions in a tree of files, some of which lack lines.
func bigReport(n int) *Report {
	rng := rand.New(rand.NewPCG(1, 2))
	dirs := []string{"app/src", "app/src/net", "app/src/ui/widgets", "app/src/ui", "vendor/zlib", "vendor/sqlite/src", "rustc/library/core/src", "rustc/library/alloc/src", "rustc/library/std/src/sys"}
	cov := &Coverage{}
	files := map[string]*Group{}
	var order []string
	classes := map[string]*Group{}
	for i := range n {
		d := dirs[rng.IntN(len(dirs))]
		class := "user"
		if d == "vendor/sqlite/src" && rng.IntN(2) == 0 {
			class = "runtime"
		}
		file := path.Join(d, fmt.Sprintf("part%d.rs", rng.IntN(1+n/60)))
		bytes := int64(20 + rng.ExpFloat64()*rng.ExpFloat64()*900)
		points := bytes/9 + 1
		c := Counts{Line: points}
		switch {
		case class == "runtime":
			c = Counts{Function: points}
		case d == "vendor/zlib":
			c = Counts{Nothing: points}
		case rng.IntN(9) == 0:
			lost := rng.Int64N(points + 1)
			c = Counts{Line: points - lost, Function: lost / 2, Nothing: lost - lost/2}
		}
		cov.Functions = append(cov.Functions, Group{Name: fmt.Sprintf("%s::module%d::function_%d::h", path.Base(d), i%37, i), Parent: file, Class: class, Size: bytes, Counts: c})
		if files[file] == nil {
			files[file] = &Group{Name: file, Parent: d, Class: class}
			order = append(order, file)
		}
		files[file].Size += bytes
		files[file].Counts.Add(c)
		if classes[class] == nil {
			classes[class] = &Group{Name: class, Class: class}
		}
		classes[class].Size += bytes
		classes[class].Counts.Add(c)
		cov.Total.Add(c)
	}
	for _, name := range order {
		cov.Files = append(cov.Files, *files[name])
	}
	for _, class := range []string{"user", "runtime"} {
		if classes[class] != nil {
			cov.Classes = append(cov.Classes, *classes[class])
		}
	}
	cov.Languages = []Group{{Name: "Rust", Counts: cov.Total}}
	r := sampleReport()
	r.Subjects = r.Subjects[:1]
	r.Subjects[0].Coverage = cov
	return r
}
