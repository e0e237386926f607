package main

import "strings"

// The program is also completed under the name under which cargo finds it,
// cargo-debugid: a shell's completion of cargo asks for that name when it meets
// "cargo debugid". All arguments are cargo's; the few that belong to most builds are
// completed, and files.

// Words and flags of cargo behind cargo-debugid.
var (
	cargoWords   = []string{"build", "rustc", "run", "test", "bench"}
	cargoFlags   = []string{"--release", "--profile", "--target", "--target-dir", "--package", "--workspace", "--bin", "--example", "--features", "--all-features", "--no-default-features", "--manifest-path"}
	cargoTargets = []string{"wasm32-unknown-unknown", "wasm32-wasip1"}
)

// fill puts cargo's words into a script.
func fill(script string) string {
	return strings.NewReplacer("@PROGRAM@", cargoProgram, "@WORDS@", strings.Join(cargoWords, " "), "@FLAGS@", strings.Join(cargoFlags, " "),
		"@TARGETS@", strings.Join(cargoTargets, " ")).Replace(script)
}

// bashCargo is the part of the script for bash. bash-completion asks it for "cargo
// debugid" from 2.12 on.
func bashCargo() string {
	return fill(`
_cargo_debugid() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} first=1
    if [[ $prev == "=" ]] && ((COMP_CWORD > 1)); then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    if [[ $cur == "=" ]]; then cur=""; fi
    # cargo itself puts the word debugid in front.
    if [[ ${COMP_WORDS[1]} == debugid ]]; then first=2; fi
    COMPREPLY=()
    if ((COMP_CWORD <= first)); then
        COMPREPLY=($(compgen -W "@WORDS@ --help --version" -- "$cur"))
        return
    fi
    case $prev in
        --target) COMPREPLY=($(compgen -W "@TARGETS@" -- "$cur")); return ;;
        --target-dir) _wasm_debugid_paths -d "$cur"; return ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "@FLAGS@" -- "$cur"))
    else
        _wasm_debugid_paths -f "$cur"
    fi
}

complete -F _cargo_debugid @PROGRAM@
`)
}

// zshCargo is the function for zsh, whose completion of cargo calls it by this name.
func zshCargo() string {
	return fill(`
_cargo-debugid() {
    _arguments \
        '(--release)--profile=:profile:' \
        '(--profile)--release' \
        '--target=:target:(@TARGETS@)' \
        '--target-dir=:directory:_files -/' \
        '--package=:package:' \
        '--workspace' \
        '--bin=:program:' \
        '--example=:example:' \
        '--features=:features:' \
        '--all-features' \
        '--no-default-features' \
        '--manifest-path=:file:_files' \
        '1:command:(@WORDS@)' \
        '*:file:_files'
}
`)
}

// fishCargo is the part of the script for fish.
func fishCargo() string {
	var b strings.Builder
	unchosen := "not __fish_seen_subcommand_from " + strings.Join(cargoWords, " ")
	b.WriteString("\ncomplete -c " + cargoProgram + " -n " + single(unchosen) + " -f -a " + single(strings.Join(cargoWords, " ")) + "\n")
	for _, flag := range cargoFlags {
		b.WriteString("complete -c " + cargoProgram + " -n " + single("__fish_seen_subcommand_from "+strings.Join(cargoWords, " ")) + " -l " + strings.TrimPrefix(flag, "--"))
		switch flag {
		case "--target":
			b.WriteString(" -x -a " + single(strings.Join(cargoTargets, " ")))
		case "--target-dir":
			b.WriteString(" -x -a '(__fish_complete_directories)'")
		case "--manifest-path":
			b.WriteString(" -r -F")
		case "--profile", "--package", "--bin", "--example", "--features":
			b.WriteString(" -x")
		}
		b.WriteString("\n")
	}
	// cargo's own completion knows the flags, once one of its commands is there.
	b.WriteString("complete -c cargo -n " + single("__fish_seen_subcommand_from debugid; and "+unchosen) + " -f -a " + single(strings.Join(cargoWords, " ")) + "\n")
	return b.String()
}

// powershellCargo is the part of the script for PowerShell.
func powershellCargo() string {
	list := strings.Join(append(append([]string{}, cargoWords...), cargoFlags...), "', '")
	return strings.NewReplacer("@PROGRAM@", cargoProgram, "@LIST@", list).Replace(`
Register-ArgumentCompleter -Native -CommandName '@PROGRAM@' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    @('@LIST@') | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
`)
}
