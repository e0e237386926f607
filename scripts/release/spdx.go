package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// The parts of SPDX 2.3 that are used here, https://spdx.github.io/spdx-spec/v2.3.

type document struct {
	Version       string         `json:"spdxVersion"`
	DataLicense   string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []spdxPackage  `json:"packages"`
	Files         []spdxFile     `json:"files"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID               string        `json:"SPDXID"`
	Name             string        `json:"name"`
	Version          string        `json:"versionInfo"`
	FileName         string        `json:"packageFileName,omitempty"`
	Supplier         string        `json:"supplier,omitempty"`
	DownloadLocation string        `json:"downloadLocation"`
	FilesAnalyzed    bool          `json:"filesAnalyzed"`
	Checksums        []checksum    `json:"checksums,omitempty"`
	Concluded        string        `json:"licenseConcluded"`
	Declared         string        `json:"licenseDeclared"`
	Copyright        string        `json:"copyrightText"`
	Purpose          string        `json:"primaryPackagePurpose,omitempty"`
	ExternalRefs     []externalRef `json:"externalRefs,omitempty"`
	Comment          string        `json:"comment,omitempty"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type externalRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxFile struct {
	ID        string     `json:"SPDXID"`
	Name      string     `json:"fileName"`
	Types     []string   `json:"fileTypes"`
	Checksums []checksum `json:"checksums"`
	Concluded string     `json:"licenseConcluded"`
	Copyright string     `json:"copyrightText"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const noAssertion = "NOASSERTION"

// projectURL is where releases are.
const projectURL = "https://github.com/wasm-debugid/wasm-debugid"

func releaseURL(version string) string { return projectURL + "/releases/download/" + version }

// newDocument makes an empty document. Its namespace must differ from that of any
// other document, and be the same for the same release.
func newDocument(src *source) *document {
	return &document{
		Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT",
		Name:      programName + "-" + bare(src.version),
		Namespace: releaseURL(src.version) + "/" + billName(src.version) + "/" + strings.TrimSuffix(src.commit, "+"),
		Creation:  creation{src.time.Format(time.RFC3339), []string{"Tool: " + programName + "-scripts-release"}},
	}
}

func newPackage(id, name, version, licence string) spdxPackage {
	if licence == "" {
		licence = noAssertion
	}
	return spdxPackage{ID: id, Name: name, Version: version, Concluded: noAssertion, Declared: licence, Copyright: noAssertion}
}

func newFile(id, name, sha256 string, sha1 string) spdxFile {
	return spdxFile{ID: id, Name: name, Types: []string{"BINARY"}, Concluded: noAssertion, Copyright: noAssertion,
		Checksums: []checksum{{"SHA1", sha1}, {"SHA256", sha256}}}
}

func (d *document) relate(from, kind, to string) {
	d.Relationships = append(d.Relationships, relationship{from, kind, to})
}

func (d *document) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(d)
	return b.Bytes(), err
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// spdxID makes an identifier of the characters that the format allows.
func spdxID(parts ...string) string {
	return "SPDXRef-" + notInID.ReplaceAllString(strings.Join(parts, "-"), "-")
}
