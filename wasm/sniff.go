package wasm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Kind says what a file is.
type Kind int

// Kinds of files that people hand to a tool for WebAssembly modules.
const (
	KindUnknown    Kind = iota
	KindModule          // a core module, version 1
	KindEmpty           // zero bytes
	KindTruncated       // the beginning of a module: less than its 8-byte preamble
	KindComponent       // a component (layer 1)
	KindVersion         // a module of a version that is not 1
	KindText            // the text format
	KindGzip            // gzip data
	KindZstd            // Zstandard data
	KindBrotli          // probably brotli data; the format has no signature
	KindZip             // a zip archive
	KindArchive         // an ar archive, such as a .a library
	KindBitcode         // LLVM bitcode
	KindELF             // an ELF file
	KindMachO           // a Mach-O file
	KindPE              // a Windows executable
	KindJavaScript      // JavaScript, perhaps with a module embedded in base64
	KindHTML            // an HTML page, often a server's answer in place of a file
	KindJSON            // a JSON document, such as a source map
	KindLFS             // a pointer of Git LFS that stands for a file
)

var kinds = map[Kind]struct{ name, hint string }{
	KindUnknown:    {"not a WebAssembly file", "give the .wasm that the linker wrote"},
	KindModule:     {"a core module", ""},
	KindEmpty:      {"an empty file", "the step that writes the module failed or has not run yet"},
	KindTruncated:  {"a truncated module", "the file is shorter than a module's header; write it again"},
	KindComponent:  {"a component, not a core module", "take the core modules out of it (wasm-tools component unbundle, or the build step before the component is made) and give those"},
	KindVersion:    {"a module of an unknown version", "only version 1 of the binary format exists today; check the file"},
	KindText:       {"a module in the text format", "assemble it first, for example with wat2wasm"},
	KindGzip:       {"gzip-compressed data", "decompress it first, for example with gzip -d"},
	KindZstd:       {"Zstandard-compressed data", "decompress it first, for example with zstd -d"},
	KindBrotli:     {"probably brotli-compressed data", "decompress it first, for example with brotli -d"},
	KindZip:        {"a zip archive", "unpack it and give the .wasm inside"},
	KindArchive:    {"an ar archive of object files", "link it and give the linked module"},
	KindBitcode:    {"LLVM bitcode", "link it (the objects were compiled for LTO) and give the linked module"},
	KindELF:        {"an ELF file", "give the .wasm; this is a native program or object"},
	KindMachO:      {"a Mach-O file", "give the .wasm; this is a native program or object"},
	KindPE:         {"a Windows executable", "give the .wasm; this is a native program"},
	KindJavaScript: {"JavaScript", "give the .wasm beside it; if the module is embedded in the script (emcc -sSINGLE_FILE), build without that option"},
	KindHTML:       {"an HTML page", "a server or a download answered with a page in place of the module; fetch the .wasm again"},
	KindJSON:       {"a JSON document", "give the .wasm; source maps and manifests lie beside it"},
	KindLFS:        {"a pointer of Git LFS and not the file itself", "fetch the file with git lfs pull; in a workflow, check out with LFS"},
}

// String describes the kind in a few words.
func (k Kind) String() string { return kinds[k].name }

// Hint says what to do with a file of this kind; empty for a module.
func (k Kind) Hint() string { return kinds[k].hint }

// NotModuleError reports a file that is not a core module.
type NotModuleError struct {
	Kind    Kind
	Version uint32 // KindVersion: the version that the file names
}

// Error names what the file is.
func (e *NotModuleError) Error() string {
	if e.Kind == KindVersion {
		return fmt.Sprintf("offset 0x4: this is a module of version %d, not 1", e.Version)
	}
	return "offset 0x0: this is " + e.Kind.String()
}

// Hint says what to do.
func (e *NotModuleError) Hint() string { return e.Kind.Hint() }

// Is makes the error match ErrNotModule.
func (e *NotModuleError) Is(target error) bool { return target == ErrNotModule }

var preamble = [8]byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// sniffLen is how many leading bytes Sniff looks at.
const sniffLen = 512

func checkPreamble(r io.ReaderAt, size int64) error {
	head := make([]byte, min(size, sniffLen))
	n, err := r.ReadAt(head, 0)
	if n < len(head) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return &FormatError{Off: FileOffset(n), Msg: "reading the file", Err: readError{err}}
	}
	k := Sniff(head)
	if k == KindModule {
		return nil
	}
	e := &NotModuleError{Kind: k}
	if k == KindVersion {
		e.Version = uint32(head[4]) | uint32(head[5])<<8 | uint32(head[6])<<16 | uint32(head[7])<<24
	}
	return e
}

// signatures are matched in order against the first bytes of a file.
var signatures = []struct {
	kind  Kind
	magic string
}{
	{KindGzip, "\x1f\x8b"},
	{KindZstd, "\x28\xb5\x2f\xfd"},
	{KindZip, "PK\x03\x04"},
	{KindArchive, "!<arch>\n"},
	{KindArchive, "!<thin>\n"},
	{KindBitcode, "BC\xc0\xde"},
	{KindBitcode, "\xde\xc0\x17\x0b"},
	{KindELF, "\x7fELF"},
	{KindMachO, "\xfe\xed\xfa\xce"},
	{KindMachO, "\xfe\xed\xfa\xcf"},
	{KindMachO, "\xce\xfa\xed\xfe"},
	{KindMachO, "\xcf\xfa\xed\xfe"},
	{KindMachO, "\xca\xfe\xba\xbe"},
	{KindPE, "MZ"},
	{KindLFS, "version https://git-lfs.github.com/spec/"},
}

// Sniff says what a file is from its first bytes; 512 of them are enough.
func Sniff(head []byte) Kind {
	switch {
	case len(head) == 0:
		return KindEmpty
	case bytes.HasPrefix(head, preamble[:4]):
		return sniffWasm(head)
	case bytes.HasPrefix(preamble[:], head):
		return KindTruncated
	}
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.magic)) {
			return s.kind
		}
	}
	return sniffText(head)
}

// sniffWasm tells modules, components and later versions apart. The four bytes
// behind the magic are a u32 version in a module, and a u16 version and a u16
// layer in a component.
func sniffWasm(head []byte) Kind {
	switch {
	case len(head) < len(preamble):
		return KindTruncated
	case bytes.HasPrefix(head, preamble[:]):
		return KindModule
	case head[6] == 1 && head[7] == 0:
		return KindComponent
	}
	return KindVersion
}

func sniffText(head []byte) Kind {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	lower := bytes.ToLower(text)
	switch {
	case !isText(head):
		if looksLikeBrotli(head) {
			return KindBrotli
		}
		return KindUnknown
	case bytes.HasPrefix(text, []byte(";;")), bytes.HasPrefix(text, []byte("(;")),
		hasWord(text, "(module"), hasWord(text, "(component"):
		return KindText
	case bytes.HasPrefix(lower, []byte("<!doctype")), bytes.HasPrefix(lower, []byte("<html")), bytes.HasPrefix(lower, []byte("<?xml")), bytes.HasPrefix(lower, []byte("<head")):
		return KindHTML
	case bytes.HasPrefix(text, []byte("{")):
		return KindJSON
	}
	for _, word := range []string{"var ", "let ", "const ", "function", "import ", "export ", "//", "/*", "\"use strict\"", "'use strict'", "(", "!function", "async ", "#!", "if(", "if (", "globalThis", "window", "Module"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return KindJavaScript
		}
	}
	return KindUnknown
}

// hasWord reports whether text begins with word and the word ends there.
func hasWord(text []byte, word string) bool {
	rest, ok := bytes.CutPrefix(text, []byte(word))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n();\""), rest[0]) >= 0)
}

// isText reports whether b looks like text: no control bytes other than white
// space.
func isText(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' || c == 0x7f {
			return false
		}
	}
	return true
}
