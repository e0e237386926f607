package actions

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checkout copies the action, without the program's source, and pins digests.
func checkout(t *testing.T, checksums string) string {
	t.Helper()
	dir := t.TempDir()
	copyFile(t, filepath.Join(root, "action.yml"), filepath.Join(dir, "action.yml"))
	for _, name := range []string{"install.sh", "run.sh", "lib.sh", "action.yml"} {
		copyFile(t, filepath.Join(root, nested, name), filepath.Join(dir, nested, name))
	}
	if err := os.WriteFile(filepath.Join(dir, nested, "checksums.txt"), []byte("# comment\n"+checksums), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// standIn is a program that says its version, for archives.
const standIn = "#!/bin/sh\necho wasm-debugid stand-in $1\n"

// tarball is a release's archive with the stand-in.
func tarball(t *testing.T, folder string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: folder + "/wasm-debugid", Mode: 0o755, Size: int64(len(standIn))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(standIn)); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteHeader(&tar.Header{Name: folder + "/man/wasm-debugid.1", Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: folder + "/cargo-debugid", Linkname: "wasm-debugid"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t *testing.T, folder string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: folder + "/wasm-debugid.exe"}
	h.SetMode(0o755)
	w, err := z.CreateHeader(h)
	if err == nil {
		_, err = w.Write([]byte(standIn))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// downloads serves files by path as they are now, and refuses all others.
func downloads(t *testing.T, files map[string][]byte) string {
	t.Helper()
	files = maps.Clone(files) // a caller may change its own while requests are answered
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(b)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// onlyTools makes a PATH with what every runner has, and with a Go that notes how it
// is called if one is asked for.
func onlyTools(t *testing.T, withGo bool) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"bash", "sh", "sed", "tail", "head", "cut", "mkdir", "rm", "mv", "cat", "curl", "tar", "gzip", "sha256sum", "unzip", "dirname", "uname", "cp", "chmod"} {
		path, err := exec.LookPath(name)
		if err != nil && os.Getenv("WASM_DEBUGID_STAGE") == "actions" {
			t.Fatal(err)
		} else if err != nil {
			t.Skipf("the test needs %s", name)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if withGo {
		text := "#!/bin/sh\necho \"go $*\"\nprintf '" + strings.ReplaceAll(standIn, "\n", `\n`) + "' >\"$GOBIN/wasm-debugid\"\nchmod +x \"$GOBIN/wasm-debugid\"\n"
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + dir
}

const folder = "wasm-debugid_1.2.3_linux_amd64"

func install(t *testing.T, action, url, version string, withGo bool, env ...string) outcome {
	t.Helper()
	bash(t)
	j := job{action: action, workspace: t.TempDir(), inputs: map[string]string{"mode": "install", "version": version},
		env: append([]string{"RUNNER_OS=Linux", "RUNNER_ARCH=X64", "WASM_DEBUGID_DOWNLOAD_URL=" + url, onlyTools(t, withGo)}, env...)}
	return j.run(t)
}

// A release whose digest the action holds, and the newest of them by default.
func TestInstallPinned(t *testing.T) {
	archive := tarball(t, folder)
	url := downloads(t, map[string][]byte{"/v1.2.3/" + folder + ".tar.gz": archive})
	action := checkout(t, strings.Repeat("0", 64)+"  wasm-debugid_1.0.0_linux_amd64.tar.gz\n"+sum(archive)+"  "+folder+".tar.gz\n")
	twice := job{action: action, workspace: t.TempDir(), temp: t.TempDir(), inputs: map[string]string{"mode": "install"},
		env: []string{"RUNNER_OS=Linux", "RUNNER_ARCH=X64", "WASM_DEBUGID_DOWNLOAD_URL=" + url, onlyTools(t, false)}}
	for n := range 2 { // a job may have several steps with the action
		if r := twice.run(t); r.code != 0 {
			t.Errorf("time %d: exit code %d\n%s", n+1, r.code, r.log)
		}
	}
	for _, version := range []string{"v1.2.3", ""} {
		r := install(t, action, url, version, false)
		if r.code != 0 || !strings.Contains(r.log, "stand-in --version") || strings.Contains(r.log, "::") {
			t.Errorf("version %q: exit code %d\n%s", version, r.code, r.log)
		}
		if r.outputs["program"] != r.path+"/wasm-debugid" || !filepath.IsAbs(r.path) {
			t.Errorf("program %q, PATH %q", r.outputs["program"], r.path)
		}
	}
}

// Other bytes than those of the digest are never run, and nothing else is tried.
func TestInstallOtherBytes(t *testing.T) {
	url := downloads(t, map[string][]byte{"/v1.2.3/" + folder + ".tar.gz": tarball(t, "elsewhere")})
	r := install(t, checkout(t, sum(tarball(t, folder))+"  "+folder+".tar.gz\n"), url, "v1.2.3", true)
	if r.code != 1 || !strings.Contains(r.log, "::error") || !strings.Contains(r.log, "nothing was installed") {
		t.Errorf("exit code %d\n%s", r.code, r.log)
	}
	// An archive that is damaged, with the digest of the damage.
	for _, bytes := range [][]byte{[]byte("no archive"), tarball(t, "elsewhere")} {
		url := downloads(t, map[string][]byte{"/v1.2.3/" + folder + ".tar.gz": bytes})
		d := install(t, checkout(t, sum(bytes)+"  "+folder+".tar.gz\n"), url, "v1.2.3", true)
		if d.code != 1 || !strings.Contains(d.log, "::error") || strings.Contains(d.log, "stand-in") {
			t.Errorf("damaged: exit code %d\n%s", d.code, d.log)
		}
	}
	if strings.Contains(r.log, "stand-in") || strings.Contains(r.log, "go install") || r.outputs["program"] != "" || r.path != "" {
		t.Errorf("something was run or installed: %+v", r)
	}
}

// A release that the action does not know yet is held against its own SHA256SUMS.
func TestInstallByTheReleasesSums(t *testing.T) {
	archive := tarball(t, folder)
	files := map[string][]byte{"/v1.2.3/" + folder + ".tar.gz": archive, "/v1.2.3/SHA256SUMS": []byte(sum(archive) + "  " + folder + ".tar.gz\n")}
	if r := install(t, checkout(t, ""), downloads(t, files), "v1.2.3", false); r.code != 0 || !strings.Contains(r.log, "::notice") {
		t.Errorf("exit code %d\n%s", r.code, r.log)
	}
	files["/v1.2.3/SHA256SUMS"] = []byte(sum([]byte("other")) + "  " + folder + ".tar.gz\n")
	if r := install(t, checkout(t, ""), downloads(t, files), "v1.2.3", true); r.code != 1 || strings.Contains(r.log, "stand-in") {
		t.Errorf("another digest: exit code %d\n%s", r.code, r.log)
	}
	files["/v1.2.3/SHA256SUMS"] = []byte(sum(archive) + "  wasm-debugid_1.2.3_plan9_amd64.tar.gz\n")
	if r := install(t, checkout(t, ""), downloads(t, files), "v1.2.3", true); r.code != 1 || !strings.Contains(r.log, "does not list it") {
		t.Errorf("no digest: exit code %d\n%s", r.code, r.log)
	}
}

// What cannot be downloaded is built, if there is Go, and that is said.
func TestInstallFallsBack(t *testing.T) {
	url := downloads(t, nil)
	r := install(t, checkout(t, ""), url, "v1.2.3", true)
	if r.code != 0 || !strings.Contains(r.log, "::warning") || !strings.Contains(r.log, "go install github.com/wasm-debugid/wasm-debugid/cmd/wasm-debugid@v1.2.3") {
		t.Errorf("exit code %d\n%s", r.code, r.log)
	}
	if r := install(t, checkout(t, ""), url, "v1.2.3", false); r.code != 1 || !strings.Contains(r.log, "::error") {
		t.Errorf("without Go: exit code %d\n%s", r.code, r.log)
	}
	if r := install(t, checkout(t, ""), url, "", false); r.code != 1 || !strings.Contains(r.log, "actions/setup-go") {
		t.Errorf("source without Go: exit code %d\n%s", r.code, r.log)
	}
}

func TestInstallVersion(t *testing.T) {
	for _, version := range []string{"1.2.3", "latest", "v1", "v1.2.3; touch pwned", "../v1.2.3", "v1.2.3\n::warning::x", "$(touch pwned)"} {
		r := install(t, checkout(t, ""), downloads(t, nil), version, true)
		if r.code != 1 || !strings.Contains(r.log, "must be a release") || strings.Contains(r.log, "\n::warning") {
			t.Errorf("version %q: exit code %d\n%s", version, r.code, r.log)
		}
	}
}

// The names of other systems' archives, and zip files.
func TestInstallOnOtherSystems(t *testing.T) {
	mac, windows := "wasm-debugid_1.2.3_darwin_arm64", "wasm-debugid_1.2.3_windows_amd64"
	a, b := tarball(t, mac), zipped(t, windows)
	url := downloads(t, map[string][]byte{"/v1.2.3/" + mac + ".tar.gz": a, "/v1.2.3/" + windows + ".zip": b})
	action := checkout(t, sum(a)+"  "+mac+".tar.gz\n"+sum(b)+"  "+windows+".zip\n")
	if r := install(t, action, url, "v1.2.3", false, "RUNNER_OS=macOS", "RUNNER_ARCH=ARM64"); r.code != 0 {
		t.Errorf("exit code %d\n%s", r.code, r.log)
	}
	r := install(t, action, url, "v1.2.3", false, "RUNNER_OS=Windows", "RUNNER_ARCH=X64")
	if r.code != 0 || !strings.HasSuffix(r.outputs["program"], ".exe") {
		t.Errorf("exit code %d\n%s", r.code, r.log)
	}
	if r := install(t, action, url, "v1.2.3", false, "RUNNER_OS=Linux", "RUNNER_ARCH=S390X"); r.code != 1 {
		t.Errorf("another architecture: exit code %d\n%s", r.code, r.log)
	}
}

// As a workflow of this repository uses it: both names of the action build what is
// checked out.
func TestInstallSource(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	for _, action := range []string{root, filepath.Join(root, nested)} {
		j := job{action: action, workspace: t.TempDir(), inputs: map[string]string{"mode": "install", "version": "source"}}
		if r := j.run(t); r.code != 0 || !strings.Contains(r.log, "wasm-debugid ") || r.outputs["program"] == "" {
			t.Errorf("exit code %d\n%s", r.code, r.log)
		}
	}
}
