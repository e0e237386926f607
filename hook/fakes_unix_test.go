//go:build unix

package hook

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakeVariable tells the test binary which program to stand in for. What the
// program does is told by further variables.
const fakeVariable = "HOOK_TEST_FAKE"

func TestMain(m *testing.M) {
	if IsWasmOpt(os.Args, os.Getenv) {
		if err := StandIn(os.Args, os.Getenv); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(9)
		}
		os.Exit(0)
	}
	if name := os.Getenv(fakeVariable); name != "" {
		os.Exit(map[string]func([]string) int{"linker": fakeLinker, "cargo": fakeCargo}[name](os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fakeCargo prints the file that FAKE_SCRIPT names, and ends with FAKE_CODE; asked
// for metadata, it prints FAKE_METADATA.
func fakeCargo(args []string) int {
	if args[0] == "metadata" {
		fmt.Print(os.Getenv("FAKE_METADATA"))
		if os.WriteFile(os.Getenv("FAKE_ARGS")+".metadata", []byte(strings.Join(args, "\n")), 0o644) != nil {
			return 9
		}
		return 0
	}
	if err := os.WriteFile(os.Getenv("FAKE_ARGS"), []byte(strings.Join(args, "\n")), 0o644); err != nil {
		return 9
	}
	if os.WriteFile(os.Getenv("FAKE_ARGS")+".depth", []byte(os.Getenv(varInCargo)), 0o644) != nil {
		return 9
	}
	fmt.Fprintln(os.Stderr, "cargo: err")
	b, err := os.ReadFile(os.Getenv("FAKE_SCRIPT"))
	if err != nil {
		return 9
	}
	os.Stdout.Write(b)
	code, _ := strconv.Atoi(os.Getenv("FAKE_CODE"))
	return code
}

// fakeLinker writes the module that FAKE_MODULE names to the output, as a linker
// does, and its arguments to FAKE_ARGS.
func fakeLinker(args []string) int {
	if path := os.Getenv("FAKE_ARGS"); path != "" {
		if err := os.WriteFile(path, []byte(strings.Join(args, "\n")), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 9
		}
	}
	fmt.Println("linker: out")
	fmt.Fprintln(os.Stderr, "linker: err")
	if code, err := strconv.Atoi(os.Getenv("FAKE_CODE")); err == nil && code != 0 {
		return code
	}
	if path := os.Getenv("FAKE_WAIT"); path != "" {
		// Says that it runs, and waits to be stopped.
		stopped := make(chan os.Signal, 1)
		signal.Notify(stopped, os.Interrupt, syscall.SIGTERM)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			return 9
		}
		if path := os.Getenv("FAKE_WRITTEN"); path != "" {
			// It has written its output by the time that it says so.
			b, err := os.ReadFile(os.Getenv("FAKE_MODULE"))
			if err != nil || os.WriteFile(parseLinkerArgs(args).output, b, 0o755) != nil {
				return 9
			}
			if os.WriteFile(path, nil, 0o644) != nil {
				return 9
			}
		}
		select {
		case <-stopped:
			if os.WriteFile(path+".stopped", nil, 0o644) != nil {
				return 9
			}
			return 1
		case <-time.After(time.Minute):
			return 9
		}
	}
	if os.Getenv("FAKE_SIGNAL") != "" {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	}
	output := parseLinkerArgs(args).output
	if module := os.Getenv("FAKE_MODULE"); module != "" {
		b, err := os.ReadFile(module)
		if err == nil {
			err = os.WriteFile(output+".tmp", b, 0o755)
		}
		if err == nil {
			err = os.Rename(output+".tmp", output)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 9
		}
	}
	return 0
}
