package doctor

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The list in docs/doctor.md is that of the rules, word for word.
func TestDocumentHoldsAllRules(t *testing.T) {
	b, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules() {
		want := fmt.Sprintf("### %s `%s`: %v\n\n**%s.** %s\n\nWhat to do: %s.\n", r.Code, r.Name, r.Default, r.Title, r.Meaning, r.Remedy)
		if !strings.Contains(string(b), want) {
			t.Errorf("docs/doctor.md lacks:\n%s", want)
		}
	}
	if have := strings.Count(string(b), "\n### WD"); have != len(Rules()) {
		t.Errorf("docs/doctor.md has %d findings, there are %d", have, len(Rules()))
	}
}
