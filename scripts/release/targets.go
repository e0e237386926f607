package main

import (
	"fmt"
	"slices"
	"strings"
)

// programName is the program and the first part of every file's name.
const programName = "wasm-debugid"

// cargoName is the second name of the program, under which cargo finds it as the
// subcommand `cargo debugid`.
const cargoName = "cargo-debugid"

// target is a platform in Go's words.
type target struct{ os, arch string }

// targets are the platforms that a release is built for.
var targets = []target{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func (t target) String() string { return t.os + "/" + t.arch }

// program is the file name of the program.
func (t target) program() string {
	if t.os == "windows" {
		return programName + ".exe"
	}
	return programName
}

// folder is the folder that an archive unpacks to.
func (t target) folder(version string) string {
	return strings.Join([]string{programName, bare(version), t.os, t.arch}, "_")
}

// archive is the name of the archive.
func (t target) archive(version string) string {
	if t.os == "windows" {
		return t.folder(version) + ".zip"
	}
	return t.folder(version) + ".tar.gz"
}

// parseTargets reads a list of platforms; an empty one means all.
func parseTargets(text string) ([]target, error) {
	if text == "" {
		return targets, nil
	}
	var list []target
	for word := range strings.SplitSeq(text, ",") {
		goos, arch, _ := strings.Cut(word, "/")
		t := target{goos, arch}
		if !slices.Contains(targets, t) {
			return nil, fmt.Errorf("%q is none of the platforms %v", word, targets)
		}
		list = append(list, t)
	}
	return list, nil
}
