package main

import (
	"fmt"
	"strings"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand() command {
	return command{
		name: "completion", summary: "print a completion script for a shell", synopsis: strings.Join(shells, "|"),
		about: "Prints a script that teaches a shell to complete the commands, flags and values of wasm-debugid. The script stands by itself: it does not run the program.\n\nIt completes cargo-debugid as well. For \"cargo debugid\", bash (with bash-completion from 2.12 on) and zsh look for a script of that name: write it there as well, as shown.",
		examples: []example{
			{"bash, for this session", `source <(wasm-debugid completion bash)`},
			{"bash, for good", "wasm-debugid completion bash > ~/.local/share/bash-completion/completions/wasm-debugid"},
			{"and for cargo debugid", "wasm-debugid completion bash > ~/.local/share/bash-completion/completions/cargo-debugid"},
			{"zsh, for good (a folder of $fpath)", `wasm-debugid completion zsh > "${fpath[1]}/_wasm-debugid"`},
			{"and for cargo debugid", `wasm-debugid completion zsh > "${fpath[1]}/_cargo-debugid"`},
			{"fish, for good", "wasm-debugid completion fish > ~/.config/fish/completions/wasm-debugid.fish"},
			{"PowerShell, in the profile", "wasm-debugid completion powershell | Out-String | Invoke-Expression"},
		},
		words: shells,
		exits: []int{exitFiles},
		run: func(c *call) error {
			makers := map[string]func([]command) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion, "powershell": powershellCompletion}
			if c.NArg() != 1 || makers[c.Args().First()] == nil {
				return &usageError{"name one shell: " + strings.Join(shells, ", "), "wasm-debugid completion bash"}
			}
			return c.print(makers[c.Args().First()](c.all))
		},
	}
}

// typed returns all names of the visible flags as they are typed.
func typed(options []option) []string {
	var out []string
	for _, o := range visible(options) {
		for _, n := range o.names {
			out = append(out, dashed(n))
		}
	}
	return out
}

// argumentWords returns what the arguments of a command may be, if not files.
func argumentWords(c *command, all []command) []string {
	if c.name == "help" {
		return commandNames(all)
	}
	return c.words
}

// bashCompletion is for bash 3.2 and later; it does not need the bash-completion
// package.
func bashCompletion(all []command) string {
	var b strings.Builder
	b.WriteString(`# bash completion for wasm-debugid

_wasm_debugid_paths() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$1" -- "$2"))
}

_wasm_debugid() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev="" command="" word i
    ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}
    # --flag=value arrives as three words.
    if [[ $prev == "=" ]] && ((COMP_CWORD > 1)); then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    if [[ $cur == "=" ]]; then cur=""; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case $word in
`)
	fmt.Fprintf(&b, "            %s) [[ -n $command ]] || command=$word ;;\n        esac\n    done\n", strings.Join(commandNames(all), "|"))
	b.WriteString("    COMPREPLY=()\n    case $command:$prev in\n")
	value := func(scope string, o *option) {
		if o.value == "" || o.hidden {
			return
		}
		var patterns []string
		for _, n := range o.names {
			patterns = append(patterns, scope+":"+dashed(n))
		}
		action := "return"
		switch {
		case len(o.choice) > 0:
			action = fmt.Sprintf(`COMPREPLY=($(compgen -W %q -- "$cur")); return`, strings.Join(o.choice, " "))
		case o.dir:
			action = `_wasm_debugid_paths -d "$cur"; return`
		case o.file:
			action = `_wasm_debugid_paths -f "$cur"; return`
		}
		fmt.Fprintf(&b, "        %s) %s ;;\n", strings.Join(patterns, "|"), action)
	}
	shared := common()
	for i := range all {
		for k := range all[i].options {
			value(all[i].name, &all[i].options[k])
		}
	}
	for k := range shared {
		value("*", &shared[k])
	}
	b.WriteString("    esac\n    local words=\"\"\n    case $command in\n")
	fmt.Fprintf(&b, "        \"\") words=%q ;;\n", strings.Join(append(commandNames(all), typed(append(common(), rootOnly()...))...), " "))
	for i := range all {
		fmt.Fprintf(&b, "        %s) if [[ $cur == -* ]]; then words=%q; else words=%q; fi ;;\n",
			all[i].name, strings.Join(typed(all[i].allOptions()), " "), strings.Join(argumentWords(&all[i], all), " "))
	}
	b.WriteString(`    esac
    if [[ -n $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
    else
        _wasm_debugid_paths -f "$cur"
    fi
}

complete -F _wasm_debugid wasm-debugid
`)
	b.WriteString(bashCargo())
	return b.String()
}

// zshCompletion is for zsh's own completion system, compsys.
func zshCompletion(all []command) string {
	var b strings.Builder
	b.WriteString("#compdef wasm-debugid cargo-debugid\n# zsh completion for wasm-debugid\n\n_wasm_debugid() {\n    local -a commands\n    commands=(\n")
	for i := range all {
		fmt.Fprintf(&b, "        %s\n", single(all[i].name+":"+all[i].summary))
	}
	b.WriteString("    )\n    local context state state_descr line\n    typeset -A opt_args\n    _arguments -C \\\n")
	for _, o := range append(common(), rootOnly()...) {
		fmt.Fprintf(&b, "        %s \\\n", zshOption(&o))
	}
	b.WriteString("        '1:command:->command' \\\n        '*::argument:->argument'\n    case $state in\n")
	b.WriteString("        command) _describe -t commands command commands ;;\n        argument)\n            case $words[1] in\n")
	for i := range all {
		fmt.Fprintf(&b, "                %s)\n                    _arguments \\\n", all[i].name)
		for _, o := range visible(all[i].allOptions()) {
			fmt.Fprintf(&b, "                        %s \\\n", zshOption(&o))
		}
		rest := "'*:file:_files'"
		if w := argumentWords(&all[i], all); len(w) > 0 {
			rest = single("1:word:(" + strings.Join(w, " ") + ")")
		}
		fmt.Fprintf(&b, "                        %s ;;\n", rest)
	}
	b.WriteString("            esac ;;\n    esac\n}\n" + zshCargo() + `
# The completion system runs the file in place of a function of its name, for either
# of the two commands or for cargo. Otherwise it is sourced.
case $service:$funcstack[1] in
    wasm-debugid:*) _wasm_debugid "$@" ;;
    cargo-debugid:*|*:_cargo-debugid) _cargo-debugid "$@" ;;
    *) compdef _wasm_debugid wasm-debugid; compdef _cargo-debugid cargo-debugid ;;
esac
`)
	return b.String()
}

// zshOption is one flag in the language of _arguments.
func zshOption(o *option) string {
	clean := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(o.usage)
	var names []string
	for _, n := range o.names {
		name := dashed(n)
		if o.value != "" && len(n) > 1 {
			name += "="
		}
		names = append(names, name)
	}
	value := ""
	if o.value != "" {
		value = ":" + strings.ToLower(o.value) + ":"
		switch {
		case len(o.choice) > 0:
			value += "(" + strings.Join(o.choice, " ") + ")"
		case o.dir:
			value += "_files -/"
		case o.file:
			value += "_files"
		}
	}
	prefix := ""
	if o.many {
		prefix = "'*'"
	}
	if len(names) == 1 {
		return prefix + single(names[0]+"["+clean+"]"+value)
	}
	return prefix + "{" + strings.Join(names, ",") + "}" + single("["+clean+"]"+value)
}

// fishCompletion is for fish 3 and later.
func fishCompletion(all []command) string {
	var b strings.Builder
	b.WriteString("# fish completion for wasm-debugid\n\n")
	write := func(condition string, o *option) {
		fmt.Fprintf(&b, "complete -c wasm-debugid -n %s", single(condition))
		for _, n := range o.names {
			if len(n) == 1 {
				b.WriteString(" -s " + n)
			} else {
				b.WriteString(" -l " + n)
			}
		}
		switch {
		case o.value == "":
			b.WriteString(" -f")
		case len(o.choice) > 0:
			fmt.Fprintf(&b, " -x -a %s", single(strings.Join(o.choice, " ")))
		case o.dir:
			b.WriteString(" -x -a '(__fish_complete_directories)'")
		case o.file:
			b.WriteString(" -r -F")
		default:
			b.WriteString(" -x")
		}
		fmt.Fprintf(&b, " -d %s\n", fishString(o.usage))
	}
	for _, o := range append(common(), rootOnly()...) {
		write("__fish_use_subcommand", &o)
	}
	for i := range all {
		c := &all[i]
		seen := "__fish_seen_subcommand_from " + c.name
		fmt.Fprintf(&b, "complete -c wasm-debugid -n '__fish_use_subcommand' -f -a %s -d %s\n", c.name, fishString(c.summary))
		if w := argumentWords(c, all); len(w) > 0 {
			fmt.Fprintf(&b, "complete -c wasm-debugid -n %s -f -a %s\n", single(seen), single(strings.Join(w, " ")))
		}
		for _, o := range visible(c.allOptions()) {
			write(seen, &o)
		}
	}
	b.WriteString(fishCargo())
	return b.String()
}

// powershellCompletion is for Windows PowerShell 5 and PowerShell 7.
func powershellCompletion(all []command) string {
	var b strings.Builder
	b.WriteString(`# PowerShell completion for wasm-debugid

Register-ArgumentCompleter -Native -CommandName 'wasm-debugid' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $options = @{
`)
	list := func(words []string) string {
		for i := range words {
			words[i] = "'" + words[i] + "'"
		}
		return "@(" + strings.Join(words, ", ") + ")"
	}
	fmt.Fprintf(&b, "        '' = %s\n", list(append(commandNames(all), typed(append(common(), rootOnly()...))...)))
	for i := range all {
		fmt.Fprintf(&b, "        '%s' = %s\n", all[i].name, list(append(append([]string{}, argumentWords(&all[i], all)...), typed(all[i].allOptions())...)))
	}
	fmt.Fprintf(&b, "    }\n    $names = %s\n", list(commandNames(all)))
	b.WriteString(`    $command = ''
    foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
        $text = $element.ToString()
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        if ($names -contains $text) { $command = $text; break }
    }
    $options[$command] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
`)
	b.WriteString(powershellCargo())
	return b.String()
}

// single quotes a word for a POSIX-like shell.
func single(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// fishString quotes a word for fish, whose single quotes know escapes.
func fishString(word string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(word) + "'"
}
