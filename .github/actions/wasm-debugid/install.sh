#!/usr/bin/env bash
# Puts wasm-debugid on the PATH of a workflow's job: a release whose SHA-256 is known,
# or what Go builds. The first step of the action.
#
# INPUT_VERSION is the release (v1.2.3), "source" for the action's own checkout, or
# empty for the newest release in checksums.txt. WASM_DEBUGID_DOWNLOAD_URL is where
# the releases are, for those who keep a copy of them.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=.github/actions/wasm-debugid/lib.sh
source "$here/lib.sh"
root=$(cd "$here/../../.." && pwd)
project=github.com/wasm-debugid/wasm-debugid
url=${WASM_DEBUGID_DOWNLOAD_URL:-https://$project/releases/download}
version=${INPUT_VERSION-}
exe=

die() {
	say error "$1"
	exit 1
}

case ${RUNNER_OS:-$(uname -s)} in
Linux) os=linux ;;
macOS | Darwin) os=darwin ;;
Windows | MINGW* | MSYS* | CYGWIN*) os=windows exe=.exe ;;
*) os=unknown ;;
esac
case ${RUNNER_ARCH:-$(uname -m)} in
X64 | x86_64 | amd64) arch=amd64 ;;
ARM64 | aarch64 | arm64) arch=arm64 ;;
*) arch=unknown ;;
esac

if [ -z "$version" ]; then
	version=$(sed -n 's/^[0-9a-f]\{64\}  wasm-debugid_\(.*\)_linux_amd64\.tar\.gz$/v\1/p' "$here/checksums.txt" | tail -n 1)
	version=${version:-source}
fi
if [ "$version" != source ] && ! [[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
	die "the input version is \"$version\"; it must be a release such as v1.2.3, or source"
fi

dest=$(posix "${RUNNER_TEMP:?this script belongs to a workflow step}")/wasm-debugid-$version
program=$dest/wasm-debugid$exe
rm -rf "$dest" # of an earlier step of the job
mkdir -p "$dest"

digest() {
	if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -c1-64
}

fetch() {
	curl --fail --silent --show-error --location --retry 3 --retry-connrefused --max-time 300 --output "$2" "$1"
}

# download installs the release, or fails if it is not to be had. Bytes that are not
# those of the digest end the step: nothing else is tried then. It is called as a
# condition, in which bash does not stop at errors by itself.
download() {
	local suffix=.tar.gz name want have work=$dest/download
	[ $os = windows ] && suffix=.zip
	name=wasm-debugid_${version#v}_${os}_$arch$suffix
	command -v curl >/dev/null || return 1
	mkdir -p "$work" || die "$work cannot be made"
	want=$(sed -n "s/^\([0-9a-f]\{64\}\)  ${name//./\\.}\$/\1/p" "$here/checksums.txt" | tail -n 1)
	if [ -z "$want" ]; then
		fetch "$url/$version/SHA256SUMS" "$work/SHA256SUMS" || return 1
		want=$(sed -n "s/^\([0-9a-f]\{64\}\)  ${name//./\\.}\$/\1/p" "$work/SHA256SUMS" | tail -n 1)
		[ -n "$want" ] || die "$version has no $name: its SHA256SUMS does not list it"
		say notice "the action does not hold the digests of $version; those that the release names were used"
	fi
	fetch "$url/$version/$name" "$work/$name" || return 1
	have=$(digest "$work/$name")
	[ "$have" = "$want" ] || die "$name has the SHA-256 $have, and must have $want; nothing was installed"
	if [ $suffix = .zip ]; then
		unzip -q "$work/$name" -d "$work"
	else
		tar xzf "$work/$name" -C "$work"
	fi || die "$name cannot be unpacked"
	mv "$work/${name%"$suffix"}"/* "$dest" || die "$name does not hold the folder ${name%"$suffix"}"
	rm -rf "$work"
}

if [ "$version" = source ]; then
	command -v go >/dev/null || die "there is no Go to build the program with; put actions/setup-go before this step, or name a release as version"
	[ -f "$root/go.mod" ] || die "the action's checkout has no source; name a release as version"
	(cd "$root" && CGO_ENABLED=0 go build -trimpath -o "$program" ./cmd/wasm-debugid)
elif ! download; then
	command -v go >/dev/null || die "$version could not be downloaded from $url, and there is no Go to build it with"
	say warning "$version could not be downloaded from $url; it is built with go install"
	GOBIN=$(native "$dest") CGO_ENABLED=0 go install "$project/cmd/wasm-debugid@$version"
fi

"$program" --version
native "$dest" >>"$GITHUB_PATH"
printf 'program=%s\n' "$(native "$program")" >>"$GITHUB_OUTPUT"
