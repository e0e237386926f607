package hook

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// clang runs wasm-opt after the linker if it finds one, with the -O flag of the
// link and without -g: what comes out has no line table that names any code. The
// flag --no-wasm-opt, which LLVM 20 and later know, is taken by LLVM 19 too, which
// then writes no output at all. So a stand-in is put where clang looks first, the
// folders that COMPILER_PATH names
// (https://clang.llvm.org/docs/CommandGuide/clang.html#environment), with
// nothing else in that folder: no other tool is hidden, as it would be by another
// PATH, and no other program is deceived.

// varWasmOptLog is set for a stand-in: the file that it writes its command line to.
const varWasmOptLog = "WASM_DEBUGID_WASM_OPT_LOG"

// IsWasmOpt reports whether this program was called as the stand-in of wasm-opt.
func IsWasmOpt(args []string, getenv func(string) string) bool {
	return len(args) > 0 && programName(args[0]) == "wasm-opt" && getenv(varWasmOptLog) != ""
}

// StandIn does the work of the stand-in of wasm-opt, which is to leave the module
// as it is. args are the program's own, its name first.
func StandIn(args []string, getenv func(string) string) error {
	if err := os.WriteFile(getenv(varWasmOptLog), []byte(strings.Join(append([]string{"wasm-opt"}, args[1:]...), " ")), 0o600); err != nil {
		return err
	}
	in, out := "", ""
	for i := 1; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-o" && i+1 < len(args):
			i++
			out = args[i]
		case !strings.HasPrefix(a, "-") && in == "":
			in = a
		}
	}
	if in == "" || out == "" || isSame(in, out) {
		return nil
	}
	from, err := os.Open(in)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(out)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// standIn is a folder with a stand-in of wasm-opt.
type standIn struct{ dir string }

func newStandIn(self string) (*standIn, error) {
	dir, err := os.MkdirTemp("", "wasm-debugid-cc-")
	if err != nil {
		return nil, err
	}
	s := &standIn{dir}
	name := "wasm-opt"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	to := filepath.Join(dir, name)
	if self, err = filepath.Abs(self); err == nil {
		if err = os.Symlink(self, to); err != nil {
			err = linkOrCopy(self, to) // Windows lets few people make symbolic links
		}
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// linkOrCopy gives a program another name.
func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o700)
}

// environment returns the environment in which clang finds the stand-in.
func (s *standIn) environment(env []string) []string {
	path := s.dir
	var out []string
	for _, v := range env {
		if old, ok := strings.CutPrefix(v, "COMPILER_PATH="); ok {
			if old != "" {
				path += string(os.PathListSeparator) + old
			}
			continue
		}
		out = append(out, v)
	}
	return append(out, "COMPILER_PATH="+path, varWasmOptLog+"="+s.log())
}

func (s *standIn) log() string { return filepath.Join(s.dir, "log") }

// called returns the command line that the stand-in was called with; empty if it
// was not.
func (s *standIn) called() string {
	b, err := os.ReadFile(s.log())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "wasm-opt"
	}
	return string(b)
}

func (s *standIn) remove() { os.RemoveAll(s.dir) }
