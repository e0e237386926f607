package buildid

import (
	"encoding/hex"
	"fmt"
	"path"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Form is what one client shows for, or makes of, a build_id section.
type Form struct {
	Client string // its owner's name and, where versions differ, its version
	Kind   string // what the client calls it
	Value  string // empty if the client sees no ID
	Note   string // why the value is not the bare ID; may be empty
}

const nilUUID = "00000000-0000-0000-0000-000000000000"

// Notes that several forms share.
const (
	noteNothing = "the client finds no id in this section"
	noteNil     = "the section has less than 16 bytes: the client reports that there is no debug id"
	notePadded  = "the section has less than 16 bytes: the SDK fills up with zeros, and nothing will match"
)

// Forms lists what each known client makes of the payload of a build_id section
// (the contents behind the section's name). Some clients read the length in
// front of the ID, some take the whole payload; the notes say so. fileName is
// the name of the file for stores that file under it; only its last element is
// used.
func Forms(payload []byte, fileName string) []Form {
	id, enc, _, err := Decode(payload)
	if err != nil {
		id = nil
	}
	whole := hex.EncodeToString(payload)
	wholeNote := wholeNote(payload, id, enc)
	decoded := func(client, kind, value string) Form {
		if len(id) == 0 {
			return Form{Client: client, Kind: kind, Note: noteNothing}
		}
		return Form{Client: client, Kind: kind, Value: value}
	}
	taken := func(client, kind, value string) Form {
		if len(payload) == 0 {
			return Form{Client: client, Kind: kind, Note: noteNothing}
		}
		return Form{Client: client, Kind: kind, Value: value, Note: wholeNote}
	}
	file := strings.ToLower(path.Base(strings.ReplaceAll(fileName, `\`, "/")))
	if fileName == "" {
		file = "module.wasm"
	}
	lld := decoded("tool-conventions, LLVM", "build ID", id.String())
	if enc != EncodingSpec && len(id) > 0 {
		lld.Note = fmt.Sprintf("the section is in the %v form, which the convention does not know", enc)
	}
	forms := []Form{lld, engineForm(payload, id)}
	forms = append(forms, sentryForms(payload, id)...)
	return append(forms,
		taken("sentry-cli 3.8, symbolic", "code id", whole),
		symbolicForm(payload, wholeNote),
		taken("@sentry/wasm", "code_id", whole),
		sdkForm(payload, wholeNote),
		taken("Datadog", "build id", whole),
		taken("Microsoft SymbolStore", "key", file+"/"+whole+"/"+file),
		decoded("Symbolicator", "path", unifiedPath(id)),
		taken("Symbolicator", "path that the SDK asks for", unifiedPath(payload)),
		decoded("debuginfod", "path", "/buildid/"+id.String()+"/debuginfo"),
		decoded("llvm-symbolizer --debug-file-directory", "path", buildIDPath(id)),
		decoded("source map (binaryen)", "debugId", id.String()),
	)
}

// wholeNote explains what a client shows that takes the whole payload.
func wholeNote(payload []byte, id ID, enc Encoding) string {
	front := len(payload) - len(id)
	switch {
	case len(id) == 0:
		return "the client takes the whole section and does not see that it is malformed"
	case front == 0:
		return ""
	case enc == EncodingZig:
		return fmt.Sprintf("the client takes the whole section: the count and the length (%x) in front are read as part of the id", payload[:front])
	case front == 1:
		return fmt.Sprintf("the client takes the whole section: the length byte (%02x) is read as part of the id", payload[0])
	}
	return fmt.Sprintf("the client takes the whole section: the length (%x) is read as part of the id", payload[:front])
}

// engineForm is what V8 hands to debuggers: it reads a length and so many bytes,
// and ignores what follows.
func engineForm(payload []byte, id ID) Form {
	f := Form{Client: "V8, Chrome DevTools protocol", Kind: "buildId"}
	if n, w, err := wasm.Uint32(payload); err == nil && int64(n) <= int64(len(payload)-w) {
		f.Value = hex.EncodeToString(payload[w : w+int(n)])
	}
	switch {
	case f.Value == "" && len(id) > 0:
		f.Note = "the first byte of the id is read as a length that does not fit"
	case f.Value == "":
		f.Note = noteNothing
	case len(id) == 0:
		f.Note = "the engine takes as many bytes as the length says and ignores the rest"
	case f.Value != id.String():
		f.Note = "the first byte is read as the length, and what follows is cut to it"
	}
	return f
}

// sentryForms are the sentry CLI's readings. It takes a payload of exactly 16
// bytes for a raw ID; of any other it takes as many bytes as the length says, and
// refuses the whole file where there are not so many.
func sentryForms(payload []byte, id ID) []Form {
	const client = "sentry 0.49 (CLI)"
	code := Form{Client: client, Kind: "code id"}
	debug := Form{Client: client, Kind: "debug id"}
	var read []byte
	if n, w, err := wasm.Uint32(payload); len(payload) == 16 {
		read = payload
	} else if err == nil && int64(n) <= int64(len(payload)-w) {
		read = payload[w : w+int(n)]
	} else {
		code.Note = "the client refuses the whole file as invalid: the length in front of the id does not fit"
		debug.Note = code.Note
		return []Form{code, debug}
	}
	code.Value = hex.EncodeToString(read)
	debug.Value = nilUUID
	if len(read) >= 16 {
		debug.Value = uuidForm(read)
	}
	switch {
	case len(read) == 0:
		code.Note = noteNothing
	case len(id) == 0:
		code.Note = "the client does not see that the section is malformed"
	case string(read) != string(id) && len(payload) == 16:
		code.Note = "the client takes any section of 16 bytes for an id without a length in front"
	case string(read) != string(id):
		code.Note = "the first byte is read as the length, and what follows is cut to it"
	}
	debug.Note = code.Note
	switch lost := len(read) - 16; {
	case lost < 0:
		debug.Note = join(code.Note, "an id of less than 16 bytes gives no debug id")
	case lost > 0:
		debug.Note = join(code.Note, fmt.Sprintf("the last %s lost", bytesAre(lost)))
	}
	return []Form{code, debug}
}

// symbolicForm is the debug ID of symbolic: the first 16 bytes of the payload as
// a UUID, in stored order, without the byte swap that it does for ELF.
func symbolicForm(payload []byte, note string) Form {
	f := Form{Client: "sentry-cli 3.8, symbolic", Kind: "debug id"}
	if len(payload) < 16 {
		f.Value, f.Note = nilUUID, noteNil
		return f
	}
	f.Value = uuidForm(payload)
	f.Note = note
	if lost := len(payload) - 16; lost > 0 {
		f.Note = join(f.Note, fmt.Sprintf("the last %s lost", bytesAre(lost)))
	}
	return f
}

// sdkForm is the debug_id that Sentry's SDK sends with an event: 32 digits of the
// payload, filled up with zeros, and an age of 0.
func sdkForm(payload []byte, note string) Form {
	f := Form{Client: "@sentry/wasm", Kind: "debug_id"}
	if len(payload) == 0 {
		f.Note = noteNothing
		return f
	}
	digits := hex.EncodeToString(payload[:min(len(payload), 16)])
	f.Value = digits + strings.Repeat("0", 32-len(digits)) + "0"
	f.Note = note
	if len(payload) < 16 {
		f.Note = join(note, notePadded)
	} else if lost := len(payload) - 16; lost > 0 {
		f.Note = join(f.Note, fmt.Sprintf("the last %s lost", bytesAre(lost)))
	}
	f.Note = join(f.Note, "the digit 0 at the end is an age")
	return f
}

func bytesAre(n int) string {
	if n == 1 {
		return "byte is"
	}
	return fmt.Sprintf("%d bytes are", n)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// unifiedPath is Symbolicator's unified layout.
func unifiedPath(id []byte) string {
	if len(id) == 0 {
		return ""
	}
	return fmt.Sprintf("%x/%x/debuginfo", id[:1], id[1:])
}

// buildIDPath is the layout below a debug file directory.
func buildIDPath(id ID) string {
	if len(id) == 0 {
		return ""
	}
	return fmt.Sprintf(".build-id/%x/%x.debug", []byte(id[:1]), []byte(id[1:]))
}

// Disagreement says in plain sentences where clients will not agree about the
// payload, and what that means. It is empty if all of them show the bare ID.
func Disagreement(payload []byte) []string {
	id, enc, _, err := Decode(payload)
	if err != nil {
		return []string{fmt.Sprintf("The section is malformed (%v): clients that take the whole section will show something, all others nothing.", err)}
	}
	var out []string
	front := len(payload) - len(id)
	switch enc {
	case EncodingRaw:
		out = append(out, "The section holds the id without its length: engines, LLVM and every reader that follows the convention see no id or another one.")
	case EncodingZig:
		out = append(out, "The section is in the form of Zig's linker: readers that follow the convention take its count for the length and see another id.")
	}
	if front > 0 {
		out = append(out, fmt.Sprintf("sentry-cli 3.8, @sentry/wasm, Datadog and Microsoft SymbolStore take the whole section for the id: they show %s, all others %s.",
			shortID(payload), shortID(id)))
	}
	switch lost := len(payload) - 16; {
	case lost < 0:
		out = append(out, fmt.Sprintf("The section has only %d bytes: symbolic and sentry-cli 3.8 find no debug id, while @sentry/wasm fills up with zeros, so events never match; use an id of 16 bytes.", len(payload)))
	case lost == 1:
		out = append(out, fmt.Sprintf("Sentry's debug id has room for 16 bytes of the section: the last byte (%02x) is lost, and ids must differ in the bytes before it.", payload[16]))
	case lost > 1:
		out = append(out, fmt.Sprintf("Sentry's debug id has room for 16 bytes of the section: the last %d bytes are lost, and ids must differ in the bytes before them.", lost))
	}
	if front > 0 && len(payload) > 16 {
		out = append(out, "The sentry CLI 0.49 and sentry-cli 3.8 show different ids for this one file.")
	}
	if len(payload) == 16 && front > 0 {
		out = append(out, "The sentry CLI 0.49 takes any section of 16 bytes for an id without a length in front, so it shows the length as part of the id.")
	}
	if enc == EncodingRaw && len(payload) != 16 {
		out = append(out, "The sentry CLI 0.49 reads the first byte as a length and refuses the whole file if that does not fit.")
	}
	if len(id) != 16 {
		out = append(out, fmt.Sprintf("The id has %d bytes: clients that want a UUID cannot show the whole of it.", len(id)))
	}
	return out
}
