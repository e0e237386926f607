package main

import (
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long work must take before it is worth a bar.
const progressDelay = 500 * time.Millisecond

// progress shows long work on a terminal. Elsewhere, with --quiet, and for short
// work it shows nothing.
type progress struct {
	mu    sync.Mutex
	on    bool
	w     io.Writer
	now   func() time.Time
	start time.Time
	color bool

	bar   *progressbar.ProgressBar
	label string
	total int64 // bytes of this phase; -1 if that is not known
	done  int64
}

func (s *streams) newProgress() *progress {
	p := &progress{on: s.errTTY && !s.quiet, w: s.stderr, now: time.Now, color: s.paintErr().on, label: "reading", total: -1}
	p.start = p.now()
	return p
}

// read counts bytes of the input that were read for hashing.
func (p *progress) read(n int64) { p.add(n) }

// wrote counts bytes of the outputs that were written.
func (p *progress) wrote(n int64) { p.add(n) }

func (p *progress) add(n int64) {
	if !p.on {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if p.bar == nil {
		if p.now().Sub(p.start) < progressDelay {
			return
		}
		p.bar = progressbar.NewOptions64(p.total,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(p.label), progressbar.OptionShowBytes(true),
			progressbar.OptionUseIECUnits(true), progressbar.OptionEnableColorCodes(p.color), progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	// A bar that cannot be drawn is no reason to fail.
	_ = p.bar.Set64(p.shown())
}

// shown keeps a bar below its end until the work is over: sizes of files that turn
// out to be unchanged are never written.
func (p *progress) shown() int64 {
	if p.total > 0 {
		return min(p.done, p.total-1)
	}
	return p.done
}

// writing begins the phase that writes total bytes.
func (p *progress) writing(total int64) {
	p.pause()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.label, p.total, p.done = "writing", total, 0
	if total == 0 {
		p.total = -1
	}
}

// pause removes the bar, so that messages can be printed. It comes back with the
// next bytes.
func (p *progress) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

// stop removes the bar for good.
func (p *progress) stop() {
	p.pause()
	p.mu.Lock()
	p.on = false
	p.mu.Unlock()
}
