// Command release makes the files of a release: an archive for each platform with
// the program, man page, completions and licences, a software bill of materials,
// and SHA256SUMS.
//
//	go run ./scripts/release -out dist                    of the commit's tag
//	go run ./scripts/release -out dist -snapshot          of any tree, for a trial
//
// The same commit and the same release of Go give the same bytes, in any directory
// and on any machine: nothing of the machine, the time or the directory is written.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, log io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	dir := flags.String("source", ".", "the source tree, whose state is released")
	out := flags.String("out", "dist", "the folder for the files, which must be empty or not exist")
	version := flags.String("version", "", "the version; by default the tag of the commit, such as v1.2.3")
	snapshot := flags.Bool("snapshot", false, "allow a commit without a tag and a tree with changes")
	only := flags.String("targets", "", "only these, such as linux/amd64,windows/arm64")
	extras := flags.String("extras", "", "write only the files that archives hold besides the program into this folder")
	sbom := flags.String("sbom", "", "write only a bill of materials to this file, of the programs and archives in -dist")
	dist := flags.String("dist", "dist", "with -sbom: the folder to search")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag; see -help", flags.Arg(0))
	}
	src, err := openSource(ctx, *dir, *version, *snapshot)
	if err != nil {
		return err
	}
	switch {
	case *extras != "":
		return writeExtras(ctx, src, *extras)
	case *sbom != "":
		found, err := findBuilt(*dist, src)
		if err != nil {
			return err
		}
		return writeBill(*sbom, src, found)
	}
	list, err := parseTargets(*only)
	if err != nil {
		return err
	}
	if err := emptyDir(*out); err != nil {
		return err
	}
	return release(ctx, src, list, *out, log)
}

// release writes all files of a release into a folder.
func release(ctx context.Context, src *source, list []target, out string, log io.Writer) error {
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	fmt.Fprintf(log, "%s, commit %s, %s\n", src.version, src.commit, src.goVersion)
	extras := filepath.Join(work, "extras")
	if err := writeExtras(ctx, src, extras); err != nil {
		return err
	}
	var names []string
	var all []built
	for _, t := range list {
		program := filepath.Join(work, t.os+"_"+t.arch, t.program())
		if err := compile(ctx, src, t, program); err != nil {
			return err
		}
		entries, err := contents(src, t, program, extras)
		if err != nil {
			return err
		}
		name := t.archive(src.version)
		if err := writeArchive(filepath.Join(out, name), t.folder(src.version), entries, src.time); err != nil {
			return err
		}
		b, err := describe(t, program, filepath.Join(out, name))
		if err != nil {
			return err
		}
		all, names = append(all, b), append(names, name)
		fmt.Fprintln(log, name)
	}
	bill := billName(src.version)
	if err := writeBill(filepath.Join(out, bill), src, all); err != nil {
		return err
	}
	if err := writeSums(out, append(names, bill)); err != nil {
		return err
	}
	notes, err := releaseNotes(src)
	if err != nil {
		return err
	}
	fmt.Fprintln(log, bill+"\n"+sumsName+"\n"+notesName)
	return os.WriteFile(filepath.Join(out, notesName), []byte(notes), 0o644)
}

// emptyDir makes a folder, or sees that it is empty: a file of another release
// among those of this one would be uploaded with them.
func emptyDir(name string) error {
	if err := os.MkdirAll(name, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: it holds %s; remove it, or name another folder with -out", name, entries[0].Name())
	}
	return nil
}

// bare returns a version without its v, as names of files have it.
func bare(version string) string { return strings.TrimPrefix(version, "v") }
