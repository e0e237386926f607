//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// table prints the rows as Markdown.
func table(rows []*row) string {
	total := func(s sample) time.Duration { return s.tool + s.sync }
	var base time.Duration
	for _, r := range rows {
		if r.baseline {
			base = median(r.runs, total)
		}
	}
	var b strings.Builder
	b.WriteString("| tool | writes | seconds | of that, sync | × cp + BLAKE3 | peak RSS, MiB | peak anonymous, MiB | runs |\n")
	b.WriteString("|---|---|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range rows {
		t := median(r.runs, total)
		fmt.Fprintf(&b, "| %s | %s | %.2f | %.2f | %.2f | %d | %d | %d |\n", r.name, r.note, t.Seconds(),
			median(r.runs, func(s sample) time.Duration { return s.sync }).Seconds(), t.Seconds()/base.Seconds(),
			median(r.runs, func(s sample) int64 { return s.rss })>>20,
			median(r.runs, func(s sample) int64 { return s.anonymous })>>20, len(r.runs))
	}
	return b.String()
}

// machine describes where the figures come from.
func machine(o options) string {
	var b strings.Builder
	line := func(what, value string) {
		if value = strings.TrimSpace(value); value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", what, value)
		}
	}
	line("processor", fmt.Sprintf("%s, %d cores used", field("/proc/cpuinfo", "model name"), runtime.NumCPU()))
	line("memory", gib(field("/proc/meminfo", "MemTotal")))
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	line("kernel", string(kernel))
	line("file system", fileSystem(o.dir))
	load, _ := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(load)); len(f) > 1 {
		line("load before the run", f[0]+" (last minute), "+f[1]+" (last five)")
	}
	line("Go", runtime.Version())
	for _, c := range [][]string{{find("llvm-objcopy-22", "llvm-objcopy-19", "llvm-objcopy"), "--version"}, {find("wasm-strip"), "--version"}, {find("wasm-opt"), "--version"}} {
		if c[0] != "" {
			out, _ := exec.Command(c[0], c[1:]...).Output() // a tool without a version has no line
			line(filepath.Base(c[0]), version(string(out)))
		}
	}
	if o.sentry != "" {
		out, _ := exec.Command(find("node"), o.sentry, "--version").Output()
		line("sentry", version(string(out)))
	}
	return b.String()
}

var number = regexp.MustCompile(`\d+(\.\d+)*`)

// version returns the first number in a tool's answer.
func version(out string) string { return number.FindString(out) }

func field(file, name string) string {
	b, _ := os.ReadFile(file)
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func gib(kb string) string {
	n, _ := strconv.ParseFloat(strings.TrimSuffix(kb, " kB"), 64)
	return fmt.Sprintf("%.0f GiB", n/(1<<20))
}

func fileSystem(dir string) string {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return ""
	}
	names := map[int64]string{0xef53: "ext4", 0x58465342: "xfs", 0x9123683e: "btrfs", 0x01021994: "tmpfs", 0x794c7630: "overlayfs"}
	if name, ok := names[int64(s.Type)]; ok {
		return name
	}
	return fmt.Sprintf("type 0x%x", s.Type)
}

// digits separates thousands.
func digits(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
