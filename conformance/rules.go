package conformance

import (
	"slices"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// The codes of the rules. A code never changes its meaning; see
// docs/conformance.md.
const (
	FrameOutside        = "WD201"
	FrameOffInstruction = "WD202"
	FrameNotReportable  = "WD203"
	FrameUnresolved     = "WD204"
	ClientElsewhere     = "WD205"
	BodyDiffers         = "WD206"
	AnswerDiffers       = "WD207"
	InputOtherCode      = "WD208"
	ExpectationFailed   = "WD209"
	OpinionDiffers      = "WD210"
	EnginesDisagree     = "WD211"
	SweepRefused        = "WD212"
	SweepElsewhere      = "WD213"
	CannotRun           = "WD220"
	RowsNotCovered      = "WD221"
	LimitReached        = "WD222"
	CallImpossible      = "WD223"
	NothingReported     = "WD224"
)

// Rules returns all rules in the order of their codes.
func Rules() []report.Rule { return slices.Clone(rules[:]) }

// FindRule returns the rule with the given code or name.
func FindRule(s string) (report.Rule, bool) { return report.FindRule(rules[:], s) }

var rules = [...]report.Rule{
	{Code: FrameOutside, Name: "frame-outside-function", Default: report.Error,
		Title:   "The engine reports an offset outside of the function that it names",
		Meaning: "The function bodies lie elsewhere than this program reads them, or the engine counts otherwise. Nothing that is resolved from such an offset can be trusted.",
		Remedy:  "please report it, with the module: one of the two readers is wrong"},
	{Code: FrameOffInstruction, Name: "frame-off-instruction", Default: report.Error,
		Title:   "The engine reports an offset where no instruction begins",
		Meaning: "The code is decoded otherwise by the engine than by this program, so that lines are looked up between instructions.",
		Remedy:  "please report it, with the module: one of the two decoders is wrong"},
	{Code: FrameNotReportable, Name: "frame-not-reportable", Default: report.Error,
		Title:   "The engine reports an instruction that was thought never to be reported",
		Meaning: "The static proof covers only instructions that can trap, throw or call. One more kind is needed.",
		Remedy:  "please report it, with the module"},
	{Code: FrameUnresolved, Name: "frame-unresolved", Default: report.Error,
		Title:   "A frame of a real run does not resolve in the companion",
		Meaning: "A crash at this place stays a number.",
		Remedy:  "build with -g, keep the name section in the companion, and split what the linker wrote"},
	{Code: ClientElsewhere, Name: "client-looks-elsewhere", Default: report.Error,
		Title:   "The companion's clients look the frame up at another offset",
		Meaning: "Browsers report file offsets of the production module, and clients turn them into code offsets with the code start of the companion they have. The two starts differ, so that every frame resolves to the wrong place, or to none.",
		Remedy:  "run check --fix, which lays the companion out again, or split the linker's output with wasm-debugid"},
	{Code: BodyDiffers, Name: "body-differs", Default: report.Error,
		Title:   "A function that ran is other code in the companion",
		Meaning: "The companion describes another build, or code that was rewritten after the split. Frames resolve to whatever stood there.",
		Remedy:  "make both files from one build"},
	{Code: AnswerDiffers, Name: "answer-differs", Default: report.Error,
		Title:   "The companion answers otherwise than the input",
		Meaning: "What the compiler said about this place did not survive: rows, functions or inlined calls were moved, lost or made up.",
		Remedy:  "split the input again with wasm-debugid, and do not edit the companion"},
	{Code: InputOtherCode, Name: "input-is-other-code", Default: report.Error,
		Title:   "The input has other code than the production module",
		Meaning: "They are not from one build, or a tool has rewritten the code after the split. The two cannot be compared.",
		Remedy:  "name the very file that was split, and run optimisers before the split"},
	{Code: ExpectationFailed, Name: "expectation-failed", Default: report.Error,
		Title:   "A call did not come to what the scenario expects",
		Meaning: "Either the program behaves otherwise, or its frames resolve to other functions, files or lines than the source has.",
		Remedy:  "look at both; if the source has changed, change the scenario"},
	{Code: OpinionDiffers, Name: "second-opinion-differs", Default: report.Warning,
		Title:   "The engine's own reader has another line for the input, and no known reason explains it",
		Meaning: "One of two readers of the same DWARF is wrong about this place.",
		Remedy:  "look the place up with a third, such as llvm-symbolizer"},
	{Code: EnginesDisagree, Name: "engines-disagree", Default: report.Warning,
		Title:   "The two engines report different frames for the same call",
		Meaning: "The module's behaviour depends on the engine, or one of them reports wrong offsets.",
		Remedy:  "run the call in a browser; if only one engine is wrong, report it to its authors"},
	{Code: SweepRefused, Name: "sweep-refused", Default: report.Error,
		Title:   "The engine refuses the code with its instructions replaced as this program decodes them",
		Meaning: "The module itself was accepted. So the decoder has taken something else for an instruction, and its list of reportable places is wrong.",
		Remedy:  "please report it, with the module"},
	{Code: SweepElsewhere, Name: "probe-elsewhere", Default: report.Error,
		Title:   "A probe in one function was reported in another, or without an offset",
		Meaning: "Functions and bodies are paired otherwise by the engine than by this program.",
		Remedy:  "please report it, with the module"},
	{Code: CannotRun, Name: "cannot-run", Default: report.Warning,
		Title:   "The module cannot be run here",
		Meaning: "This is neither a pass nor a failure: nothing was seen of an engine. What the static check proves still holds.",
		Remedy:  "run the module in a browser or Node.js, or accept this with --allow-unrunnable"},
	{Code: RowsNotCovered, Name: "rows-not-covered", Default: report.Info,
		Title:   "This run did not cover the line rows",
		Meaning: "Offsets were held against functions, instructions and the companion's code. Whether the companion has the right line for them cannot be seen by running.",
		Remedy:  "name the input with --original, or frames with their lines in a scenario"},
	{Code: LimitReached, Name: "limit-reached", Default: report.Warning,
		Title:   "A limit ended the run early",
		Meaning: "What comes behind it was not run.",
		Remedy:  "raise the limit if the module needs more"},
	{Code: CallImpossible, Name: "call-impossible", Default: report.Error,
		Title:   "A call could not be made",
		Meaning: "What was to be run was not run.",
		Remedy:  "name a function that the module exports, and give each parameter an argument"},
	{Code: NothingReported, Name: "nothing-reported", Default: report.Warning,
		Title:   "The engine reported no offset at all",
		Meaning: "Nothing was proved: no function trapped, none called the host.",
		Remedy:  "name exports and arguments with --invoke or in a scenario"},
}
