package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by release builds: -ldflags "-X main.version=v1.2.3".
var version = ""

// versionLine names the version, the commit if it is known, and the build.
func versionLine() string {
	v, commit := version, ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" && info.Main.Version != "" && info.Main.Version != "(devel)" {
			v = info.Main.Version
		}
		commit = commitOf(info.Settings)
	}
	if v == "" {
		v = "(unreleased)"
	}
	if commit != "" {
		commit = "commit " + commit + ", "
	}
	return fmt.Sprintf("%s %s (%s%s, %s/%s)", program, v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
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
