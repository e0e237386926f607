package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// reportFile is a file that a report is written to.
type reportFile struct{ flag, path string }

// guardReports refuses reports that would replace each other, or what the command reads
// (a scenario, the linker's output, a module), before anything is done. Of companions
// that are found and of modules in a directory only the report itself knows; see
// writeReport.
func (c *call) guardReports(further []furtherReport) error {
	var files []reportFile
	if name := c.String("output"); name != "" && name != debugid.Stdio {
		files = append(files, reportFile{"output", name})
	}
	for _, f := range further {
		files = append(files, reportFile{"report", f.path})
	}
	checked := c.Args().Slice()
	read := append([]string{symcheck.ConfigName}, checked...)
	for i := range c.args.command.options {
		switch o := &c.args.command.options[i]; {
		case !o.file || o.name() == "output":
		case o.many:
			read = append(read, c.list(o.name())...)
		default:
			read = append(read, c.String(o.name()))
		}
	}
	for i, f := range files {
		info, err := os.Stat(f.path)
		if err == nil && !info.Mode().IsRegular() {
			continue // a pipe or a device, of which nothing is lost
		}
		for _, before := range files[:i] {
			other, err := os.Stat(before.path)
			if filepath.Clean(before.path) == filepath.Clean(f.path) || err == nil && info != nil && os.SameFile(info, other) {
				return &usageError{"two reports would be written to " + f.path, "give each a file of its own"}
			}
		}
		for _, path := range read {
			if other, err := os.Stat(path); err == nil && info != nil && os.SameFile(info, other) {
				what := "read"
				if slices.Contains(checked, path) {
					what = "checked"
				}
				return &usageError{fmt.Sprintf("--%s: %s is a file that is %s, and the report would replace it", f.flag, f.path, what), "name another file"}
			}
		}
	}
	return nil
}
