package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// message is what a line of cargo's output may say.
type message struct {
	Reason       string   `json:"reason"`
	ManifestPath string   `json:"manifest_path"`
	Filenames    []string `json:"filenames"`
	Profile      struct {
		DebugInfo json.RawMessage `json:"debuginfo"`
	} `json:"profile"`
}

// cargoStream takes cargo's standard output: messages, one a line, and behind the
// last of them whatever the program prints that cargo runs.
type cargoStream struct {
	ctx   context.Context
	c     *Cargo
	line  cargoLine
	cargo string // path of cargo

	rest    []byte // an unfinished line
	built   bool   // cargo has built everything
	writing error  // of standard output

	mu     sync.Mutex // of the queue's end
	ended  bool
	queue  chan func() // what is to be done, in order
	worker sync.WaitGroup

	// The worker's.
	results []*Result
	reports []func()
	first   error // of a module
	failed  int
	dirs    *cargoDirs
}

// maxQueue is how many modules may wait to be split. Cargo waits if there are more.
const maxQueue = 4096

// newCargoStream starts the worker that splits.
func newCargoStream(ctx context.Context, c *Cargo, line cargoLine, cargo string) *cargoStream {
	s := &cargoStream{ctx: ctx, c: c, line: line, cargo: cargo, queue: make(chan func(), maxQueue)}
	s.worker.Go(func() {
		for do := range s.queue {
			do()
		}
	})
	return s
}

// later has the worker do something.
func (s *cargoStream) later(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.queue <- do
	}
}

// Write takes a piece of the output.
func (s *cargoStream) Write(p []byte) (int, error) {
	n := len(p)
	for !s.built {
		k := bytes.IndexByte(p, '\n')
		if k < 0 {
			s.rest = append(s.rest, p...)
			return n, nil
		}
		line := append(s.rest, p[:k+1]...)
		s.rest, p = s.rest[:0], p[k+1:]
		if err := s.take(line); err != nil {
			return 0, err
		}
	}
	if len(p) > 0 {
		if err := s.pass(p); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// pass passes output on.
func (s *cargoStream) pass(p []byte) error {
	if _, err := s.c.Stdout.Write(p); err != nil {
		s.writing = fmt.Errorf("writing standard output: %w", err)
		return s.writing
	}
	return nil
}

// take takes one line.
func (s *cargoStream) take(line []byte) error {
	var m message
	ours := line[0] == '{' && json.Unmarshal(line, &m) == nil && m.Reason != ""
	if !ours || s.line.json {
		if err := s.pass(line); err != nil {
			return err
		}
	}
	switch {
	case !ours:
	case m.Reason == "build-finished":
		s.built = true
		s.later(s.report)
	case m.Reason == "compiler-artifact":
		for _, path := range m.Filenames {
			if strings.HasSuffix(path, ".wasm") {
				s.later(func() { s.split(path, &m) })
			}
		}
	}
	return nil
}

// split splits one module.
func (s *cargoStream) split(path string, m *message) {
	j := Job{Path: path, KeepTime: true, Copies: s.copies(path, m.ManifestPath)}
	if d := string(m.Profile.DebugInfo); d == "0" || d == "null" {
		j.Warnings = []string{"cargo has built it without debug information, so that nothing of it resolves to a line: " +
			"set debug = true in its profile, as in [profile.release]"}
	}
	r, err := Split(s.ctx, s.c.Options, j)
	if err == nil {
		s.results = append(s.results, r)
	} else {
		s.failed++
		if s.first == nil {
			s.first = err
		}
	}
	if s.c.Report != nil && s.ctx.Err() == nil {
		s.reports = append(s.reports, func() { s.c.Report(path, r, err) })
	}
}

// report reports the modules of which nothing was said yet.
func (s *cargoStream) report() {
	for _, say := range s.reports {
		say()
	}
	s.reports = nil
}

// end takes what is left when cargo has ended, and waits for the worker.
func (s *cargoStream) end() {
	if len(s.rest) > 0 && s.writing == nil && s.ctx.Err() == nil {
		s.take(s.rest)
	}
	s.later(s.report)
	s.mu.Lock()
	s.ended = true
	close(s.queue)
	s.mu.Unlock()
	s.worker.Wait()
}
