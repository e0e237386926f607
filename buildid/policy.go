package buildid

import (
	"fmt"
)

// Mode is what a Policy does.
type Mode int

// The modes of --build-id.
const (
	ModeAuto    Mode = iota // keep an ID unless it is known to be out of date; derive one where there is none
	ModeKeep                // keep the ID whatever has happened to the file
	ModeContent             // derive the ID from the content
	ModeRandom              // take a random UUID
	ModeGiven               // take the ID that the policy holds
)

var modeNames = [...]string{"auto", "keep", "content", "random", "given"}

// String returns the mode in one lower-case word.
func (m Mode) String() string {
	if m < 0 || int(m) >= len(modeNames) {
		return fmt.Sprintf("mode %d", int(m))
	}
	return modeNames[m]
}

// Policy says which ID a file shall have. The zero value is auto.
type Policy struct {
	Mode Mode
	ID   ID // for ModeGiven
}

// String returns what ParsePolicy accepts for the policy.
func (p Policy) String() string {
	if p.Mode == ModeGiven {
		return p.ID.String()
	}
	return p.Mode.String()
}

// ParsePolicy parses "auto", "keep", "content", "random" or an ID as ParseID
// accepts it. The empty string is auto.
func ParsePolicy(s string) (Policy, error) {
	switch s {
	case "", "auto":
		return Policy{}, nil
	case "keep":
		return Policy{Mode: ModeKeep}, nil
	case "content":
		return Policy{Mode: ModeContent}, nil
	case "random", "uuid":
		return Policy{Mode: ModeRandom}, nil
	case "fast", "sha1", "tree", "none":
		return Policy{}, fmt.Errorf("build id policy %q: only the linker can make such an id; "+
			"use auto, keep, content, random or an id in hexadecimal", s)
	}
	id, err := ParseID(s)
	if err != nil {
		return Policy{}, fmt.Errorf("build id policy: expected auto, keep, content, random or an id: %w", err)
	}
	return Policy{Mode: ModeGiven, ID: id}, nil
}
