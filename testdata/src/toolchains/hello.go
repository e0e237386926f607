//go:build wasip1

package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

func main() {
	words := os.Args[1:]
	sort.Strings(words)
	fmt.Println(strings.Join(words, ","), len(words))
	os.Exit(len(words))
}
