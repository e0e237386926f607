//go:build unix

package hook

import (
	"os"
	"syscall"
)

// askToStop asks a program to end.
func askToStop(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// endingSignal returns the signal that ended a program, and 0 for none.
func endingSignal(s *os.ProcessState) (int, string) {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal()), status.Signal().String()
	}
	return 0, ""
}
