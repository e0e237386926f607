package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// undoSeparate puts the module together again that emcc has split by itself
// (-gseparate-dwarf), so that it is split once, by us. emcc copies the module to
// the debug file and lets llvm-objcopy strip the other; the objcopy of LLVM 14 pads
// every section's size on the way, so that code starts elsewhere in the two and
// every frame that is resolved with the companion's code start is wrong. The debug
// file is the module that the linker wrote. It takes the module's place.
//
// A companion that the command line names stays where it names it.
func (r *Compiled) undoSeparate(ctx context.Context, o *Options, j *Job) error {
	file := r.SeparateFile
	if file == "" {
		file = j.Path + ".debug.wasm"
	}
	if _, err := os.Stat(file); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return &debugid.FileError{Path: file, Err: &rewrite.RefusedError{
				Msg:  "emcc was to write its DWARF here (-gseparate-dwarf), and did not",
				Hint: "give emcc -g in place of -gseparate-dwarf"}}
		}
		return err
	}
	if err := sameCode(j.Path, file); err != nil {
		return err
	}
	if url := r.Settings["SEPARATE_DWARF_URL"]; url != "" && o.URL == "" {
		o.URL = url
	}
	if err := copyFile(ctx, file, j.Path); err != nil {
		return err
	}
	if r.SeparateFile != "" && o.CompanionDir == "" && o.Companion != rewrite.CompanionNone {
		j.Companion = r.SeparateFile
	}
	r.Replaced = file
	return os.Remove(file)
}

// sameCode returns an error unless two modules have the same code.
func sameCode(production, debug string) error {
	a, err := wasm.Open(production)
	if err != nil {
		return &debugid.FileError{Path: production, Err: err}
	}
	defer a.Close()
	b, err := wasm.Open(debug)
	if err != nil {
		return &debugid.FileError{Path: debug, Err: err}
	}
	defer b.Close()
	x, okX := a.CodeSpan()
	y, okY := b.CodeSpan()
	if okX && okY && x.Size == y.Size && equalBytes(io.NewSectionReader(a, int64(x.Start), int64(x.Size)), io.NewSectionReader(b, int64(y.Start), int64(y.Size))) {
		return nil
	}
	return &debugid.FileError{Path: debug, Err: &rewrite.RefusedError{
		Msg:  fmt.Sprintf("emcc changed the code of %s after it wrote its DWARF here, so that the two do not belong together", production),
		Hint: "give emcc -g in place of -gseparate-dwarf"}}
}

// equalBytes reports whether two readers hold the same.
func equalBytes(a, b io.Reader) bool {
	var p, q [64 << 10]byte
	for {
		n, errA := io.ReadFull(a, p[:])
		m, errB := io.ReadFull(b, q[:])
		if !bytes.Equal(p[:n], q[:m]) || errA != errB {
			return false
		}
		if errA != nil {
			return errA == io.EOF || errA == io.ErrUnexpectedEOF
		}
	}
}
