package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Release builds, which scripts/release makes, set these two:
// -ldflags "-X main.version=v1.2.3 -X main.commit=0123456789ab".
var (
	version = ""
	commit  = ""
)

// versionLine names the version, the commit if it is known, and the build.
func versionLine() string {
	v, from := version, commit
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" && info.Main.Version != "" && info.Main.Version != "(devel)" {
			v = info.Main.Version
		}
		from = cmp.Or(from, commitOf(info.Settings))
	}
	if v == "" {
		v = "(unreleased)"
	}
	if from != "" {
		from = "commit " + from + ", "
	}
	return fmt.Sprintf("%s %s (%s%s, %s/%s)", program, v, from, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// versionName returns the version for reports.
func versionName() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unreleased)"
}

// commitOf returns the commit that the program was built from, with a plus sign
// when files had been changed.
func commitOf(settings []debug.BuildSetting) string {
	commit, dirty := "", ""
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+"
			}
		}
	}
	if commit == "" {
		return ""
	}
	return commit + dirty
}
