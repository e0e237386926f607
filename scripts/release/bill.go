package main

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// built is a program with the archive that holds it.
type built struct {
	target        target
	info          *debug.BuildInfo
	programDigest string // SHA-256
	programSHA1   string // which SPDX wants of every file
	archive       string // file name
	archiveDigest string
}

// describe reads back what Go wrote into a program about itself.
func describe(t target, program, archive string) (built, error) {
	b := built{target: t, archive: filepath.Base(archive)}
	var err error
	if b.info, err = buildinfo.ReadFile(program); err != nil {
		return b, err
	}
	if b.programDigest, err = digest(program, sha256.New()); err != nil {
		return b, err
	}
	if b.programSHA1, err = digest(program, sha1.New()); err != nil {
		return b, err
	}
	b.archiveDigest, err = digest(archive, sha256.New())
	return b, err
}

// findBuilt finds the programs and archives in a folder that another program, such
// as goreleaser, has filled.
func findBuilt(dir string, src *source) ([]built, error) {
	programs := map[target]string{}
	archives := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		switch name := e.Name(); {
		case name == programName || name == programName+".exe":
			info, err := buildinfo.ReadFile(path)
			if err != nil {
				return err
			}
			programs[target{setting(info, "GOOS"), setting(info, "GOARCH")}] = path
		default:
			archives[name] = path
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []built
	for _, t := range targets {
		program, archive := programs[t], archives[t.archive(src.version)]
		if program == "" || archive == "" {
			return nil, fmt.Errorf("%s: there is no program for %s, or no archive %s", dir, t, t.archive(src.version))
		}
		b, err := describe(t, program, archive)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// billName is the file name of the bill of materials.
func billName(version string) string { return programName + "_" + bare(version) + ".spdx.json" }

// writeBill writes the bill of materials of all programs and archives.
func writeBill(name string, src *source, all []built) error {
	licences := map[string]string{}
	modules, err := linked(context.Background(), src)
	if err != nil {
		return err
	}
	for _, m := range append(modules, standardLibrary(src)) {
		if licences[m.Path], err = licenceOf(m); err != nil {
			return err
		}
	}
	doc := bill(src, all, licences)
	text, err := doc.encode()
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// bill puts the document together: a package for each archive, the program in it as
// a file, and what the program says it is made of as packages that it depends on.
func bill(src *source, all []built, licences map[string]string) *document {
	d := newDocument(src)
	seen := map[string]bool{}
	dependency := func(path, version, checksum string) string {
		id := spdxID("module", path, version)
		if seen[id] {
			return id
		}
		seen[id] = true
		p := newPackage(id, path, version, licences[path])
		p.DownloadLocation = "NOASSERTION"
		p.ExternalRefs = []externalRef{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path + "@" + strings.TrimPrefix(version, "go")}}
		if checksum != "" {
			p.Comment = "Go checksum " + checksum
		}
		d.Packages = append(d.Packages, p)
		return id
	}
	for _, b := range all {
		id := spdxID("archive", b.target.os, b.target.arch)
		p := newPackage(id, b.archive, bare(src.version), "Apache-2.0")
		p.FileName, p.DownloadLocation = b.archive, releaseURL(src.version)+"/"+b.archive
		p.Checksums = []checksum{{"SHA256", b.archiveDigest}}
		p.Supplier, p.Purpose = "Organization: "+programName, "APPLICATION"
		p.ExternalRefs = []externalRef{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + b.info.Main.Path + "@" + src.version}}
		d.Packages = append(d.Packages, p)
		d.relate("SPDXRef-DOCUMENT", "DESCRIBES", id)

		file := spdxID("program", b.target.os, b.target.arch)
		d.Files = append(d.Files, newFile(file, "./"+b.target.folder(src.version)+"/"+b.target.program(), b.programDigest, b.programSHA1))
		d.relate(file, "EXPANDED_FROM_ARCHIVE", id)
		d.relate(file, "STATIC_LINK", dependency("std", b.info.GoVersion, ""))
		for _, m := range b.info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			d.relate(file, "STATIC_LINK", dependency(m.Path, m.Version, m.Sum))
		}
	}
	slices.SortFunc(d.Packages, func(a, b spdxPackage) int { return strings.Compare(a.ID, b.ID) })
	return d
}
