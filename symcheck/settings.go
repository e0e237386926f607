package symcheck

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
)

// Client is whose needs a pair has to meet.
type Client string

// The clients.
const (
	Generic Client = "generic" // what the conventions ask for, and every client needs
	Sentry  Client = "sentry"  // takes the companion's own code start, and reads IDs raw
	Datadog Client = "datadog" // uploads files called *.wasm that hold DWARF
)

// ParseClient is the inverse of the client's text. The empty text is Generic.
func ParseClient(s string) (Client, error) {
	switch c := Client(s); c {
	case "":
		return Generic, nil
	case Generic, Sentry, Datadog:
		return c, nil
	}
	return "", fmt.Errorf("unknown client %q: it is generic, sentry or datadog", s)
}

// Settings are severities of rules by code, for rules that do not keep their own.
type Settings map[string]report.Severity

// Set takes a setting such as "WD112=warning"; the rule may be named by its name
// as well.
func (s Settings) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%q is not a setting of a rule: write CODE=error, warning, info or off", text)
	}
	rule, ok := FindRule(key)
	if !ok {
		return fmt.Errorf("there is no rule %q", key)
	}
	severity, err := report.ParseSeverity(value)
	if err != nil {
		return err
	}
	s[rule.Code] = severity
	return nil
}

// Classes of functions, in the order in which they are shown.
const (
	ClassUser    = "user"    // what somebody has written for the program
	ClassRuntime = "runtime" // of a C library or a language's, by the name; or without name and debug information
	ClassGlue    = "glue"    // made by the linker or a tool: stubs, thunks, constructors
)

var classes = [...]string{ClassUser, ClassRuntime, ClassGlue}

// Thresholds are the least coverage in per cent that a class needs: the share of
// reportable points that resolve to a file and a line.
type Thresholds map[string]float64

// DefaultUserCoverage is the least coverage of the class user where no other is
// set, in per cent.
const DefaultUserCoverage = 50

// ParseThresholds parses "95", which is for the class user, or
// "user=95,runtime=0".
func ParseThresholds(text string) (Thresholds, error) {
	t := Thresholds{}
	for part := range strings.SplitSeq(text, ",") {
		class, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			class, value = ClassUser, class
		}
		if err := t.set(class, strings.TrimSuffix(value, "%")); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t Thresholds) set(class, value string) error {
	p, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fmt.Errorf("%q is not a percentage", value)
	}
	return t.put(class, p)
}

func (t Thresholds) put(class string, p float64) error {
	if math.IsNaN(p) || p < 0 || p > 100 {
		return fmt.Errorf("a coverage of %v per cent is not possible", p)
	}
	if !slices.Contains(classes[:], class) {
		return fmt.Errorf("there is no class %q: it is user, runtime or glue", class)
	}
	t[class] = p
	return nil
}

// of returns the threshold of a class.
func (t Thresholds) of(class string) float64 {
	if p, ok := t[class]; ok {
		return p
	}
	if class == ClassUser {
		return DefaultUserCoverage
	}
	return 0
}

// Options steer a check. The zero value checks everything for every client.
type Options struct {
	For         Client
	Rules       Settings
	MinCoverage Thresholds
	Loops       bool // count loops as reportable points too: engines may report one when they interrupt
	Workers     int  // goroutines; 0: one for each processor

	// RequireID makes a missing build ID an error in a single module as well, and
	// ForbidDWARF makes DWARF in one an error.
	RequireID, ForbidDWARF bool

	// PairOnly leaves out everything that has to read DWARF or to hash files.
	PairOnly bool
	// Planned says that the files were planned by this very process and are not on
	// disk yet: digests that were computed for the plan are not computed again, and
	// paths are compared by name.
	Planned bool

	// Debug says what else to read with the DWARF: .dwo and .dwp files, a source
	// map, a symbol map. Path and Production are set by the check.
	Debug debugfile.Options
}
