package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/hook"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// idOptions are the flags that say which build ID a module gets.
func idOptions() []option {
	return []option{
		{names: []string{"build-id"}, value: "POLICY", choice: []string{"auto", "keep", "content", "random"},
			usage: "which build ID: auto (keep one unless the file has changed since it was made, derive one where there is none), keep, content (derive it), random, or the ID itself in hexadecimal or as a UUID"},
		{names: []string{"normalize-build-id"}, usage: "rewrite a kept ID that is not in the convention's encoding"},
	}
}

// resultOptions are the flags of commands that write modules.
func resultOptions() []option {
	return []option{
		{names: []string{"dry-run", "n"}, usage: "plan and check everything, but write nothing"},
		{names: []string{"json"}, usage: "print one JSON document instead of IDs"},
	}
}

// splitCheckNames are those flags of check that split --check has as well, as the
// commands have that stand in a build tool's place.
var splitCheckNames = []string{"min-coverage", "rule", "for", "config"}

func splitCommand() command {
	options := append(outputOptions(),
		option{names: []string{"debug-out", "d", "companion"}, value: "FILE", file: true, usage: "write the companion to FILE; by default it is called like the output, with .debug.wasm at its end"},
		option{names: []string{"debug-dir"}, value: "DIR", dir: true, usage: "write the companions into DIR, which must exist"},
		option{names: []string{"companion-kind"}, value: "KIND", choice: []string{"full", "symbols", "none"},
			usage: "full: everything; symbols: DWARF and names, but neither code nor data; none: no companion, the DWARF is lost"},
	)
	options = append(options, idOptions()...)
	options = append(options,
		option{names: []string{"check"}, usage: "prove the planned pair as the command check does, and write nothing unless it passes; --min-coverage asks for it too"})
	for _, name := range splitCheckNames {
		options = append(options, *find(checkRuleOptions(), name))
	}
	options = append(options,
		option{names: []string{"strip-names"}, usage: "remove the function names from the production module as well"},
		option{names: []string{"keep"}, value: "PATTERN", many: true, usage: "keep custom sections with this name; * stands for anything; stronger than --remove"},
		option{names: []string{"remove"}, value: "PATTERN", many: true, usage: "remove custom sections with this name; they stay in the companion"},
		option{names: []string{"external-url", "external-dwarf-url"}, value: "URL", usage: "the companion's URL in the production module; by default its relative path, none for no URL"},
		option{names: []string{"touch"}, usage: "give outputs the present time also if they hold the same bytes already, for build tools that go by times"},
		option{names: []string{"allow-bindgen-input"}, usage: "accept a module that wasm-bindgen has yet to process"},
		option{names: []string{"strip"}, hidden: true, usage: "accepted for people who come from another tool; a split always strips"},
	)
	return command{
		name: "split", summary: "make a production module and a debug companion", synopsis: "IN... (-o OUT | --in-place | --out-dir DIR)",
		about: `Writes a production module without DWARF and a companion that holds it. Both carry the same build ID, and the code starts at the same file offset in both, so that addresses of the one can be looked up in the other. Not a byte of code is changed.

Standard output gets the build ID, one line for each input. A summary goes to standard error. With --quiet there is neither; 2>/dev/null leaves the ID alone. The companion is written first; whatever goes wrong, what is on disk is the old pair or the new one. Splitting a split module again changes nothing.

All inputs are planned and checked before the first file is written. "-" as IN reads standard input, "-o -" writes the module to standard output and the ID to standard error.`,
		examples: []example{
			{"write dist/app.wasm and dist/app.debug.wasm", "wasm-debugid split app.wasm -o dist/app.wasm"},
			{"replace what the build wrote, and keep the ID", "id=$(wasm-debugid split --in-place pkg/app_bg.wasm)"},
			{"ship without function names, keep the companion elsewhere", "wasm-debugid split app.wasm -o dist/app.wasm -d symbols/app.debug.wasm --strip-names --external-url none"},
			{"several modules into one folder, companions into another", "wasm-debugid split build/*.wasm --out-dir dist --debug-dir symbols"},
			{"a companion that can be handed out, because it holds no code", "wasm-debugid split app.wasm -o dist/app.wasm --companion-kind symbols"},
			{"write nothing that would not resolve", "wasm-debugid split app.wasm --in-place --check"},
			{"see what would happen", "wasm-debugid split app.wasm --in-place --dry-run"},
		},
		exits:   []int{exitCheck, exitInput, exitFiles},
		options: append(options, resultOptions()...),
		run:     runSplit,
	}
}

func runSplit(c *call) error {
	base, err := c.splitOptions()
	if err != nil {
		return err
	}
	debugOut, debugDir, err := c.companionPlace(&base.Companion)
	if err != nil {
		return err
	}
	targets, err := c.targets(base.Companion != rewrite.CompanionNone, debugOut, debugDir)
	if err != nil {
		return err
	}
	if debugDir != "" {
		if err := isFolder(debugDir); err != nil {
			return err
		}
	}
	c.warnOfSharedID(base.BuildID, targets)
	return c.rewriteAll("split", targets, func(t target, p *progress) (*debugid.Prepared, error) {
		o := base
		o.Input, o.Output, o.DebugOut = t.in, t.out, t.debug
		o.Stdin, o.Stdout = c.stdin, c.stdout
		o.Hash.Progress, o.OnWriting = p.read, p.wrote
		one, err := debugid.PrepareSplit(c.ctx(), o)
		c.splitReport(one, err)
		if err != nil || !one.Result.Already {
			return one, err
		}
		if err := c.withoutEffect(one.Result, o.BuildID); err != nil {
			one.Close()
			return nil, err
		}
		return one, nil
	})
}

// withoutEffect deals with flags that ask for something else than the pair that
// an earlier split has made: another ID is refused, the rest is pointed out.
func (c *call) withoutEffect(r *debugid.SplitResult, policy buildid.Policy) error {
	if policy.Mode == buildid.ModeGiven && !policy.ID.Equal(r.ID) {
		return &debugid.FileError{Path: r.Input, Err: &rewrite.RefusedError{
			Msg:  fmt.Sprintf("the module was split before and has the build ID %v, not %v", r.ID, policy.ID),
			Hint: "split the module that the linker wrote"}}
	}
	for _, name := range []string{"strip-names", "keep", "remove", "companion-kind", "external-url", "build-id", "normalize-build-id"} {
		if c.args.has(name) && !(name == "build-id" && (policy.Mode == buildid.ModeAuto || policy.Mode == buildid.ModeKeep || policy.Mode == buildid.ModeGiven)) {
			r.Notes = append(r.Notes, rewrite.Note{Warning: true,
				Text: dashed(name) + " has no effect, because the module was split before; split the module that the linker wrote"})
		}
	}
	return nil
}

// splitOptions reads the flags that do not concern paths.
func (c *call) splitOptions() (debugid.SplitOptions, error) {
	o := debugid.SplitOptions{URL: c.String("external-url"), DryRun: c.Bool("dry-run"), Touch: c.Bool("touch")}
	var err error
	if o.BuildID, err = c.policy(); err != nil {
		return o, err
	}
	if kind := c.String("companion-kind"); kind != "" {
		if o.Companion, err = rewrite.ParseCompanionKind(kind); err != nil {
			return o, &usageError{"--companion-kind: " + err.Error(), ""}
		}
	}
	o.NormalizeBuildID = c.Bool("normalize-build-id")
	o.StripNames = c.Bool("strip-names")
	o.AllowBindgenInput = c.Bool("allow-bindgen-input")
	o.Keep, o.Remove = c.list("keep"), c.list("remove")
	o.Check, err = c.splitCheck()
	return o, err
}

// splitCheck reads the settings of the check; nil if none is asked for. A coverage
// asks for one, unless something says that there is to be none.
func (c *call) splitCheck() (*symcheck.Options, error) {
	made := c.Bool("check")
	if !c.args.has("check") && (c.args.has("min-coverage") || os.Getenv(envName("check")) == "") {
		made = made || c.String("min-coverage") != ""
	}
	if made {
		check, err := c.checkOptions()
		return &check, err
	}
	hint := c.line("--check")
	if c.args.has("check") {
		hint = "leave it out, or --check=false"
	}
	for _, name := range splitCheckNames {
		if v := c.args.explicit[name]; len(v) > 0 && v[0] != "" { // an empty one makes a variable void
			return nil, &usageError{"split: " + dashed(name) + " is a setting of the check, and no check is asked for", hint}
		}
	}
	return nil, nil
}

// policy reads --build-id.
func (c *call) policy() (buildid.Policy, error) {
	if err := c.notEmpty("build-id"); err != nil {
		return buildid.Policy{}, err
	}
	p, err := buildid.ParsePolicy(c.String("build-id"))
	if err != nil {
		return p, &usageError{"--build-id: " + err.Error(), ""}
	}
	return p, nil
}

// warnOfSharedID warns where one ID is given to several modules.
func (c *call) warnOfSharedID(p buildid.Policy, targets []target) {
	if p.Mode == buildid.ModeGiven && len(targets) > 1 && !c.quiet {
		c.message(c.paintErr().yellow("warning"), fmt.Sprintf(
			"%d modules get the build ID %v: symbol servers keep one companion for each ID; without --build-id each module gets its own", len(targets), p.ID))
	}
}

// rewriteAll prepares all targets, writes them, and prints what was done.
func (c *call) rewriteAll(verb string, targets []target, prepare func(target, *progress) (*debugid.Prepared, error)) error {
	p := c.newProgress()
	defer p.stop()
	var all []*debugid.Prepared
	defer func() {
		for _, one := range all {
			one.Close()
		}
	}()
	var total int64
	for _, t := range targets {
		one, err := prepare(t, p)
		if err != nil {
			return about(t, targets, err)
		}
		all = append(all, one)
		if len(targets) > 1 {
			// There may be more inputs than a process may have files open.
			if err := one.SetAside(); err != nil {
				return err
			}
		}
		total += one.Result.ProductionSize + one.Result.CompanionSize
	}
	p.writing(total)
	doc := newRewriteDocument(verb, c.Bool("dry-run"))
	for i, one := range all {
		if err := one.Write(c.ctx()); err != nil {
			return about(targets[i], targets, err)
		}
		p.pause()
		r := one.Result
		c.changed = c.changed || r.Changed
		c.summary(verb, r)
		if r.Report != nil && !c.Bool("json") {
			c.checkWarnings(shownPath(r.Production), hook.CheckWarnings(r.Report))
		}
		doc.add(r)
		if err := one.Close(); err != nil {
			return about(targets[i], targets, err)
		}
		switch {
		case c.Bool("json"):
		case c.quiet:
		case targets[i].out == debugid.Stdio:
			// Standard output is the module, so that the ID goes where people look
			// next.
			if _, err := fmt.Fprintln(c.stderr, r.ID); err != nil {
				return err
			}
		default:
			if err := c.print(r.ID.String() + "\n"); err != nil {
				return err
			}
		}
	}
	if c.Bool("json") {
		return c.printJSON(doc)
	}
	return nil
}

// about names the input in an error where there are several.
func about(t target, all []target, err error) error {
	var path *fs.PathError
	if len(all) < 2 || is[*debugid.FileError](err) || errors.As(err, &path) && path.Path == t.in {
		return err // one file only, or the error names it already
	}
	return &debugid.FileError{Path: t.in, Err: err}
}
