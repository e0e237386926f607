package conformance

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func TestSmoke(t *testing.T) {
	glob := os.Getenv("SMOKE")
	if glob == "" {
		t.Skip()
	}
	names, _ := filepath.Glob(glob)
	for _, name := range names {
		b, _ := os.ReadFile(name)
		f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			fmt.Println(name, err)
			continue
		}
		p, err := rewrite.Split(context.Background(), f, rewrite.Options{})
		if err != nil {
			fmt.Println(name, err)
			continue
		}
		start := time.Now()
		r, err := Run(context.Background(), &Module{Path: "p", File: p.ProductionFile}, &Module{Path: "c", File: p.CompanionFile}, Options{Original: &Module{Path: name, File: f}})
		if err != nil {
			fmt.Println(name, err)
			continue
		}
		var facts []string
		for _, x := range r.Subject.Facts {
			facts = append(facts, x.Name+": "+x.Value)
		}
		fmt.Println(name, r.Subject.Verdict, time.Since(start).Round(time.Millisecond), strings.Join(facts, " | "))
		if r.Subject.Verdict != report.Pass || os.Getenv("V") != "" || len(r.Subject.Findings) > 0 {
			for _, f := range r.Subject.Findings {
				fmt.Println("    ", f.Rule, f.Severity, f.Count, f.Message)
			}
			fmt.Println("    ", r.Subject.NotChecked)
		}
	}
}
