package main

import (
	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

func verifyCommand() command {
	options := append(checkRuleOptions(), conformOptions()...)
	options = append(options,
		option{names: []string{"debug"}, value: "FILE|DIR", many: true, file: true, usage: "a companion, or a directory in which companions are found by build ID"},
		option{names: []string{"require-companion"}, usage: "a module without DWARF must have a companion"},
	)
	return command{
		name: "verify", summary: "check and conform with one verdict, for a release pipeline", synopsis: "PRODUCTION [COMPANION]",
		about: `Makes both proofs of one pair and merges them into one report with one verdict: check, which looks at every place that can be reported without running anything, and conform, which runs the module and takes the offsets of a real engine. Both must pass.

The flags are those of check and conform; --rule takes rules of both. A module that the engine cannot run could not be verified, unless --allow-unrunnable lets the static proof be enough; the report says so.`,
		examples: []example{
			{"before a release", "wasm-debugid verify dist/app.wasm --original build/app.wasm"},
			{"with what must hold for Sentry, and a scenario", "wasm-debugid verify dist/app.wasm --for sentry --scenario traps.json --format sarif --output verify.sarif"},
		},
		exits:   []int{exitCheck, exitInput, exitFiles},
		options: append(options, reportOptions()...),
		run:     runVerify,
	}
}

func runVerify(c *call) error {
	format, err := c.reportFormat()
	if err != nil {
		return err
	}
	o := debugid.VerifyOptions{Original: c.String("original")}
	o.Check.SearchDebug, o.Check.RequireCompanion = c.list("debug"), c.Bool("require-companion")
	if o.Check.Path, o.Check.Companion, err = c.onePair(); err != nil {
		return err
	}
	rules, rest, err := c.conformRules()
	if err != nil {
		return err
	}
	if o.Conform, err = c.conformance(); err != nil {
		return err
	}
	o.Conform.Rules = rules
	c.args.explicit["rule"] = c.ownRules(rest, symcheck.FindRule) // checkOptions knows only its own
	if o.Check.Options, err = c.checkOptions(); err != nil {
		return err
	}
	r, err := debugid.Verify(c.ctx(), o)
	if err != nil {
		return err
	}
	return c.report(r, format)
}
