package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// The codes of the rules. A code never changes its meaning; see docs/doctor.md.
const (
	HiddenWasmOpt   = "WD301"
	LinkerWithoutID = "WD302"
	ObjcopyShifts   = "WD303"
	NoWasmOptFlag   = "WD304"
	OptimizerDWARF  = "WD305"
	OldWalrus       = "WD306"
	CargoNoDebug    = "WD310"
	CargoStrips     = "WD311"
	WasmPackDrops   = "WD312"
	TrunkDrops      = "WD313"
	TrunkIntegrity  = "WD314"
	LinkerBindgen   = "WD315"
	ScriptWasmOpt   = "WD320"
	ScriptStrips    = "WD321"
	ScriptBindgen   = "WD322"
	SingleFile      = "WD323"
	SeparateDWARF   = "WD324"
	BundlerUnsplit  = "WD325"
	ShipsDWARF      = "WD330"
	ShipsBindgen    = "WD331"
	ShipsCompanion  = "WD332"
	ShipsOther      = "WD333"
	ShipsOldPacked  = "WD334"
	PageIntegrity   = "WD335"
	SharedID        = "WD336"
	PairDiffers     = "WD337"
	Unreadable      = "WD340"
)

// Rules returns all rules in the order of their codes.
func Rules() []report.Rule { return slices.Clone(rules[:]) }

// FindRule returns the rule with the given code or name.
func FindRule(s string) (report.Rule, bool) { return report.FindRule(rules[:], s) }

// SetRule reads a setting such as WD301=off, with the code or the name of a rule.
func SetRule(into map[string]report.Severity, text string) error {
	name, value, ok := strings.Cut(text, "=")
	rule, known := FindRule(name)
	switch {
	case !ok:
		return fmt.Errorf("%q is no setting of a rule; write %s=warning", text, name)
	case !known:
		return fmt.Errorf("there is no rule %q of doctor", name)
	}
	severity, err := report.ParseSeverity(value)
	if err != nil {
		return err
	}
	into[rule.Code] = severity
	return nil
}

var rules = [...]report.Rule{
	{Code: HiddenWasmOpt, Name: "hidden-wasm-opt", Default: report.Warning,
		Title:   "clang runs wasm-opt after the linker",
		Meaning: "From -O1 on, clang runs any wasm-opt that it finds, and gives it no -g: the DWARF stays and names no code, and names of functions are gone. Clients and vendors' checks call such a file usable.",
		Remedy:  "link through wasm-debugid cc -- clang ..., or with wasm-ld itself, or take wasm-opt off PATH; --no-wasm-opt works from LLVM 20 on"},
	{Code: LinkerWithoutID, Name: "linker-without-build-id", Default: report.Info,
		Title:   "The linker does not know --build-id",
		Meaning: "wasm-ld learned it with LLVM 17. A link with -Wl,--build-id fails.",
		Remedy:  "leave the flag out: a split gives the module an ID that is derived from its content"},
	{Code: ObjcopyShifts, Name: "objcopy-shifts-code", Default: report.Info,
		Title:   "llvm-objcopy moves the code when it strips",
		Meaning: "The objcopy of LLVM 14 writes every section size with five bytes. What it strips has its code elsewhere than the file with the DWARF, and every frame is resolved some bytes beside its place.",
		Remedy:  "split with wasm-debugid, or use llvm-objcopy of LLVM 19 or later"},
	{Code: NoWasmOptFlag, Name: "no-wasm-opt-writes-nothing", Default: report.Error,
		Title:   "--no-wasm-opt makes this clang write no output",
		Meaning: "clang 19 takes the flag, ends with exit code 0, and does not link. An older output stays where it is and is shipped.",
		Remedy:  "link through wasm-debugid cc -- clang ... without the flag, or use LLVM 20 or later"},
	{Code: OptimizerDWARF, Name: "wasm-opt-ruins-dwarf", Default: report.Warning,
		Title:   "wasm-opt -g does not keep DWARF right",
		Meaning: "It was tried with a small module. Some builds of binaryen copy the DWARF and do not update it, and binaryen 108 aborts on DWARF 5: what is optimised with it cannot be symbolicated.",
		Remedy:  "link through wasm-debugid cc -- clang ..., which keeps clang from running it; in build steps leave wasm-opt out, or use a build that rewrites DWARF, and compile with -gdwarf-4"},
	{Code: OldWalrus, Name: "old-walrus", Default: report.Warning,
		Title:   "wasm-bindgen with a walrus older than 0.28",
		Meaning: "It takes the number of functions to need two bytes in the file: in a module with fewer than 128 functions every address of the DWARF is one too high, and nothing resolves. Before 0.27.2, what it writes for removed functions also breaks the tables of ranges and locations of DWARF 4, and it encodes function sizes so that wasm-opt -g stops with an error.",
		Remedy:  "run wasm-debugid check on what wasm-bindgen writes, which names the cause where it applies; update wasm-bindgen-cli when a version with walrus 0.28 is there (0.2.130 has 0.27.3); before 0.27.2 run no wasm-opt behind wasm-bindgen"},
	{Code: CargoNoDebug, Name: "cargo-profile-without-debug", Default: report.Error,
		Title:   "The release profile has no debug information",
		Meaning: "cargo's default for release builds is none. The companion will know names of functions at best, and no file and no line.",
		Remedy:  "set debug = true (or \"line-tables-only\") under [profile.release] in Cargo.toml"},
	{Code: CargoStrips, Name: "cargo-strips", Default: report.Error,
		Title:   "cargo strips the debug information",
		Meaning: "The linker leaves the DWARF out before anything can be split.",
		Remedy:  "remove the setting; the split strips what is shipped"},
	{Code: WasmPackDrops, Name: "wasm-pack-drops-dwarf", Default: report.Error,
		Title:   "wasm-pack drops or ruins the DWARF",
		Meaning: "By default it has wasm-bindgen drop DWARF, in every profile, and runs wasm-opt -O without -g on release builds.",
		Remedy:  "set dwarf-debug-info = true under [package.metadata.wasm-pack.profile.release.wasm-bindgen], and wasm-opt = false or [\"-O\", \"-g\"] under [package.metadata.wasm-pack.profile.release]"},
	{Code: TrunkDrops, Name: "trunk-drops-dwarf", Default: report.Error,
		Title:   "trunk drops or ruins the DWARF",
		Meaning: "Without data-keep-debug wasm-bindgen drops DWARF in release builds; wasm-opt runs without -g.",
		Remedy:  "write <link data-trunk rel=\"rust\" data-keep-debug data-wasm-opt=\"0\" data-integrity=\"none\" />"},
	{Code: TrunkIntegrity, Name: "trunk-integrity-before-hook", Default: report.Error,
		Title:   "trunk records the module's digest before the hook changes it",
		Meaning: "The integrity attribute is computed before post_build hooks run, so that browsers refuse the module that the hook has split.",
		Remedy:  "set data-integrity=\"none\" on the rust link, or no_sri = true under [build] in Trunk.toml"},
	{Code: LinkerBindgen, Name: "linker-mode-before-bindgen", Default: report.Error,
		Title:   "Linker mode stands in front of wasm-bindgen",
		Meaning: "wasm-bindgen rewrites the code of what is linked, and so moves every offset: linker mode refuses such a module, and the build fails.",
		Remedy:  "take linker = \"wasm-debugid\" out of cargo's configuration, or set WASM_DEBUGID_HOOK = \"off\" under [env] there, and split the file ending in _bg.wasm that wasm-bindgen writes"},
	{Code: ScriptWasmOpt, Name: "script-wasm-opt-without-g", Default: report.Error,
		Title:   "A build step runs wasm-opt without -g",
		Meaning: "wasm-opt then drops the DWARF or leaves it behind for code that is no longer there.",
		Remedy:  "add -g, and split after this step; or leave it out"},
	{Code: ScriptStrips, Name: "script-strips", Default: report.Error,
		Title:   "A build step strips in a way that loses what is needed",
		Meaning: "wasm-strip removes every custom section, the build ID included, and writes sizes anew; wasm-opt --strip writes the code anew; llvm-objcopy --only-keep-debug makes a companion without code, with which every lookup is wrong.",
		Remedy:  "put wasm-debugid split --in-place in the place of this step"},
	{Code: ScriptBindgen, Name: "script-bindgen-without-keep-debug", Default: report.Error,
		Title:   "A build step runs wasm-bindgen without --keep-debug",
		Meaning: "wasm-bindgen drops the DWARF.",
		Remedy:  "add --keep-debug, and split the file ending in _bg.wasm behind it"},
	{Code: SingleFile, Name: "single-file", Default: report.Error,
		Title:   "SINGLE_FILE puts the module into the JavaScript",
		Meaning: "There is no module to ship, to split, or to report offsets of.",
		Remedy:  "leave out -sSINGLE_FILE"},
	{Code: SeparateDWARF, Name: "separate-dwarf-shifted", Default: report.Error,
		Title:   "emcc -gseparate-dwarf makes a pair that does not agree",
		Meaning: "With llvm-objcopy of LLVM 14, which was found, the code of the two files starts 34 bytes apart, and every frame is resolved beside its place.",
		Remedy:  "link through wasm-debugid emcc -- emcc ..., or give emcc -g and split"},
	{Code: BundlerUnsplit, Name: "bundler-without-split", Default: report.Warning,
		Title:   "A bundler runs, and nothing splits the module before it",
		Meaning: "Bundlers copy modules as they are, DWARF included, and name them after their content: what is split after the bundler has a name that belongs to other bytes.",
		Remedy:  "run wasm-debugid split --in-place on the module before the bundler, in the same script"},
	{Code: ShipsDWARF, Name: "ships-dwarf", Default: report.Error,
		Title:   "A module that is to be shipped holds DWARF",
		Meaning: "Users download it, several times the size of the code, and can read the source's structure in it.",
		Remedy:  "split the module before it gets here"},
	{Code: ShipsBindgen, Name: "ships-bindgen-input", Default: report.Error,
		Title:   "A module that is to be shipped still awaits wasm-bindgen",
		Meaning: "It carries wasm-bindgen's marker: it is the compiler's output, whose code wasm-bindgen would rewrite. No page can run it.",
		Remedy:  "ship the file ending in _bg.wasm that wasm-bindgen writes"},
	{Code: ShipsCompanion, Name: "ships-companion", Default: report.Warning,
		Title:   "A companion lies in a folder that is to be shipped",
		Meaning: "Anybody can download it and read names, files and structure of the source; a full one is larger than the module.",
		Remedy:  "put companions elsewhere: split --debug-dir, or WASM_DEBUGID_OUT for hooks; for the developer tools of browsers serve it to yourselves only"},
	{Code: ShipsOther, Name: "ships-other-build", Default: report.Error,
		Title:   "The folder to be shipped holds another build",
		Meaning: "The module was built again since the bundler ran. Crashes of what is shipped will be looked up in the companion of a build that is not.",
		Remedy:  "run the bundler again"},
	{Code: ShipsOldPacked, Name: "ships-old-compressed", Default: report.Warning,
		Title:   "A compressed copy is older than its module",
		Meaning: "Servers send the compressed one where there is one: users run the old build, whose companion is not the one beside it.",
		Remedy:  "compress again, after the split"},
	{Code: PageIntegrity, Name: "page-integrity-mismatch", Default: report.Error,
		Title:   "A page names another digest than the module has",
		Meaning: "The browser refuses to load the module. It was changed after the page was written, by a split for example.",
		Remedy:  "split before the page is written, or leave out the integrity attribute"},
	{Code: SharedID, Name: "shared-build-id", Default: report.Error,
		Title:   "Modules with different code have one build ID",
		Meaning: "A tool has rewritten the code and kept the linker's ID. Crashes of one build are looked up in the companion of another.",
		Remedy:  "split after the last step that changes code, with --build-id=auto or content"},
	{Code: PairDiffers, Name: "pair-build-ids-differ", Default: report.Error,
		Title:   "A module and the companion beside it have different build IDs",
		Meaning: "They are of different builds: no tool will take the one for the other, or every frame is resolved to the wrong place.",
		Remedy:  "split again, so that both are written together; wasm-debugid check says more about the pair"},
	{Code: Unreadable, Name: "unreadable", Default: report.Warning,
		Title:   "A file could not be read",
		Meaning: "Nothing is known about what it holds.",
		Remedy:  "repair the file"},
}
