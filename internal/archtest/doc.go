// Package archtest holds the test that dependencies point down: every package
// may import only what the table in its test allows.
package archtest
