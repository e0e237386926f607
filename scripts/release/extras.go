package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// made are the files of an archive that the program prints itself.
var made = []struct {
	path string
	args []string
}{
	{"man/wasm-debugid.1", []string{"man"}},
	{"completions/wasm-debugid.bash", []string{"completion", "bash"}},
	{"completions/_wasm-debugid", []string{"completion", "zsh"}},
	{"completions/wasm-debugid.fish", []string{"completion", "fish"}},
	{"completions/wasm-debugid.ps1", []string{"completion", "powershell"}},
}

// copied are the files of an archive that lie in the tree.
var copied = []string{"CHANGELOG.md", "LICENSE", "README.md", "cmake/WasmDebugId.cmake"}

// noticesName is the file with the licences of everything that is linked into the
// program.
const noticesName = "THIRD_PARTY_LICENSES"

// writeExtras writes what archives hold besides the program, for all platforms the
// same, in the layout of the archive.
func writeExtras(ctx context.Context, src *source, dir string) error {
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, host().program())
	if err := compile(ctx, src, host(), program); err != nil {
		return err
	}
	for _, m := range made {
		c := exec.CommandContext(ctx, program, m.args...)
		// Nothing that is set here may change what is printed.
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "SystemRoot=" + os.Getenv("SystemRoot")}
		text, err := c.Output()
		if err != nil {
			return fmt.Errorf("%s %s: %w", programName, strings.Join(m.args, " "), err)
		}
		if err := writeFile(filepath.Join(dir, m.path), text); err != nil {
			return err
		}
	}
	for _, name := range copied {
		text, err := os.ReadFile(filepath.Join(src.dir, name))
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	notices, err := thirdParty(ctx, src)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, noticesName), []byte(notices)); err != nil {
		return err
	}
	// For tar archives that another program makes of this folder.
	link := filepath.Join(dir, cargoName)
	if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.Symlink(programName, link)
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
