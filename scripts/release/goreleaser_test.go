package main

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// goreleaserConfig is what of .goreleaser.yaml decides on the files of a release.
type goreleaserConfig struct {
	Version     int
	ProjectName string `yaml:"project_name"`
	Before      struct{ Hooks []string }
	Builds      []struct {
		ID, Main, Binary                                            string
		GOOS, GOARCH, GOAMD64, GOARM64, Env, Flags, LDFlags, Ignore []string
	}
	Archives []struct {
		IDs, Formats []string
		NameTemplate string `yaml:"name_template"`
		Wrap         bool   `yaml:"wrap_in_directory"`
		Files        []struct {
			Src, Dst    string
			StripParent bool `yaml:"strip_parent"`
		}
	}
	SBOMs    []struct{ Documents []string }
	Checksum struct {
		NameTemplate string `yaml:"name_template"`
		Algorithm    string
	}
}

// The configuration of goreleaser and this script make the same release: platforms,
// names, flags, and what the archives hold.
func TestGoreleaserAgrees(t *testing.T) {
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c goreleaserConfig
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	const version, commit = "v1.2.3", "0123456789ab"
	fill := func(text string, at target) string {
		t.Helper()
		p, err := template.New("").Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := p.Execute(&b, map[string]any{"ProjectName": c.ProjectName, "Version": bare(version), "Tag": version, "FullCommit": commit + "cdef",
			"Os": at.os, "Arch": at.arch, "IsSnapshot": false, "IsGitDirty": false}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	equal := func(what string, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-script +goreleaser):\n%s", what, diff)
		}
	}

	equal("hooks", []string{"go run ./scripts/release -extras extras"}, []string{fill(strings.Join(c.Before.Hooks, "; "), target{})})
	equal("checksums", []string{sumsName, "sha256"}, []string{c.Checksum.NameTemplate, c.Checksum.Algorithm})
	if len(c.SBOMs) != 1 || len(c.SBOMs[0].Documents) != 1 {
		t.Fatal("there must be one bill of materials")
	}
	equal("bill of materials", billName(version), fill(c.SBOMs[0].Documents[0], target{}))

	var seen []string
	for _, b := range c.Builds {
		if b.Main != "./cmd/"+programName || b.Binary != programName || len(b.Ignore) > 0 {
			t.Errorf("build %s: %+v", b.ID, b)
		}
		for _, goos := range b.GOOS {
			for _, arch := range b.GOARCH {
				at := target{goos, arch}
				seen = append(seen, at.String())
				env := append(slices.Clone(b.Env), "GOOS="+goos, "GOARCH="+arch, "GOAMD64="+strings.Join(b.GOAMD64, " "), "GOARM64="+strings.Join(b.GOARM64, " "))
				equal("environment of "+at.String(), slices.Sorted(slices.Values(buildEnv(at))), slices.Sorted(slices.Values(env)))
				flags := append(slices.Clone(b.Flags), "-ldflags="+fill(strings.Join(b.LDFlags, " "), at))
				equal("flags of "+at.String(), buildFlags(version, commit), flags)

				found := false
				for _, a := range c.Archives {
					if !slices.Contains(a.IDs, b.ID) {
						continue
					}
					found = true
					equal("archive of "+at.String(), at.archive(version), fill(a.NameTemplate, at)+"."+strings.Join(a.Formats, "."))
					if !a.Wrap {
						t.Error("the archive does not unpack to a folder of its own")
					}
					files := []string{at.program()}
					for _, f := range a.Files {
						name := path.Join(f.Dst, path.Base(f.Src))
						if f.Src != path.Join("extras", name) || !f.StripParent {
							t.Errorf("%+v", f)
						}
						files = append(files, name)
					}
					equal("contents for "+at.String(), names(t, at), slices.Sorted(slices.Values(files)))
				}
				if !found {
					t.Errorf("%s is in no archive", at)
				}
			}
		}
	}
	var want []string
	for _, at := range targets {
		want = append(want, at.String())
	}
	equal("platforms", want, slices.Sorted(slices.Values(seen)))
}

// names lists what the script puts into an archive.
func names(t *testing.T, at target) []string {
	t.Helper()
	dir := t.TempDir()
	all := append(slices.Clone(copied), noticesName, at.program())
	for _, m := range made {
		all = append(all, m.path)
	}
	for _, name := range all {
		if err := writeFile(filepath.Join(dir, name), nil); err != nil {
			t.Fatal(err)
		}
	}
	list, err := contents(&source{}, at, filepath.Join(dir, at.program()), dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.name)
	}
	return slices.Sorted(slices.Values(out))
}
