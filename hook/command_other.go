//go:build !unix

package hook

import "os"

// askToStop ends a program: where there are no signals, the console has asked it
// already, together with this one.
func askToStop(p *os.Process) error { return p.Kill() }

// endingSignal returns no signal.
func endingSignal(*os.ProcessState) (int, string) { return 0, "" }
