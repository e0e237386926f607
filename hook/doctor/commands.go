package doctor

import (
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// command is one simple command of a script.
type command struct {
	at      report.Location
	text    string // as it is written, from its program on
	program string // without its folder
	args    string // the words behind the program, without quotation marks
	all     string // as it is written, with the variables it sets
}

// says reports whether a command only prints or looks for its words.
func (c *command) says() bool { return slices.Contains(printing, strings.ToLower(c.program)) }

var (
	printing = []string{"echo", "printf", "message", "info", "warning", "error", "grep", "rg"}

	// wrapping words stand before a program.
	wrapping = []string{"sudo", "env", "time", "nice", "exec", "command", "xargs", "npx", "pnpx", "bunx", "ccache", "sccache", "shell", "eval",
		"if", "then", "else", "elif", "do", "while", "until", "!", "{", "RUN", "-", "@", "run:", "script:", "cmd:", "command:", "${CMAKE_COMMAND}"}

	assigning  = []string{"=", ":=", "::=", "?=", "+="}
	assignment = regexp.MustCompile(`^[A-Za-z_]\w*\+?=`)
	shells     = []string{"sh", "bash", "dash", "zsh", "ash"}
	jsonPair   = regexp.MustCompile(`("(?:[^"\\\n]|\\.)*")\s*:\s*("(?:[^"\\\n]|\\.)*")`)
)

// maxNested is how deep commands in commands are looked at.
const maxNested = 4

// commands returns the commands of a script that hold a word outside of comments.
func (f *textFile) commands(word string) []command {
	if !strings.Contains(f.text, word) {
		return nil
	}
	s := &commandScanner{file: f, word: word, cmake: f.name == "CMakeLists.txt" || strings.HasSuffix(f.name, ".cmake")}
	if f.name == "package.json" {
		s.packageScripts()
		return s.out
	}
	offset := 0
	var document printed
	for line := range splitLines(f.text) {
		if document.holds(line) {
			offset += len(line)
			continue
		}
		document.begin(line, f.text, offset)
		if strings.Contains(line, word) && !strings.HasPrefix(strings.TrimSpace(line), "//") {
			s.line(line, offset, 0)
		}
		offset += len(line)
	}
	return s.out
}

// commandScanner takes lines apart.
type commandScanner struct {
	file  *textFile
	word  string
	cmake bool // parentheses hold the arguments of a command
	out   []command
}

// packageScripts looks at the scripts of a package.json
// (https://docs.npmjs.com/cli/v11/configuring-npm/package-json#scripts).
func (s *commandScanner) packageScripts() {
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(s.file.text), &p) != nil {
		return // reported elsewhere
	}
	for _, m := range jsonPair.FindAllStringSubmatchIndex(s.file.text, -1) {
		var key, value string
		if json.Unmarshal([]byte(s.file.text[m[2]:m[3]]), &key) == nil && json.Unmarshal([]byte(s.file.text[m[4]:m[5]]), &value) == nil && value != "" && p.Scripts[key] == value {
			s.line(value, m[4], maxNested-2)
		}
	}
}

// shellWord is a word of a command.
type shellWord struct {
	text       string // without quotation marks
	start, end int    // in the line
	quoted     bool   // begins with a quotation mark
}

// line takes a line apart that lies at an offset of the file; one that lies in
// another by its depth.
func (s *commandScanner) line(line string, offset, depth int) {
	var (
		words []shellWord
		word  strings.Builder
		start = -1 // of the present word
		quote byte
		q     bool // the present word began with a quotation mark
	)
	begin := func(i int) {
		if start < 0 {
			start, q = i, quote != 0
		}
	}
	endWord := func(i int) {
		if start >= 0 {
			words = append(words, shellWord{word.String(), start, i, q})
		}
		word.Reset()
		start = -1
	}
	endCommand := func(i int) {
		endWord(i)
		if len(words) > 0 {
			s.simple(line, words, offset, depth)
		}
		words = nil
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line):
			i++
			if line[i] == '\r' && i+1 < len(line) {
				i++
			}
			if line[i] == '\n' {
				if quote == 0 {
					endWord(i - 1)
				}
				continue
			}
			begin(i - 1)
			word.WriteByte(line[i])
		case c == '$' && quote != '\'' && strings.HasPrefix(line[i:], "$("), c == '`' && quote != '\'':
			begin(i)
			skip, end := 1, strings.IndexByte(line[i+1:], '`')
			if c == '$' {
				skip, end = 2, closing(line[i+2:])
			}
			if end < 0 {
				end = len(line) - i - skip
			}
			inner := line[i+skip : i+skip+end]
			if depth < maxNested && strings.Contains(inner, s.word) {
				s.line(inner, offset+i+skip, depth+1)
			}
			to := min(i+skip+end+1, len(line))
			if quote == 0 {
				word.WriteString(strings.ReplaceAll(line[i:to], s.word, "")) // it has been looked at
			}
			i = to - 1
		case quote != 0:
			if c == quote {
				quote = 0
				break
			}
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote = c
			begin(i)
		case c == ' ' || c == '\t' || c == '\r' || s.cmake && (c == '(' || c == ')'):
			endWord(i)
		case c == '#' && start < 0:
			endCommand(i)
			n := strings.IndexByte(line[i:], '\n')
			if n < 0 {
				return
			}
			i += n
		case c == ';' || c == '&' || c == '|' || c == '\n' || c == '(' || c == ')':
			endCommand(i)
		default:
			begin(i)
			word.WriteByte(c)
		}
	}
	endCommand(len(line))
}

// closing returns the offset of the parenthesis that closes one before a text, or -1.
func closing(text string) int {
	open := 1
	for i := range len(text) {
		switch text[i] {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

// simple adds a command, if it holds the word.
func (s *commandScanner) simple(line string, words []shellWord, offset, depth int) {
	if s.cmake {
		if i := slices.IndexFunc(words, func(w shellWord) bool { return w.text == "COMMAND" }); i >= 0 {
			if rest := words[i+1:]; len(rest) > 0 {
				s.simple(line, rest, offset, depth) // up to the next
			}
			words = words[:i]
		}
	}
	i := 0
	for wrapped := false; i < len(words); i++ {
		w := words[i].text
		switch {
		case slices.Contains(wrapping, w):
			wrapped = true
		case assignment.MatchString(w) && !words[i].quoted && i+1 < len(words):
		case wrapped && strings.HasPrefix(w, "-"):
		case i+2 < len(words) && slices.Contains(assigning, words[i+1].text):
			i++
		default:
			goto found
		}
	}
found:
	if i == len(words) {
		return
	}
	program := words[i]
	rest := words[i+1:]
	name := strings.TrimSuffix(path.Base(filepath.ToSlash(strings.TrimLeft(program.text, "@-+"))), ".exe")
	if depth < maxNested {
		inner := ""
		switch {
		case program.quoted && strings.ContainsAny(program.text, " \t"):
			inner = program.text
		case slices.Contains(shells, name):
			if c := slices.IndexFunc(rest, func(w shellWord) bool {
				return strings.HasPrefix(w.text, "-") && strings.HasSuffix(w.text, "c")
			}); c >= 0 && c+1 < len(rest) {
				inner = rest[c+1].text
			}
		}
		if inner != "" {
			if strings.Contains(inner, s.word) {
				s.line(inner, offset+program.start, maxNested)
			}
			return
		}
	}
	args := ""
	if len(rest) > 0 {
		var list []string
		for _, w := range rest {
			list = append(list, w.text)
		}
		args = strings.Join(list, " ")
	}
	end := words[len(words)-1].end
	all, text := line[words[0].start:end], line[program.start:end]
	n := strings.Index(all, s.word)
	if n < 0 {
		return
	}
	at := words[0].start + n
	s.out = append(s.out, command{
		at:      s.file.at(min(offset+at, len(s.file.text))),
		text:    strings.Join(strings.Fields(strings.ReplaceAll(text, "\\\n", " ")), " "),
		program: name,
		args:    args,
		all:     all,
	})
}

// splitLines yields lines, of which those that end in a backslash include the next.
func splitLines(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		start, end := 0, 0
		for l := range strings.Lines(text) {
			end += len(l)
			if strings.HasSuffix(strings.TrimRight(l, "\r\n"), "\\") {
				continue
			}
			if !yield(text[start:end]) {
				return
			}
			start = end
		}
		if start < end {
			yield(text[start:end])
		}
	}
}
