package hook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// cargoLine is cargo's command line as it is run.
type cargoLine struct {
	args     []string
	builds   bool     // it is there to build modules, and it is a mistake if it builds none
	json     bool     // the caller has asked for messages and gets them
	exported []string // folders that cargo puts further links into
	config   []string // options with settings of cargo, for another run of it
	target   string   // the folder for results, if an option names one
}

// cargoCommands are the commands of cargo that build what can be split, and whether
// that is what they are for.
var cargoCommands = map[string]bool{
	"build": true, "b": true, "rustc": true,
	"run": false, "r": false, "test": false, "t": false, "bench": false,
}

// cargoValues are the options in front of a command that have a value of their own.
var cargoValues = []string{"--color", "--config", "-Z", "-C"}

// parseCargoArgs puts the message format into cargo's arguments.
func parseCargoArgs(args []string) (cargoLine, error) {
	at := 0
	var config []string
	for at < len(args) && (strings.HasPrefix(args[at], "-") || strings.HasPrefix(args[at], "+")) {
		if value, ok := strings.CutPrefix(args[at], "--config="); ok {
			config = append(config, "--config", value)
		}
		if slices.Contains(cargoValues, args[at]) {
			if args[at] == "--config" && at+1 < len(args) {
				config = append(config, args[at:at+2]...)
			}
			at++
		}
		at++
	}
	if at >= len(args) {
		return cargoLine{}, &rewrite.UsageError{Msg: "name the command of cargo, such as build --release --target wasm32-unknown-unknown"}
	}
	builds, known := cargoCommands[args[at]]
	if !known {
		return cargoLine{}, &rewrite.UsageError{Msg: fmt.Sprintf(
			"cargo %s builds nothing that could be split; build, rustc, run, test and bench do (an alias of cargo has to be written out)", args[at])}
	}
	line := cargoLine{args: slices.Clone(args[:at+1]), builds: builds, config: config}
	var formats []string
	rest := args[at+1:]
	for i := 0; i < len(rest); i++ {
		a := rest[i]
		if a == "--" {
			line.args = append(line.args, rest[i:]...)
			break
		}
		name, value, attached := strings.Cut(a, "=")
		switch name {
		case "--help", "-h":
			line.builds = false
		case "--message-format", "--artifact-dir", "--out-dir", "--config", "--target-dir":
			if !attached {
				if i+1 == len(rest) {
					break // cargo says that the value is missing
				}
				i++
				value = rest[i]
			}
			a = name + "=" + value
			switch name {
			case "--message-format":
				formats = append(formats, value)
				continue
			case "--config":
				line.config = append(line.config, name, value)
			case "--target-dir":
				line.target = value
			default:
				line.exported = append(line.exported, value)
			}
		}
		line.args = append(line.args, a)
	}
	format := strings.Join(formats, ",")
	line.json = strings.Contains(strings.ToLower(format), "json")
	switch strings.ToLower(format) {
	case "short":
		format = "json-render-diagnostics,json-diagnostic-short"
	case "human":
		format = "json-render-diagnostics"
	case "":
		if formats == nil {
			format = "json-render-diagnostics"
		}
	}
	// Anything else is cargo's: JSON as the caller wants it, or what it rejects.
	line.args = slices.Insert(line.args, at+1, "--message-format="+format)
	return line, nil
}
