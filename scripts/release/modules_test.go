package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestRecognise(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                                 "Apache-2.0",
		"Permission is hereby granted, free of\ncharge, to any person":                                 "MIT",
		"Redistribution and use in source and binary\nforms ... Neither the name of X nor":             "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with or without modification, are allowed": "BSD-2-Clause",
		"This is free and unencumbered software released into the public domain.":                      "Unlicense",
		"GNU GENERAL PUBLIC LICENSE Version 3":                                                         "",
		"":                                                                                             "",
	} {
		if got := recognise(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A module whose licence nobody has read stops the release.
func TestUnknownLicence(t *testing.T) {
	m := module{Path: "example.com/m", Version: "v1.0.0", Dir: t.TempDir()}
	if _, err := licenceOf(m); err == nil {
		t.Error("a module without a licence is accepted")
	}
	if err := os.WriteFile(filepath.Join(m.Dir, "COPYING"), []byte("Ask me first."), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := licenceOf(m); err == nil || !strings.Contains(err.Error(), "COPYING") {
		t.Errorf("an unknown licence: %v", err)
	}
}

// Every module that is linked into the program has a licence that is known, and its
// text is handed on.
func TestThirdParty(t *testing.T) {
	src := &source{dir: "../..", goVersion: runtime.Version()}
	root, err := src.output(context.Background(), "go", "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	src.goRoot = root
	text, err := thirdParty(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Go's standard library", "github.com/urfave/cli/v2 v2.", "github.com/tetratelabs/wazero v1.", "NOTICE"} {
		if !strings.Contains(text, want) {
			t.Errorf("the notices do not name %s", want)
		}
	}
}

func TestBill(t *testing.T) {
	src := &source{version: "v1.2.3", commit: "0123456789ab", time: testTime}
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "example.com/main"},
		Deps: []*debug.Module{
			{Path: "example.com/a", Version: "v1.0.0", Sum: "h1:a="},
			{Path: "example.com/b", Version: "v2.0.0", Replace: &debug.Module{Path: "example.com/c", Version: "v3.0.0"}},
		}}
	var all []built
	for _, t := range []target{{"linux", "amd64"}, {"windows", "arm64"}} {
		all = append(all, built{target: t, info: info, programDigest: "p" + t.os, archive: t.archive(src.version), archiveDigest: "a" + t.os})
	}
	d := bill(src, all, map[string]string{"example.com/a": "MIT"})
	text, err := d.encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"created": "2023-11-14T22:13:20Z"`,
		`releases/download/v1.2.3/wasm-debugid_1.2.3.spdx.json/0123456789ab"`,
		`"checksumValue": "awindows"`, `"fileName": "./wasm-debugid_1.2.3_windows_arm64/wasm-debugid.exe"`,
		`"comment": "Go checksum h1:a="`, `"licenseDeclared": "MIT"`, `"pkg:golang/example.com/c@v3.0.0"`, `"pkg:golang/std@1.26.8"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "example.com/b") {
		t.Error("a module that was replaced is listed")
	}
	if len(d.Packages) != 5 { // two archives, std, a, c
		t.Errorf("%d packages", len(d.Packages))
	}
	ids := map[string]bool{}
	for _, p := range d.Packages {
		if ids[p.ID] {
			t.Errorf("%s is there twice", p.ID)
		}
		ids[p.ID] = true
	}
}
