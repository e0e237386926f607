package buildid

import (
	"context"
	"errors"
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// DecideOptions are the options of Decide.
type DecideOptions struct {
	Options
	// Normalize rewrites a kept ID's section into the convention's form.
	Normalize bool
	// Measure, if set, supplies the measurement of the file when a content ID has
	// to be judged, so that a caller that needs it as well hashes only once.
	Measure func() (*Measurement, error)
}

// Decision is the ID that a file shall have, and why.
type Decision struct {
	ID        ID
	Kept      bool     // the file holds this ID already, in Section, which stays where it is
	Section   *Section // the section that stays; nil unless Kept
	Normalize bool     // Section's payload has to be replaced by Payload
	Payload   []byte   // what the one build_id section shall contain
	Reason    string   // one sentence, without a full stop
	Warnings  []string // what a user should know, one sentence each
	Verdict   Verdict  // judgement of the file's own ID, where one was needed
}

// Decide applies a policy to a file. derive is called at most once, and only if
// an ID has to be derived from the content; it returns the content ID of what
// will be written.
//
// Different IDs in one file are refused under every policy (ErrConflict), as are,
// where an ID is to be kept, a malformed section (ErrMalformed) and, under
// ModeKeep, an absent one (ErrAbsent). Sections beyond Section are to be removed.
func Decide(ctx context.Context, f *wasm.File, p Policy, derive func() (ID, error), o DecideOptions) (Decision, error) {
	found, err := Read(f)
	if err != nil {
		return Decision{}, err
	}
	if found.Status == StatusConflict {
		return Decision{}, fmt.Errorf("%w; remove all of them but one", found.Err())
	}
	d := &decider{ctx: ctx, f: f, found: found, derive: derive, o: o}
	switch p.Mode {
	case ModeAuto:
		err = d.auto()
	case ModeKeep:
		err = d.keepAlways()
	case ModeContent:
		if err = d.content("the id is derived from the content, as asked"); err == nil {
			d.settle()
		}
	case ModeRandom:
		d.ID, err = Random()
		d.Reason = "the id is random, as asked"
		d.Warnings = append(d.Warnings, "a random id makes every build different; use content for builds that can be repeated")
		d.settle()
	case ModeGiven:
		if len(p.ID) == 0 {
			return Decision{}, errors.New("build id policy: the given id is empty")
		}
		d.ID = p.ID
		d.Reason = "the id was given"
		if len(p.ID) < 16 {
			d.Warnings = append(d.Warnings, shortWarning(len(p.ID)))
		}
		d.settle()
	default:
		err = fmt.Errorf("build id policy: unknown %v", p.Mode)
	}
	if err != nil {
		return Decision{}, err
	}
	return d.Decision, nil
}

type decider struct {
	Decision
	ctx    context.Context
	f      *wasm.File
	found  Found
	derive func() (ID, error)
	o      DecideOptions
}

func (d *decider) auto() error {
	switch d.found.Status {
	case StatusAbsent:
		return d.content("the file has no id; one is derived from the content")
	case StatusMalformed:
		return d.malformed()
	}
	measure := d.o.Measure
	if measure == nil {
		measure = func() (*Measurement, error) { return Measure(d.ctx, d.f, d.o.Options) }
	}
	var err error
	if d.Verdict, err = judge(d.ctx, d.f, d.found, d.o.Options, measure); err != nil {
		return err
	}
	old := d.found.ID
	switch {
	case d.Verdict.Freshness == Fresh:
		d.keep("the file's id is fresh: " + d.Verdict.Reason)
	case d.Verdict.Freshness == Changed && d.f.HasDebug():
		if err := d.content(fmt.Sprintf("the file's id %v is out of date (%s); a new one is derived from the content",
			shortID(old), d.Verdict.Reason)); err != nil {
			return err
		}
		d.Warnings = append(d.Warnings, fmt.Sprintf("build id %v is replaced by %v, because the file has changed since it was made; "+
			"--build-id=keep keeps it", shortID(old), d.ID))
		d.settle()
	case d.Verdict.Freshness == Changed:
		d.keep("the file has changed since its id was made, but its DWARF is gone: " +
			"a companion with the same id may exist elsewhere, so the id stays")
		d.Warnings = append(d.Warnings, "the file has changed since its id was made and holds no DWARF; "+
			"the id is kept for the companion that carries it")
	default:
		d.keep("the file's id is kept; whether it is fresh cannot be told: " + d.Verdict.Reason)
	}
	return nil
}

func (d *decider) keepAlways() error {
	switch d.found.Status {
	case StatusAbsent:
		return fmt.Errorf("%w to keep in this file; --build-id=auto or content derives one", ErrAbsent)
	case StatusMalformed:
		return d.malformed()
	}
	d.Verdict = Verdict{Scheme: SchemeOf(d.found.ID), Reason: "not judged, because the id is kept anyway"}
	d.keep("the file's id is kept, as asked")
	return nil
}

func (d *decider) malformed() error {
	return fmt.Errorf("%w; --build-id=content or an id replaces it", d.found.Err())
}

// content derives the ID.
func (d *decider) content(reason string) error {
	id, err := d.derive()
	if err != nil {
		return fmt.Errorf("deriving the build id: %w", err)
	}
	if len(id) == 0 {
		return errors.New("deriving the build id: the result is empty")
	}
	d.ID, d.Reason, d.Payload = id, reason, Encode(id)
	return nil
}

// keep takes the file's own ID in its own form.
func (d *decider) keep(reason string) {
	s := d.found.First()
	d.ID, d.Kept, d.Section, d.Payload, d.Reason = d.found.ID, true, s, s.Payload, reason
	d.duplicates()
	if len(d.ID) < 16 {
		d.Warnings = append(d.Warnings, shortWarning(len(d.ID)))
	}
	if !s.Minimal() && d.o.Normalize {
		d.Normalize, d.Payload = true, Encode(d.ID)
		d.Warnings = append(d.Warnings, "the build_id section is rewritten in the convention's form; "+
			"clients that show the whole section will show another id than before")
		return
	}
	if s.Note != "" {
		w := s.Note
		if !s.Minimal() {
			w += "; --normalize-build-id rewrites it"
		}
		d.Warnings = append(d.Warnings, w)
	}
}

// settle completes a decision for an ID that comes from elsewhere: where the
// file holds the same one already, its section stays.
func (d *decider) settle() {
	d.Payload = Encode(d.ID)
	switch {
	case d.found.Status == StatusMalformed:
		d.Warnings = append(d.Warnings, fmt.Sprintf("a build_id section that cannot be read is replaced: %v", d.found.Err()))
	case d.found.ID == nil:
	case d.found.ID.Equal(d.ID):
		d.Section, d.Kept = d.found.First(), true
		d.Normalize = !d.Section.Minimal()
		d.duplicates()
	}
}

func (d *decider) duplicates() {
	if n := len(d.found.Sections); n > 1 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("the file holds its build id %d times; one section stays", n))
	}
}

func shortWarning(n int) string {
	return fmt.Sprintf("an id of %d bytes is too short for some backends: with less than 16 bytes in the section "+
		"Sentry's tools find no id, and its SDK fills up with zeros", n)
}
