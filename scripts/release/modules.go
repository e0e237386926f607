package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is somebody else's code that is linked into the program.
type module struct {
	Path, Version, Dir string
}

// linked returns the modules that are linked into the program on any platform, in
// the order of their paths.
func linked(ctx context.Context, src *source) ([]module, error) {
	seen := map[string]module{}
	for _, t := range targets {
		c := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", "./cmd/"+programName)
		c.Dir = src.dir
		c.Env = append(os.Environ(), buildEnv(t)...)
		out, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", t, err)
		}
		for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct {
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := dec.Decode(&p); err == io.EOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list for %s: %w", t, err)
			}
			if m := p.Module; m != nil && !m.Main {
				seen[m.Path] = module{m.Path, m.Version, m.Dir}
			}
		}
	}
	var list []module
	for _, m := range seen {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// standardLibrary is Go's own code as a module. Its licence asks for its text in
// programs as well.
func standardLibrary(src *source) module {
	return module{Path: "std", Version: src.goVersion, Dir: src.goRoot}
}

// licenceFile is the name of a file with a licence or with notices that go with it.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying|patents)([-.].*)?$`)

// licenceTexts returns the licence of a module and its notices by file name.
func licenceTexts(m module) (names []string, texts map[string]string, err error) {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, nil, fmt.Errorf("the licence of %s: %w", m.Path, err)
	}
	texts = map[string]string{}
	for _, e := range entries {
		if !licenceFile.MatchString(e.Name()) || e.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return nil, nil, err
		}
		names = append(names, e.Name())
		texts[e.Name()] = strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
	return names, texts, nil
}

// licenceOf returns the SPDX identifier (https://spdx.org/licenses) of a module's
// licence. One that is not known here stops the release: somebody has to read it.
func licenceOf(m module) (string, error) {
	names, texts, err := licenceTexts(m)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if id := recognise(texts[name]); id != "" {
			return id, nil
		}
	}
	return "", fmt.Errorf("%s %s has no licence that is known here (looked at %v in %s): read it, and add it to recognise in scripts/release or drop the module",
		m.Path, m.Version, names, m.Dir)
}

// recognise returns the SPDX identifier of a licence by what only its text says.
func recognise(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	has := func(part string) bool { return strings.Contains(strings.ToLower(text), part) }
	switch {
	case has("apache license") && has("version 2.0"):
		return "Apache-2.0"
	case has("permission is hereby granted, free of charge"):
		return "MIT"
	case has("this is free and unencumbered software released into the public domain"):
		return "Unlicense"
	case has("redistribution and use in source and binary forms") && has("neither the name"):
		return "BSD-3-Clause"
	case has("redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	}
	return ""
}

// thirdParty returns the licences of all that is linked into the program, which
// most of them ask to be handed on with it.
func thirdParty(ctx context.Context, src *source) (string, error) {
	modules, err := linked(ctx, src)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is licensed under the Apache License 2.0, see LICENSE. The programs of a release\nalso contain the code that is listed here, each part under its own licence.\n", programName)
	for _, m := range append([]module{standardLibrary(src)}, modules...) {
		id, err := licenceOf(m)
		if err != nil {
			return "", err
		}
		names, texts, err := licenceTexts(m)
		if err != nil {
			return "", err
		}
		title := m.Path + " " + m.Version
		if m.Path == "std" {
			title = "Go's standard library and runtime, " + m.Version
		}
		for _, name := range names {
			fmt.Fprintf(&b, "\n%s\n%s (%s), %s\n\n%s\n", strings.Repeat("=", 80), title, id, name, texts[name])
		}
	}
	return b.String(), nil
}
