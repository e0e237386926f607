//go:build !unix

package main

// isClosed reports whether a standard stream was closed when the program began.
func isClosed(any) bool { return false }
