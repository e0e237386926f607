package wasm_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Beginnings of real compressed streams, all of one module of 608 bytes: brotli
// of quality 5 and 11 (Node 20, zlib.brotliCompressSync) and zstd -19.
const (
	brotli5  = "G18CAMT/1JXvy2YddxA4oCpAtdWHsNIqOuXG5sjaAHmD0HRARZ2uuHXnFzoYXoJaFH5L0ixKiw4cUdbSOLpZwJjdzBUeyg9icwDV1wSADoYjGmgYgRgjNvgHsGcDPRvRAC+OmAcKQH5AHXleEBJN2ISFCQ0kvr37z3g0jsPa1K19yODZcQNalDJvdnNrtJN3xo12edtIp25XhsBl3uQuV1X+yABzUhprm1ZWrVYubxuESe+ULq+oewbeVO+ULi+b3rXWwE97p3QpqqrVCJKYIIgzhnSfIg/E/xFYxjKWsYzhZgUzAYh5fsDFq3iFzjCskAjO+xmCKNJqzR8qkmGlmFUn9gORynqtyVCOOozKHQZ7WaE/KyQm8Q7DvI/vFdVAeCe8wuwqSeIc4lXzZAUF97EOHmKPDfA5rGMFpejurmGDCh5AfIo5f7TGJOZEeOY3qjZ0K8K8lPdVX0utqkpq19qe7rBikVN2z7jjXvKlrc8iSLkfniKPFgizUpbpyq7NG2dsEhOCI7vKKazO9e3YanNOdV3e7F27fHa2t7pW3ZGF+EitOg=="
	brotli11 = "G18CYBwJduzIohiOG7fL+PbTZpaTLbvyb4oKUHd9Xx2qDTgim58iGId3J/Q50ZJiy7K0u4Gbeh8wwYwjPO/QO1RUFB4KsEj3aBTwEGbukqSQlg9TZufhIdxAoVMjAM6aPFOmeZgUeZHmRvRT9hm/g3RWSFCDSrNJKbUhB2IgTIYpw/v9f+FtzxmtvBaQ7V4dnIyxOjJalF6OUpwIH3H+BIzFqN2uN+L8ZjCZTrdQqpyjiiGHInszVAyVDWbY+3/QGUcEeiGQ/aWVoP9HiINSJhjRzxp+9+HaJdwXSBj0kTpACx6yc85cmRMl5VFvhd9az0otxwRTaFqyyppAmPCPNQeOLuMKH+zFaMD9QZbjZIE+ofcgbE0QUfYKi/CmwRL8WCVIUMlmK0c3E3iN8Oy8d0QYOE+ir+APeG5pGOOFTi2ukWEsdRvtDkFwhMX+sCX1uVVurd2+wWFsJ4jRGPuocS9EaVzS/0dIsDC2stjrzR4dOxzttEu1QnNdmnS9VmgC"
	zstd19   = "KLUv/WRgAQUNAPZYUyxgdw4wDANryCMI9ehIbe8hSC8ta2qXNzKZd3MvcEU34H89CEp1UWlpyZYpBUYARQBHAA=="
)

func unbase64(t *testing.T, s string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func compress(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestSniff(t *testing.T) {
	module := tw.Build(tw.Sample()...)
	component, err := os.ReadFile("../testdata/corpus/component/comp-trap.wasm")
	if err != nil {
		t.Fatal(err)
	}
	zeros := string(make([]byte, 100))
	for _, c := range []struct {
		name string
		data string
		want wasm.Kind
	}{
		{"module", string(module), wasm.KindModule},
		{"preamble alone", string(module[:8]), wasm.KindModule},
		{"nothing", "", wasm.KindEmpty},
		{"one byte", "\x00", wasm.KindTruncated},
		{"magic", "\x00asm", wasm.KindTruncated},
		{"seven bytes", "\x00asm\x01\x00\x00", wasm.KindTruncated},
		{"real component", string(component), wasm.KindComponent},
		{"component", string(tw.Component(module)), wasm.KindComponent},
		{"older component", "\x00asm\x0a\x00\x01\x00", wasm.KindComponent},
		{"version 2", "\x00asm\x02\x00\x00\x00", wasm.KindVersion},
		{"version of a layer 257", "\x00asm\x0d\x00\x01\x01", wasm.KindVersion},
		{"version of a layer 2", "\x00asm\x01\x00\x02\x00", wasm.KindVersion},
		{"text", "(module\n  (func))", wasm.KindText},
		{"text of a byte order mark", "\xef\xbb\xbf (module $m)", wasm.KindText},
		{"text comment", ";; a comment\n(module)", wasm.KindText},
		{"text block comment", "(; a comment ;) (module)", wasm.KindText},
		{"text component", "(component\n)", wasm.KindText},
		{"the shortest text", "(module)", wasm.KindText},
		{"gzip", string(compress(t, module)), wasm.KindGzip},
		{"zstd", string(unbase64(t, zstd19)), wasm.KindZstd},
		{"brotli 5", string(unbase64(t, brotli5)), wasm.KindBrotli},
		{"brotli 11", string(unbase64(t, brotli11)), wasm.KindBrotli},
		{"zip", "PK\x03\x04" + zeros, wasm.KindZip},
		{"archive", "!<arch>\n/               0", wasm.KindArchive},
		{"thin archive", "!<thin>\n", wasm.KindArchive},
		{"bitcode", "BC\xc0\xde\x35\x14", wasm.KindBitcode},
		{"wrapped bitcode", "\xde\xc0\x17\x0b", wasm.KindBitcode},
		{"ELF", "\x7fELF\x02\x01\x01", wasm.KindELF},
		{"Mach-O", "\xcf\xfa\xed\xfe\x0c\x00\x00\x01", wasm.KindMachO},
		{"fat Mach-O", "\xca\xfe\xba\xbe\x00\x00\x00\x02", wasm.KindMachO},
		{"PE", "MZ\x90\x00\x03", wasm.KindPE},
		{"async arrow function", "(async () => {})()", wasm.KindJavaScript},
		{"function expression", "(function () {})()", wasm.KindJavaScript},
		{"a call of something with a module", "(modules => {})([])", wasm.KindJavaScript},
		{"emscripten", "var Module = typeof Module != 'undefined' ? Module : {};", wasm.KindJavaScript},
		{"comment", "// include: shell.js\nvar x", wasm.KindJavaScript},
		{"ES module", "import fs from 'fs'", wasm.KindJavaScript},
		{"script", "#!/usr/bin/env node\n", wasm.KindJavaScript},
		{"page", "<!DOCTYPE html>\n<title>404</title>", wasm.KindHTML},
		{"pointer of Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", wasm.KindLFS},
		{"page without a type", "\n\n  <HTML>", wasm.KindHTML},
		{"source map", `{"version":3,"sources":[]}`, wasm.KindJSON},
		{"prose", "Not found", wasm.KindUnknown},
		{"zeros", zeros, wasm.KindUnknown},
		{"binary", "\x13\x37" + zeros, wasm.KindUnknown},
		{"magic in the wrong order", "asm\x00\x01\x00\x00\x00", wasm.KindUnknown},
	} {
		if got := wasm.Sniff([]byte(c.data)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		_, err := wasm.NewFile(strings.NewReader(c.data), int64(len(c.data)))
		if c.want == wasm.KindModule {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var n *wasm.NotModuleError
		if !errors.As(err, &n) || n.Kind != c.want || !errors.Is(err, wasm.ErrNotModule) {
			t.Errorf("%s: error %v", c.name, err)
			continue
		}
		if n.Hint() == "" || n.Kind.String() == "" || !strings.HasPrefix(n.Error(), "offset 0x") {
			t.Errorf("%s: no help in %q, hint %q", c.name, n.Error(), n.Hint())
		}
	}
}

// TestSniffIsNotFooled holds compressed data that is no brotli, and brotli that
// is too short to tell.
func TestSniffIsNotFooled(t *testing.T) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	fmt.Fprint(w, strings.Repeat("text to compress ", 100))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"zlib":                                     z.Bytes(),
		"short brotli":                             unbase64(t, brotli11)[:40],
		"brotli that begins with metadata":         append([]byte{0x6b}, unbase64(t, brotli11)[1:]...),
		"brotli with a longer length than needs":   append([]byte{0x2b, 0xff, 0x7f, 0xf8}, unbase64(t, brotli11)[4:]...),
		"one byte repeated behind a brotli header": append(unbase64(t, brotli11)[:8], make([]byte, 200)...),
	} {
		if k := wasm.Sniff(b); k != wasm.KindUnknown {
			t.Errorf("%s: %v", name, k)
		}
	}
}

func TestVersionError(t *testing.T) {
	b := []byte("\x00asm\x0e\x00\x00\x00")
	_, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err == nil || err.Error() != "offset 0x4: this is a module of version 14, not 1" {
		t.Error(err)
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("\x00asm\x01\x00\x00\x00"))
	f.Add([]byte("(module"))
	f.Add(bytes.Repeat([]byte{0x1b, 0xff}, 40))
	f.Fuzz(func(t *testing.T, b []byte) {
		k := wasm.Sniff(b)
		if isModule := bytes.HasPrefix(b, []byte("\x00asm\x01\x00\x00\x00")); isModule != (k == wasm.KindModule) {
			t.Errorf("% x: %v", b, k)
		}
	})
}
