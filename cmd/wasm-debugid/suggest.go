package main

import "strings"

// otherWords are what people who know other tools type, and the command for it.
var otherWords = map[string]string{
	"id": "info --ids", "ids": "info --ids", "build-id": "info --ids",
	"show": "info", "inspect": "info", "dump": "info", "objdump": "info",
	"strip": "split", "extract": "split",
	"symbolize": "symbolicate", "symbolizer": "symbolicate", "resolve": "symbolicate",
	"run": "conform", "test": "verify", "validate": "check", "lint": "check",
}

// suggestCommand returns the command that was most likely meant, or nothing where none
// is near.
func suggestCommand(typed string, all []command) string {
	typed = strings.ToLower(typed)
	if known, ok := otherWords[typed]; ok {
		return known
	}
	best, least := "", 1+max(1, len(typed)/3)
	for _, name := range commandNames(all) {
		if d := distance(typed, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is the number of letters to insert, to remove, to replace, or to exchange with
// the one behind, that make b of a.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for k := range rows[1] {
		rows[1][k] = k
	}
	for i := 1; i <= len(a); i++ {
		before, above, row := rows[(i+2)%3], rows[(i)%3], rows[(i+1)%3]
		row[0] = i
		for k := 1; k <= len(b); k++ {
			cost := 1
			if a[i-1] == b[k-1] {
				cost = 0
			}
			row[k] = min(above[k]+1, row[k-1]+1, above[k-1]+cost)
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				row[k] = min(row[k], before[k-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}
