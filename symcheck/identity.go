package symcheck

import (
	"fmt"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Lengths of IDs in bytes: below the first Sentry sees none.
const (
	shortID      = 16
	shortPayload = 16
)

// identity checks the build IDs: one in each file, well encoded, equal.
func (c *checker) identity() error {
	for i, m := range []*Module{c.prod, c.comp} {
		if m == nil {
			continue
		}
		found, err := buildid.Read(m.File)
		if err != nil {
			return m.fail(err)
		}
		c.ids[i] = found
		c.oneID(m, &found)
	}
	for i, m := range []*Module{c.prod, c.comp} {
		if m != nil && c.ids[i].Status == buildid.StatusAbsent {
			c.noID(i, m)
		}
	}
	p, k := c.ids[0].ID, c.ids[1].ID
	c.s.BuildID = p.String()
	if c.comp == nil {
		if len(p) > 0 {
			c.checked("the build ID stands once and in the convention's encoding")
		}
		return nil
	}
	if len(p) == 0 {
		c.s.BuildID = k.String()
	}
	if len(p) > 0 && len(k) > 0 {
		if !p.Equal(k) {
			return c.mismatch()
		}
		c.checked("the build IDs of both files are compared")
	}
	return nil
}

// mismatch reports a companion of another build. All else that it would be found guilty
// of follows from that, and advice about it would be wrong; where the rule is no error,
// the pair is checked all the same.
func (c *checker) mismatch() error {
	same, err := c.sameCode()
	if err != nil {
		return err
	}
	code := "the code of the two is not the same"
	if same {
		code = "the code of the two is the same"
	}
	f := c.find(IDMismatch, in(c.comp, c.ids[1].First().Section),
		"the companion is of another build: the production module's build ID is %v, the companion's is %v; %s", c.ids[0].ID, c.ids[1].ID, code)
	c.checked("the build IDs of both files are compared")
	if f != nil && f.Severity == report.Error {
		c.stranger = true
		c.couldNot("everything else of the pair: by their build IDs the two files are of different builds")
	}
	return nil
}

// sameCode compares the code of the two files without saying anything about it.
func (c *checker) sameCode() (bool, error) {
	probe := *c
	probe.s, probe.findings = &report.Subject{}, nil
	probe.record, _ = rewrite.ReadRecord(c.comp.File) // one that cannot be read is another step's finding
	err := probe.code()
	_, hasP := c.prod.File.CodeSpan()
	_, hasK := c.comp.File.CodeSpan()
	return probe.same || !hasP && !hasK, err
}

// oneID checks the build_id sections of one file.
func (c *checker) oneID(m *Module, found *buildid.Found) {
	var first *wasm.Section
	if len(found.Sections) > 0 {
		first = found.Sections[0].Section
	}
	switch found.Status {
	case buildid.StatusAbsent:
		return // see noID
	case buildid.StatusConflict:
		c.find(IDConflict, in(m, first), "%v", found.Err())
		return
	case buildid.StatusMalformed:
		c.find(IDEncoding, atError(m, found.Err()), "the build ID cannot be read: %v", found.Err())
		return
	case buildid.StatusDuplicate:
		c.find(IDDuplicate, in(m, found.Sections[1].Section), "the file has %d build_id sections with the same ID %v", len(found.Sections), found.ID)
	}
	for i := range found.Sections {
		s := &found.Sections[i]
		if s.Encoding != buildid.EncodingSpec {
			c.find(IDEncoding, in(m, s.Section), "the build_id section is in the %s form, without the convention's length in front: %s", s.Encoding,
				"clients that read the length see another ID than clients that do not")
		}
	}
	s := found.First()
	if n := len(found.ID); n < shortID {
		severity := report.Warning
		if c.o.For == Sentry && len(s.Payload) < shortPayload {
			severity = report.Error
		}
		c.findAs(severity, IDShort, in(m, s.Section), "the build ID has %d bytes: %v", n, found.ID)
	}
	if c.o.For != Generic && m == c.prod {
		if d := buildid.Disagreement(s.Payload); len(d) > 0 {
			c.find(VendorIDs, in(m, s.Section), "%s", strings.Join(d, " "))
		}
	}
}

// giveID is what to do about a companion that has no ID while its module has one.
const giveID = "run check --fix, which gives it that build ID, or take both files from one split"

// noID reports that a file has no ID: number 0 is the production module, 1 the
// companion. What to do depends on whether the other one has one.
func (c *checker) noID(i int, m *Module) {
	f := c.findAs(c.missingID(), IDMissing, report.Location{Path: m.Path}, "the file has no build_id section")
	other := c.ids[1-i].ID
	switch {
	case f == nil || len(other) == 0:
	case i == 0:
		f.Message = fmt.Sprintf("the production module has no build_id section, and its companion has the build ID %v", other)
		f.Remedy = "ship the file that the split wrote, and run nothing after it that removes custom sections, as wasm-strip does"
	default:
		f.Message = fmt.Sprintf("the companion has no build_id section, and its production module has the build ID %v", other)
		f.Remedy = giveID
	}
}

// missingID is how bad it is to have no ID: a linker's output need not have one.
func (c *checker) missingID() report.Severity {
	switch {
	case c.comp != nil, c.o.RequireID:
		return report.Error
	case c.o.For != Generic:
		return report.Warning
	}
	return report.Info
}

// readRecord reads the companion's record and holds it against the pair. The
// digests are looked at where the code is compared.
func (c *checker) readRecord() error {
	if c.comp == nil {
		return nil
	}
	sec := c.comp.File.Custom(wasm.CustomWasmDebugID)
	if sec == nil {
		return nil
	}
	at := in(c.comp, sec)
	r, err := rewrite.ReadRecord(c.comp.File)
	if err != nil {
		c.find(RecordDisagrees, at, "the section cannot be read: %v", err)
		return nil
	}
	c.record = r
	var wrong []string
	if id := c.ids[1].ID; len(id) > 0 && r.BuildID != id.String() {
		wrong = append(wrong, fmt.Sprintf("it was made for the build ID %s, the companion's is %v", r.BuildID, id))
	}
	span, ok := c.comp.File.CodeSpan()
	switch {
	case ok && r.Code == nil:
		wrong = append(wrong, "it knows of no code")
	case ok && (r.Code.Start != span.Start || r.Code.Size != int64(span.Size)):
		wrong = append(wrong, fmt.Sprintf("it says that %d bytes of code start at %v, but in the companion %d bytes start at %v",
			r.Code.Size, r.Code.Start, span.Size, span.Start))
	}
	if len(wrong) > 0 {
		c.find(RecordDisagrees, at, "%s", strings.Join(wrong, "; "))
	}
	if r.Production.Size != c.prod.File.Size() {
		c.find(ProductionChanged, report.Location{Path: c.prod.Path}, "the companion was made for a production module of %d bytes, this one has %d",
			r.Production.Size, c.prod.File.Size())
		return nil
	}
	if c.o.Planned {
		return nil
	}
	sum, err := buildid.Sum(c.ctx, c.prod.File, 0, c.prod.File.Size(), buildid.Options{Workers: c.o.Workers})
	if err != nil {
		return c.prod.fail(err)
	}
	if sum.String() != r.Production.BLAKE3 {
		c.find(ProductionChanged, report.Location{Path: c.prod.Path},
			"the digest of the production module is not the one that the companion records: bytes of it were changed")
	}
	c.checked("the production module is byte for byte the one that the companion records")
	return nil
}
