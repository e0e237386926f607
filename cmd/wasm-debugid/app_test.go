package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestEveryFlagHasItsVariable walks all commands and all flags: each is set by
// its variable, loses to the command line, and is named in help with it.
func TestEveryFlagHasItsVariable(t *testing.T) {
	for _, cmd := range commands() {
		help := commandHelp(painter{}, &cmd)
		for _, o := range cmd.allOptions() {
			if o.name() == flagHelp {
				continue
			}
			env := "WASM_DEBUGID_" + strings.ToUpper(strings.ReplaceAll(o.name(), "-", "_"))
			if o.env() != env {
				t.Errorf("%s --%s: variable %s, want %s", cmd.name, o.name(), o.env(), env)
			}
			if !o.hidden && !strings.Contains(strings.Join(strings.Fields(help), " "), "["+env+"]") {
				t.Errorf("%s: help does not name %s", cmd.name, env)
			}
			if o.hidden && strings.Contains(help, dashed(o.name())+" ") {
				t.Errorf("%s: help shows the hidden --%s", cmd.name, o.name())
			}
			t.Run(cmd.name+"/"+o.name(), func(t *testing.T) {
				value, other := "always", "never"
				if o.value == "" {
					value, other = "true", "false"
				}
				t.Setenv(env, value)
				if got := flagValue(t, cmd.name, &o); got != value {
					t.Errorf("%s=%s gives %q", env, value, got)
				}
				if got := flagValue(t, cmd.name, &o, dashed(o.name())+"="+other); got != other {
					t.Errorf("%s=%s beside %s=%s gives %q", env, value, dashed(o.name()), other, got)
				}
			})
		}
	}
}

// flagValue returns what a command sees of a flag.
func flagValue(t *testing.T, name string, o *option, args ...string) string {
	t.Helper()
	all := commands()
	got := "not run"
	findCommand(all, name).run = func(c *call) error {
		switch {
		case o.value == "":
			got = fmt.Sprint(c.Bool(o.name()))
		case o.many:
			got = strings.Join(c.list(o.name()), "|")
		default:
			got = c.String(o.name())
		}
		return nil
	}
	line := append([]string{program, name}, args...)
	ordered, err := reorder(line, all)
	if err == nil {
		err = newApp(newStreams(context.Background(), nil, io.Discard, io.Discard), ordered, line, all).RunContext(context.Background(), ordered.ordered)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestNamesAreUnique: two flags of one command with one name would hide each
// other, and a placeholder is what tells a value from a switch.
func TestNamesAreUnique(t *testing.T) {
	for _, cmd := range commands() {
		seen := map[string]bool{}
		for _, o := range append(cmd.allOptions(), rootOnly()...) {
			if len(o.name()) < 2 {
				t.Errorf("%s: the first name of -%s must be long", cmd.name, o.name())
			}
			if (o.file || o.dir || o.many || len(o.choice) > 0) && o.value == "" {
				t.Errorf("%s --%s: no placeholder for the value", cmd.name, o.name())
			}
			for _, n := range o.names {
				if seen[n] {
					t.Errorf("%s: two flags are called %s", cmd.name, n)
				}
				seen[n] = true
			}
		}
		if cmd.about == "" || len(cmd.examples) == 0 {
			t.Errorf("%s: help has no text or no example", cmd.name)
		}
		for _, e := range cmd.examples {
			if !strings.Contains(e.line, program+" "+cmd.name) {
				t.Errorf("%s: the example %q is of another command", cmd.name, e.line)
			}
		}
	}
}

// TestGeneratedTextsAreComplete: completions and man page name every command and
// every flag that is not hidden.
func TestGeneratedTextsAreComplete(t *testing.T) {
	all := commands()
	for _, kind := range append(shells, "man") {
		args := []string{"completion", kind}
		if kind == "man" {
			args = []string{"man"}
		}
		r := try(t, args...)
		if r.code != 0 || r.stderr != "" {
			t.Fatalf("%s: exit code %d, %s", kind, r.code, r.stderr)
		}
		has := func(o *option, n string) bool {
			switch kind {
			case "fish":
				if len(n) == 1 {
					return strings.Contains(r.stdout, " -s "+n+" ")
				}
				return strings.Contains(r.stdout, " -l "+n+" ")
			case "man":
				return strings.Contains(r.stdout, strings.ReplaceAll(dashed(n), "-", `\-`))
			}
			return strings.Contains(r.stdout, dashed(n))
		}
		for i := range all {
			if !strings.Contains(r.stdout, all[i].name) {
				t.Errorf("%s: no command %s", kind, all[i].name)
			}
			for _, o := range append(all[i].allOptions(), rootOnly()...) {
				for _, n := range o.names {
					if o.hidden && kind != "man" && has(&o, n+" ") {
						t.Errorf("%s: shows the hidden flag %s", kind, n)
					}
					if !o.hidden && !has(&o, n) {
						t.Errorf("%s: no flag %s of %s", kind, dashed(n), all[i].name)
					}
				}
			}
		}
	}
}

// TestCompletionsAreValid has each shell that is installed read its script.
func TestCompletionsAreValid(t *testing.T) {
	for shell, args := range map[string][]string{"bash": {"-n"}, "zsh": {"-n"}, "fish": {"--no-execute"}, "pwsh": nil} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("%s is not installed", shell)
			}
			name := filepath.Join(t.TempDir(), "completion")
			kind := strings.Replace(shell, "pwsh", "powershell", 1)
			if kind == "powershell" {
				name += ".ps1"
			}
			if err := os.WriteFile(name, []byte(try(t, "completion", kind).stdout), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(path, append(args, name)...).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestBashCompletes sources the script and asks it, as bash would.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "completion")
	if err := os.WriteFile(script, []byte(try(t, "completion", "bash").stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"app.wasm", "my app.wasm"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "dist"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ words, want string }{
		{"wasm-debugid|sp", "split"},
		{"wasm-debugid|--ver", "--verbose --version"},
		{"wasm-debugid|split|--ext", "--external-dwarf-url --external-url"},
		{"wasm-debugid|-q|split|--companion-k", "--companion-kind"},
		{"wasm-debugid|split|--companion-kind|s", "symbols"},
		{"wasm-debugid|split|--companion-kind|=|f", "full"},
		{"wasm-debugid|split|a", "app.wasm"},
		{"wasm-debugid|split|my", "my app.wasm"},
		{"wasm-debugid|split|app.wasm|--out-dir|", "dist"},
		{"wasm-debugid|info|--color|n", "never"},
		{"wasm-debugid|completion|z", "zsh"},
		{"wasm-debugid|help|in", "info inject"},
		{"cargo-debugid|", "--help --version bench build run rustc test"},
		{"cargo-debugid|debugid|b", "bench build"},
		{"cargo-debugid|build|--target", "--target --target-dir"},
		{"cargo-debugid|debugid|rustc|--rel", "--release"},
		{"cargo-debugid|build|--target|=|wasm32-u", "wasm32-unknown-unknown"},
		{"cargo-debugid|build|--target-dir|", "dist"},
		{"cargo-debugid|build|a", "app.wasm"},
	} {
		words := strings.Split(tt.words, "|")
		for i, w := range words {
			words[i] = quote(w)
		}
		ask := fmt.Sprintf("source ./completion; COMP_WORDS=(%s); COMP_CWORD=%d; %s; printf '%%s\\n' \"${COMPREPLY[@]}\"",
			strings.Join(words, " "), len(words)-1, map[bool]string{false: "_wasm_debugid", true: "_cargo_debugid"}[words[0] == cargoProgram])
		cmd := exec.Command(bash, "--norc", "-c", ask)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		got := strings.Split(strings.TrimSpace(string(out)), "\n")
		slices.Sort(got)
		if text := strings.Join(got, " "); err != nil || text != tt.want {
			t.Errorf("%s: %q, want %q (%v)", tt.words, text, tt.want, err)
		}
	}
}

// TestFishCompletes has fish source the script and asks it.
func TestFishCompletes(t *testing.T) {
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("fish is not installed")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "completion"), []byte(try(t, "completion", "fish").stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"wasm-debugid spl":              "split",
		"wasm-debugid info --color n":   "never",
		"cargo-debugid b":               "bench build",
		"cargo-debugid build --target ": "wasm32-unknown-unknown wasm32-wasip1",
		"cargo-debugid build --rel":     "--release",
	} {
		cmd := exec.Command(fish, "-c", "source ./completion; complete -C"+single(line))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
		out, err := cmd.Output()
		var got []string
		for l := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(l), "\t")
			got = append(got, word)
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); err != nil || text != want {
			t.Errorf("%s: %q, want %q (%v)", line, text, want, err)
		}
	}
}

// TestCompletionsKnowCargosName: the program is also called cargo-debugid.
func TestCompletionsKnowCargosName(t *testing.T) {
	for shell, want := range map[string]struct{ registers, begins string }{
		"bash":       {"\ncomplete -F _cargo_debugid cargo-debugid\n", "\n_cargo_debugid() {"},
		"zsh":        {"#compdef wasm-debugid cargo-debugid\n", "\n_cargo-debugid() {"},
		"fish":       {"\ncomplete -c cargo-debugid ", "\ncomplete -c cargo-debugid "},
		"powershell": {" -CommandName 'cargo-debugid' ", " -CommandName 'cargo-debugid' "},
	} {
		text := try(t, "completion", shell).stdout
		_, part, ok := strings.Cut(text, want.begins)
		if !ok || !strings.Contains(text, want.registers) {
			t.Errorf("%s: the name is not registered", shell)
		}
		for _, word := range append(append([]string{}, cargoWords...), cargoFlags...) {
			if !strings.Contains(part, strings.TrimPrefix(word, "--")) {
				t.Errorf("%s: no %s", shell, word)
			}
		}
	}
}

// TestManPageIsValid has the system's formatter read the page.
func TestManPageIsValid(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(try(t, "man").stdout)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestParserNeverExits: the parser would end the process for errors with an exit
// code of their own.
func TestParserNeverExits(t *testing.T) {
	defer func(f func(int)) { cli.OsExiter = f }(cli.OsExiter)
	cli.OsExiter = func(code int) { t.Errorf("the parser exits with %d", code) }
	all := commands()
	findCommand(all, "info").run = func(*call) error { return cli.Exit("no", 7) }
	line := []string{program, "info", "x"}
	ordered, err := reorder(line, all)
	if err != nil {
		t.Fatal(err)
	}
	s := newStreams(context.Background(), nil, io.Discard, io.Discard)
	if err := newApp(s, ordered, line, all).RunContext(context.Background(), ordered.ordered); err == nil {
		t.Error("the error is lost")
	}
}
