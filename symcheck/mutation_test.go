package symcheck_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// mutationsVar is the variable that sets how many mutations each row of the table
// gets. With it, the test also prints the table and holds docs/checks.md against
// it.
const mutationsVar = "WASM_DEBUGID_MUTATIONS"

// target is where a mutation strikes.
type target struct {
	section string
	half    string // production, companion or module
	// least is the least share that must be caught or harmless, in per cent: what is
	// left is plausible. caught is the least share that must be caught.
	least, caught float64
}

// pairTargets are for pairs, where everything is caught: by the content ID and the
// record, or by the record alone where the ID was given. moduleTargets are for modules
// without an ID that can be computed again.
var (
	pairTargets = []target{
		{"code", "production", 100, 100}, {"code", "companion", 100, 100},
		{"build_id", "production", 100, 100}, {"build_id", "companion", 100, 100},
		{".debug_line", "companion", 100, 100}, {".debug_abbrev", "companion", 100, 100}, {".debug_info", "companion", 100, 100},
		{".debug_str", "companion", 100, 100}, {"name", "companion", 100, 0},
	}
	// bareTargets show what a pair is without the digest in its record, which is what
	// another tool makes.
	bareTargets = []target{
		{".debug_line", "companion", 0, 0}, {".debug_abbrev", "companion", 0, 0}, {".debug_info", "companion", 0, 0},
		{".debug_str", "companion", 0, 0}, {"name", "companion", 0, 0},
	}
	moduleTargets = []target{
		{"code", "module", 0, 0}, {".debug_line", "module", 0, 0}, {".debug_abbrev", "module", 0, 0}, {".debug_info", "module", 0, 0},
	}
)

// mutated are the modules that are damaged: two compilers, three languages, both
// versions of DWARF.
var mutated = []string{"c/O0-dw4.wasm", "c/O2-dw5.wasm", "cpp/O0-dw5.wasm", "cpp/O2-dw4.wasm", "rust/nostd-O1-dw4.wasm"}

// tally counts what became of mutations.
type tally struct{ n, caught, harmless, plausible int }

func (y *tally) share(k int) float64 { return 100 * float64(k) / float64(y.n) }

func TestMutations(t *testing.T) {
	n := 25
	if v := os.Getenv(mutationsVar); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatalf("%s is %q", mutationsVar, v)
		}
	}
	var table strings.Builder
	table.WriteString("| what is checked | damage in | mutations | caught | harmless | plausible |\n|---|---|---:|---:|---:|---:|\n")
	content := buildid.Policy{Mode: buildid.ModeContent}
	given := buildid.Policy{Mode: buildid.ModeGiven, ID: buildid.ID("an id from a CI job")}
	for _, kind := range []struct {
		name    string
		id      buildid.Policy
		rules   symcheck.Settings
		targets []target
	}{{"pair, content ID", content, nil, pairTargets}, {"pair, given ID", given, nil, pairTargets},
		{"pair, given ID, no digest", given, symcheck.Settings{symcheck.DebugDataChanged: report.Off}, bareTargets},
		{"structure alone", content, nil, moduleTargets}} {
		for _, tg := range kind.targets {
			r := rand.New(rand.NewPCG(1, uint64(len(tg.section)+len(tg.half))))
			var y tally
			for i := range n {
				name := mutated[i%len(mutated)]
				tg.strike(t, name, kind.id, kind.rules, r, &y)
			}
			if y.share(y.caught+y.harmless) < tg.least || y.share(y.caught) < tg.caught {
				t.Errorf("%s, %s of the %s: %+v", kind.name, tg.section, tg.half, y)
			}
			where := fmt.Sprintf("`%s` of the %s", tg.section, tg.half)
			if tg.half == "module" {
				where = "`" + tg.section + "`"
			}
			fmt.Fprintf(&table, "| %s | %s | %d | %.1f %% | %.1f %% | %.1f %% |\n", kind.name, where, y.n, y.share(y.caught), y.share(y.harmless), y.share(y.plausible))
		}
	}
	if os.Getenv(mutationsVar) == "" {
		return
	}
	t.Log("\n" + table.String())
	text := readFile(t, docPath)
	page := string(text)
	if *update {
		page = replaceBetween(t, page, "<!-- mutations -->\n", "<!-- end of mutations -->\n", table.String())
		if err := os.WriteFile(docPath, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(table.String(), between(t, page, "<!-- mutations -->\n", "<!-- end of mutations -->\n")); diff != "" && n == 1000 {
		t.Errorf("docs/checks.md has other figures; set %s=1000 and run with -update (-want +got):\n%s", mutationsVar, diff)
	}
}

// strike damages one byte and says what became of it.
func (tg *target) strike(t *testing.T, name string, id buildid.Policy, rules symcheck.Settings, r *rand.Rand, y *tally) {
	b := readFile(t, corpusDir+"/"+name)
	p := pair{production: b}
	if tg.half != "module" {
		p = split(t, b, rewrite.Options{BuildID: id})
	}
	half := &p.production
	if tg.half == "companion" {
		half = &p.companion
	}
	broken := bytes.Clone(*half)
	f := parse(t, broken)
	s := f.Custom(tg.section)
	if tg.section == "code" {
		s = f.Code()
	}
	// Contents only: a size that no longer fits its file is an error on opening it.
	at := int64(s.Data) + r.Int64N(s.DataSize())
	broken[at] ^= 1 << r.IntN(8)
	before := answers(t, p.production, p.companion)
	*half = broken
	y.n++
	verdict := p.check(t, "app", symcheck.Options{Rules: rules, Debug: debugfile.Options{Alone: true}}).Verdict
	switch {
	case verdict != report.Pass:
		y.caught++
	case slices.Equal(before, answers(t, p.production, p.companion)):
		y.harmless++
	default:
		y.plausible++
	}
}

// answers returns what every reportable point of the production module resolves
// to, as text.
func answers(t *testing.T, production, companion []byte) []string {
	t.Helper()
	prod := parse(t, production)
	o := debugfile.Options{Alone: true}
	m := prod
	if companion != nil {
		m, o.Production = parse(t, companion), prod
	}
	f, err := debugfile.New(m, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	look := func(c wasm.CodeOffset) {
		var b strings.Builder
		for _, fr := range f.Lookup(c, nil).Frames {
			fmt.Fprintf(&b, "%s %s:%d:%d;", fr.Name(), fr.File, fr.Line, fr.Column)
		}
		out = append(out, b.String())
	}
	r, err := wasm.NewBodyReader(prod)
	if err != nil {
		return nil
	}
	for {
		body, err := r.Next()
		if err != nil {
			return out
		}
		code, err := r.Bytes(body, nil)
		if err != nil {
			return nil
		}
		look(body.Start)
		for it := body.Instructions(code); it.Next(); {
			if it.Instr().Reportable() {
				look(it.At())
			}
		}
	}
}
