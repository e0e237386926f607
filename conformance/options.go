package conformance

import (
	"time"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Module is an open file, on disk or planned.
type Module struct {
	Path string // as the user named it
	File *wasm.File
	// Source gives the file's bytes as memory, for its DWARF. Without one they are
	// read through File.
	Source debugfile.Source
}

// Options say what is run and what it is held against. The zero value explores
// the module, sweeps all functions, in both engines.
type Options struct {
	// Scenario is what to run; nil: _start, or an exploration of all exports.
	Scenario *Scenario
	// Original is the input that the pair was split from. With it, rows are covered:
	// input and companion must answer the same.
	Original *Module
	// Engines are the engines to use; empty: both.
	Engines []Engine
	// NoSweep leaves out the probes in every function.
	NoSweep bool
	// AllowUnrunnable lets a module that cannot be run be no obstacle: the subject's
	// verdict is still CouldNotCheck, but Result.Acceptable is true.
	AllowUnrunnable bool
	Limits          Limits
	// Rules are severities of rules by code, for rules that do not keep their own.
	Rules map[string]report.Severity
	// Debug says what else to read with the companion; Path and Production are set
	// by Run.
	Debug debugfile.Options
}

// Engine is one of wazero's engines.
type Engine int

// The engines.
const (
	Interpreter Engine = iota
	Compiler
)

// String returns "interpreter" or "compiler".
func (e Engine) String() string {
	if e == Compiler {
		return "compiler"
	}
	return "interpreter"
}

// Limits bound what a module can take. A limit that is zero has its default.
type Limits struct {
	Time          time.Duration // for each engine to run the calls, and again to sweep
	CallTime      time.Duration // for one call
	MemoryPages   uint32        // pages of 64 KiB, of all memories
	TableElements uint32        // of all tables
	Depth         int           // nested calls
	Output        int64         // bytes written to standard output and standard error
	HostCalls     int64         // in one call
	CodeBytes     int64         // size of the Code section
	DataBytes     int64         // of all other sections that are not custom
	CompilerBytes int64         // size of the Code section up to which the compiler is used
	CompilerBody  int64         // size of one body up to which the compiler is used
	Locals        int           // of one function
	AllLocals     int           // of all functions
}

// DefaultLimits returns the limits that are used where Options name none.
func DefaultLimits() Limits {
	return Limits{
		Time:          20 * time.Second,
		CallTime:      5 * time.Second,
		MemoryPages:   8192, // 512 MiB
		TableElements: 10_000_000,
		// The interpreter itself stops at 2,000.
		Depth:         1900,
		Output:        16 << 20,
		HostCalls:     1_000_000,
		CodeBytes:     64 << 20,
		DataBytes:     256 << 20,
		CompilerBytes: 4 << 20,
		CompilerBody:  256 << 10,
		// The interpreter has them all on its stack, 2,000 calls deep.
		Locals:    10_000,
		AllLocals: 4_000_000,
	}
}

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	l.Time = or(l.Time, d.Time)
	l.CallTime = or(l.CallTime, d.CallTime)
	l.MemoryPages = or(l.MemoryPages, d.MemoryPages)
	l.TableElements = or(l.TableElements, d.TableElements)
	l.Depth = or(l.Depth, d.Depth)
	l.Output = or(l.Output, d.Output)
	l.HostCalls = or(l.HostCalls, d.HostCalls)
	l.CodeBytes = or(l.CodeBytes, d.CodeBytes)
	l.DataBytes = or(l.DataBytes, d.DataBytes)
	l.CompilerBytes = or(l.CompilerBytes, d.CompilerBytes)
	l.CompilerBody = or(l.CompilerBody, d.CompilerBody)
	l.Locals = or(l.Locals, d.Locals)
	l.AllLocals = or(l.AllLocals, d.AllLocals)
	return l
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
