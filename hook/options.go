package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/conformance"
	"github.com/wasm-debugid/wasm-debugid/hook/doctor"
	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// Variables that steer a hook. Those that command-line flags have as well mean the
// same in both places.
const (
	VarHook              = "WASM_DEBUGID_HOOK"                // on or off; off splits nothing
	VarOut               = "WASM_DEBUGID_OUT"                 // folder for companions; {id} in it is the build ID
	VarBuildID           = "WASM_DEBUGID_BUILD_ID"            // as split --build-id
	VarNormalizeBuildID  = "WASM_DEBUGID_NORMALIZE_BUILD_ID"  // a switch
	VarCompanionKind     = "WASM_DEBUGID_COMPANION_KIND"      // full, symbols or none
	VarStripNames        = "WASM_DEBUGID_STRIP_NAMES"         // a switch
	VarKeep              = "WASM_DEBUGID_KEEP"                // patterns, one a line
	VarRemove            = "WASM_DEBUGID_REMOVE"              // patterns, one a line
	VarExternalURL       = "WASM_DEBUGID_EXTERNAL_URL"        // a URL, or none
	VarAllowBindgenInput = "WASM_DEBUGID_ALLOW_BINDGEN_INPUT" // a switch
	VarCheck             = "WASM_DEBUGID_CHECK"               // a switch: the pair must pass the check
	VarMinCoverage       = "WASM_DEBUGID_MIN_COVERAGE"        // as check --min-coverage; turns the check on
	VarRule              = "WASM_DEBUGID_RULE"                // as check --rule, one a line
	VarFor               = "WASM_DEBUGID_FOR"                 // as check --for
	VarConfig            = "WASM_DEBUGID_CONFIG"              // the configuration file of the check
)

// Options say how modules are split. The zero value is the default of everything.
type Options struct {
	rewrite.Options // Pointer is set by Split

	// Off leaves everything as it is.
	Off bool
	// CompanionDir is the folder that companions go to, which is made if it is not
	// there; empty for beside the module. IDPlaceholder in it stands for the build
	// ID, so that the companions of all builds can be kept.
	CompanionDir string
	// URL is what external_debug_info holds: empty for the companion's relative path,
	// debugid.NoURL for no such section, or a URL.
	URL string
	// Check has every pair checked before it is written, and refuses to write one
	// that does not pass; nil for no more than the promises of every split.
	Check *symcheck.Options
}

// IDPlaceholder in Options.CompanionDir stands for the build ID.
const IDPlaceholder = "{id}"

// ReadOptions reads the options from variables. What a variable says that cannot
// be understood is a *rewrite.UsageError, because a build that ignores a setting
// ships what was not meant.
//
// The settings of the check are looked at also without one, unless the hook is off.
// The file that WASM_DEBUGID_CONFIG names is read, or else, with a check,
// .wasm-debugid.json in the working directory if it is there; the variables win
// over the file.
func ReadOptions(getenv func(name string) string) (Options, error) {
	e := environment{getenv: getenv}
	o := Options{CompanionDir: getenv(VarOut), URL: getenv(VarExternalURL)}
	switch v := getenv(VarHook); v {
	case "", "on":
	case "off":
		o.Off = true
	default:
		e.fail(VarHook, errors.New("it is on or off"))
	}
	o.NormalizeBuildID = e.on(VarNormalizeBuildID, false)
	o.StripNames = e.on(VarStripNames, false)
	o.AllowBindgenInput = e.on(VarAllowBindgenInput, false)
	o.Keep, o.Remove = e.lines(VarKeep), e.lines(VarRemove)
	var err error
	if o.BuildID, err = buildid.ParsePolicy(getenv(VarBuildID)); err != nil {
		e.fail(VarBuildID, err)
	}
	if kind := getenv(VarCompanionKind); kind != "" {
		if o.Companion, err = rewrite.ParseCompanionKind(kind); err != nil {
			e.fail(VarCompanionKind, err)
		}
	}
	if o.Companion == rewrite.CompanionNone && o.CompanionDir != "" {
		e.fail(VarOut, errors.New("it names a folder for companions, but "+VarCompanionKind+" is none; unset one of them"))
	}
	// Nonsense is an error also where no check is asked for, so that it does not come
	// to light only when one is.
	if checks := e.on(VarCheck, getenv(VarMinCoverage) != ""); checks {
		o.Check = e.check(true)
	} else if !o.Off {
		e.check(false)
	}
	return o, e.err
}

// environment reads variables and keeps the first error.
type environment struct {
	getenv func(string) string
	err    error
}

func (e *environment) fail(name string, err error) {
	if e.err == nil {
		e.err = &rewrite.UsageError{Msg: fmt.Sprintf("the variable %s is %q: %v", name, e.getenv(name), err)}
	}
}

// on reads a switch.
func (e *environment) on(name string, otherwise bool) bool {
	switch text := e.getenv(name); text {
	case "":
		return otherwise
	default:
		v, err := strconv.ParseBool(text)
		if err != nil {
			e.fail(name, errors.New("a switch is true or false"))
		}
		return v
	}
}

// lines reads a list of one value a line.
func (e *environment) lines(name string) []string {
	var out []string
	for line := range strings.SplitSeq(e.getenv(name), "\n") {
		if line = strings.TrimSuffix(line, "\r"); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// check reads the settings of the check. Only one that is made looks for a
// configuration file that no variable names.
func (e *environment) check(made bool) *symcheck.Options {
	o := &symcheck.Options{Rules: symcheck.Settings{}}
	if err := e.config(o, made); err != nil && e.err == nil {
		e.err = err
	}
	for _, text := range e.lines(VarRule) {
		name, _, _ := strings.Cut(text, "=")
		if ofOtherCommand(name) {
			continue
		}
		if err := o.Rules.Set(text); err != nil {
			e.fail(VarRule, err)
		}
	}
	var err error
	if v := e.getenv(VarFor); v != "" {
		if o.For, err = symcheck.ParseClient(v); err != nil {
			e.fail(VarFor, err)
		}
	}
	if v := e.getenv(VarMinCoverage); v != "" {
		least, err := symcheck.ParseThresholds(v)
		if err != nil {
			e.fail(VarMinCoverage, err)
		}
		if o.MinCoverage == nil {
			o.MinCoverage = symcheck.Thresholds{}
		}
		for class, percent := range least {
			o.MinCoverage[class] = percent
		}
	}
	return o
}

// ofOtherCommand reports whether a rule is one of conform or doctor, for which the
// variable and the configuration file are as well.
func ofOtherCommand(rule string) bool {
	_, conform := conformance.FindRule(rule)
	_, examine := doctor.FindRule(rule)
	return conform || examine
}

// config applies the configuration file. Only one that is named must exist.
func (e *environment) config(o *symcheck.Options, made bool) error {
	name, named := e.getenv(VarConfig), true
	if name == "" {
		if !made {
			return nil
		}
		name, named = symcheck.ConfigName, false
	}
	f, _, err := regular.Open(name)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := o.ReadConfig(f, conformance.FindRule, doctor.FindRule); err != nil {
		return &rewrite.UsageError{Msg: name + ": " + err.Error()}
	}
	return nil
}
