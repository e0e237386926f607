// Package doctor looks at a project and at the tools of a machine for what will
// ruin debug information later, and says of each thing what it is, where, why it
// matters and what to do.
//
// [Examine] is the only call. It reads files and asks compilers, which it finds on
// PATH and nowhere else, for their versions. Nothing that lies in the examined
// folder is run. What it finds is a [report.Report] of the rules that [Rules]
// lists, so that every format of package report can show it.
package doctor
