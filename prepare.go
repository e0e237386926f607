package debugid

import "context"

// Prepared is a split or an injection that is planned and verified, and of which
// nothing has been written. Close it.
type Prepared struct {
	Result *SplitResult // Changed, and notes about the writing, are filled in by Write

	in    *input
	write func(ctx context.Context) error // nil where there is nothing to write
}

// SetAside gives the descriptor of the input back until it is read again, by
// Write or through the plan of Result. Whoever prepares many modules sets each of
// them aside, because a process may have few files open. An input that is changed
// or replaced meanwhile is an error then.
func (p *Prepared) SetAside() error { return p.in.file.setAside() }

// Write writes the files, once. It does nothing in a dry run and for a module
// that was split before and stays where it is.
func (p *Prepared) Write(ctx context.Context) error {
	if p.write == nil {
		return nil
	}
	write := p.write
	p.write = nil
	return write(ctx)
}

// Close closes the input. The plan of Result can no longer be read then.
func (p *Prepared) Close() error { return p.in.Close() }
