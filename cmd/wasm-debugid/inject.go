package main

import (
	debugid "github.com/wasm-debugid/wasm-debugid"
)

func injectCommand() command {
	options := append(outputOptions(), idOptions()...)
	return command{
		name: "inject", summary: "give a module a build ID and change nothing else", synopsis: "IN... (-o OUT | --in-place | --out-dir DIR)",
		about: `Writes a copy of the module with one build ID in the convention's encoding, behind everything else; DWARF and all other sections stay. A module that has a good ID already comes out as it is.

Standard output gets the build ID, one line for each input.`,
		examples: []example{
			{"derive an ID from the content", "wasm-debugid inject app.wasm -o app.id.wasm"},
			{"give it the ID of the release", "wasm-debugid inject --in-place app.wasm --build-id 0123456789abcdef0123456789abcdef"},
			{"replace the ID that an optimiser left behind", "wasm-opt -O2 -g app.wasm -o app.wasm && wasm-debugid inject --in-place app.wasm"},
		},
		exits:   []int{exitInput, exitFiles},
		options: append(options, resultOptions()...),
		run: func(c *call) error {
			policy, err := c.policy()
			if err != nil {
				return err
			}
			targets, err := c.targets(false, "", "")
			if err != nil {
				return err
			}
			c.warnOfSharedID(policy, targets)
			return c.rewriteAll("inject", targets, func(t target, p *progress) (*debugid.Prepared, error) {
				o := debugid.InjectOptions{BuildID: policy, NormalizeBuildID: c.Bool("normalize-build-id"),
					Input: t.in, Output: t.out, Stdin: c.stdin, Stdout: c.stdout, DryRun: c.Bool("dry-run"), OnWriting: p.wrote}
				o.Hash.Progress = p.read
				return debugid.PrepareInject(c.ctx(), o)
			})
		},
	}
}
