package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxAnnotations is how many annotations of each level GitHub shows for a step.
const maxAnnotations = 10

// WriteGitHub writes a report as workflow commands of GitHub Actions, which become
// annotations of the run
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
// Of each level at most ten are shown there, the last of which says how many more
// there are; the summary holds all, see [Summary].
func WriteGitHub(w io.Writer, r *Report, o Options) error {
	levels := map[string][]string{}
	add := func(level, file string, line uint32, title, message string) {
		c := "::" + level + " "
		if file != "" {
			c += "file=" + property(file) + ","
		}
		if line > 0 {
			c += "line=" + strconv.FormatUint(uint64(line), 10) + ","
		}
		levels[level] = append(levels[level], c+"title="+property(title)+"::"+data(message))
	}
	for _, s := range subjects(r) {
		for _, reason := range s.NotChecked {
			add("error", relative(s.path(), o.Root), 0, "could not check", clean(s.path())+": "+sentence(reason))
		}
		if s.Verdict == NotProven && !slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.Severity >= Warning }) {
			add("warning", relative(s.path(), o.Root), 0, NotProven.String(), clean(s.path())+": "+unprovenText)
		}
		for _, k := range kinds(r, s) {
			for _, f := range k.findings {
				line := f.Location.Line
				if f.Location.Source != "" {
					line = 0 // of another file than the annotation's
				}
				add(command(f.Severity), relative(cmp.Or(f.Location.Path, s.path()), o.Root), line, title(k.rule), annotation(k, f))
			}
		}
	}
	var b strings.Builder
	for _, level := range []string{"error", "warning", "notice"} {
		list := levels[level]
		if n := len(list); n > maxAnnotations {
			list = list[:maxAnnotations-1]
			rest := count(int64(n-len(list)), "more "+level) + ": see the summary of the step"
			list = append(list, "::"+level+" title="+property(r.Tool)+"::"+data(rest))
		}
		for _, c := range list {
			b.WriteString(c + "\n")
		}
	}
	// The verdict is no annotation: it would take the place of one. A line that is
	// no command is shown in the log as it is.
	b.WriteString(sentence(VerdictLine(r)) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func command(s Severity) string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "notice"
}

func title(rule Rule) string {
	return strings.TrimSpace(clean(rule.Code) + " " + clean(rule.Name))
}

// annotation is what an annotation says.
func annotation(k *kind, f *Finding) string {
	text := sentence(f.Message)
	if f.Count > 1 {
		text += " (" + count(int64(f.Count), "place") + ")"
	}
	if at := f.Location.place(""); at != "" {
		text += "\nat " + at
	}
	for i := range f.Samples[:min(len(f.Samples), shownSamples)] {
		text += "\n· " + f.Samples[i].place(f.Location.Path)
	}
	if remedy := sentence(k.remedy(f)); remedy != "" {
		text += "\nto do: " + remedy
	}
	return text
}

// data escapes the message of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a property of a workflow command. The rules have escapes for what
// would end the property or the command, line breaks among them, and for nothing else:
// other characters that do not print would reach the log and the terminal that shows it,
// so that they are written out.
func property(s string) string {
	var b strings.Builder
	for s != "" {
		n := strings.IndexAny(s, "\r\n")
		if n < 0 {
			n = len(s)
		}
		b.WriteString(clean(s[:n]))
		k := n
		for k < len(s) && (s[k] == '\r' || s[k] == '\n') {
			k++
		}
		b.WriteString(s[n:k])
		s = s[k:]
	}
	s = b.String()
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// Outputs writes what later steps of a workflow may use, in the format of the file
// that GITHUB_OUTPUT names: verdict, errors, warnings, unproven (for how many subjects
// nothing was proven, though they do not fail), and where they are known build-id,
// production, companion and coverage (how many percent of the places in user code
// resolve to file and line). Those of a file are of the first subject.
func Outputs(w io.Writer, r *Report) error {
	out := [][2]string{
		{"verdict", r.Verdict().String()},
		{"errors", strconv.Itoa(r.Count(Error))},
		{"warnings", strconv.Itoa(r.Count(Warning))},
		{"unproven", strconv.Itoa(r.Unproven())},
	}
	if len(r.Subjects) > 0 {
		s := &r.Subjects[0]
		out = append(out, [2]string{"build-id", s.BuildID}, [2]string{"production", s.Production}, [2]string{"companion", s.Companion})
	}
	if c, all, ok := r.coverage(); ok {
		if c.Total() == 0 {
			c = all
		}
		out = append(out, [2]string{"coverage", strconv.FormatFloat(100*c.Ratio(), 'f', 2, 64)})
	}
	var b strings.Builder
	for _, kv := range out {
		if kv[1] == "" {
			continue
		}
		if !strings.ContainsAny(kv[1], "\r\n") {
			fmt.Fprintf(&b, "%s=%s\n", kv[0], kv[1])
			continue
		}
		// A path may hold line breaks. It cannot hold its own digest.
		sum := sha256.Sum256([]byte(kv[1]))
		end := "end-" + hex.EncodeToString(sum[:16])
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", kv[0], end, kv[1], end)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
