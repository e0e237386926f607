//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sample is one run of a row.
type sample struct {
	tool, sync time.Duration // of the commands, and of writing through what they left to write
	rss        int64         // peak, with pages of mapped files
	anonymous  int64         // peak, without them
}

// slow is the time from which a tool gets fewer runs.
const slow = 20 * time.Second

// measureAll runs all rows in turn, round by round.
func measureAll(rows []*row, input string, runs int) error {
	for round := range runs {
		for _, r := range rows {
			if round >= 1 && r.runs[0].tool > slow || round >= 3 && r.runs[0].tool > slow/4 {
				continue
			}
			s, err := r.run(input)
			if err != nil {
				return err
			}
			r.runs = append(r.runs, s)
		}
	}
	return nil
}

func (r *row) run(input string) (sample, error) {
	var s sample
	for _, path := range r.outputs {
		if err := os.RemoveAll(path); err != nil {
			return s, err
		}
	}
	if err := warm(input); err != nil {
		return s, err
	}
	if err := exec.Command("sync").Run(); err != nil { // what others left to write is not this row's
		return s, err
	}
	start := time.Now()
	for _, args := range r.commands {
		rss, anonymous, err := command(args)
		if err != nil {
			return s, err
		}
		s.rss, s.anonymous = max(s.rss, rss), max(s.anonymous, anonymous)
	}
	s.tool = time.Since(start)
	start = time.Now()
	for _, path := range r.outputs {
		if err := fsync(path); err != nil {
			return s, fmt.Errorf("%s: %w", r.name, err)
		}
	}
	s.sync = time.Since(start)
	return s, nil
}

// command runs a program and samples its anonymous memory.
func command(args []string) (rss, anonymous int64, err error) {
	c := exec.Command(args[0], args[1:]...)
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	if err := c.Start(); err != nil {
		return 0, 0, err
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				return 0, 0, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, output.Bytes())
			}
			usage, _ := c.ProcessState.SysUsage().(*syscall.Rusage)
			return int64(usage.Maxrss) << 10, anonymous, nil
		case <-time.After(5 * time.Millisecond):
			anonymous = max(anonymous, rssAnon(c.Process.Pid))
		}
	}
}

func rssAnon(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // it has just ended
	}
	_, rest, _ := strings.Cut(string(b), "RssAnon:")
	field, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kb, _ := strconv.ParseInt(field, 10, 64)
	return kb << 10
}

// warm brings the input into the page cache.
func warm(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, f, make([]byte, 1<<20))
	return err
}

func fsync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// median returns the middle of what f gives for the runs.
func median[T int64 | time.Duration](runs []sample, f func(sample) T) T {
	var all []T
	for _, s := range runs {
		all = append(all, f(s))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
