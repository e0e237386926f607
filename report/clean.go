package report

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wasm-debugid/wasm-debugid/internal/printable"
)

// clean returns s on one line that has nothing but what prints.
func clean(s string) string { return printable.Line(s) }

// sentence is clean for prose, where a line break is only a space.
func sentence(s string) string {
	return clean(strings.Join(strings.Fields(s), " "))
}

// clip shortens s to n runes, of which the last is then an ellipsis.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	for i := range s {
		if n--; n == 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// clipFront is clip for paths, whose end says more than their start.
func clipFront(s string, n int) string {
	have := utf8.RuneCountInString(s)
	if have <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	drop := have - n + 1
	for i := range s {
		if drop == 0 {
			return "…" + s[i:]
		}
		drop--
	}
	return "…"
}

// grouped writes n with its digits in groups of three.
func grouped(n int64) string { return printable.Number(n) }

// percent writes a part of a whole with one decimal. It rounds towards the
// middle: only everything is 100 %, and only nothing is 0 %.
func percent(part, whole int64) string {
	switch {
	case whole <= 0:
		return "–"
	case part >= whole:
		return "100 %"
	case part <= 0:
		return "0 %"
	}
	p := float64(part) / float64(whole) * 1000
	return strconv.FormatFloat(float64(min(max(int64(p+0.5), 1), 999))/10, 'f', 1, 64) + " %"
}

// count writes a number and a noun that takes an s.
func count(n int64, noun string) string { return printable.Count(n, noun) }

// size writes a number of bytes in the unit that a person would use.
func size(n int64) string {
	switch {
	case n < 10_000:
		return grouped(n) + " B"
	case n < 10_000_000:
		return grouped((n+512)/1024) + " KiB"
	}
	return grouped((n+1<<19)>>20) + " MiB"
}
