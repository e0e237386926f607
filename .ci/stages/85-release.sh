# the release's files: the same bytes from other directories, unpacked and run, held against what the programs say
bin=$(pip_set release)
installed

# Clones, because a release is of a commit. Their paths differ in length and depth.
if [ -n "$(git status --porcelain)" ]; then
	echo 'note: the tree has changes that are not committed; what is built is the last commit'
fi
first=$WASM_DEBUGID_CI_TMP/first second=$WASM_DEBUGID_CI_TMP/somewhere/else/entirely
for clone in "$first" "$second"; do
	git clone -q --no-local . "$clone"
done

(cd "$first" && go build -o "$WASM_DEBUGID_CI_TMP/release" ./scripts/release)

# build CLONE OUT [FLAGS]
build() {
	local clone=$1 out=$2
	shift 2
	(cd "$clone" && "$WASM_DEBUGID_CI_TMP/release" -snapshot -version v9.8.7-ci.1 -out "$out" "$@")
}
build "$first" "$first/dist"

# Again elsewhere, later, and with other settings in the environment.
(
	export GOFLAGS=-tags=nothing GOAMD64=v3 TZ=Asia/Tokyo LC_ALL=C.UTF-8 WASM_DEBUGID_COLOR=always
	umask 077
	build "$second" "$second/dist" >/dev/null
)
diff -r "$first/dist" "$second/dist"
# What Go has cached hides what a compiler would write of the directory: once without.
(
	export GOCACHE=$WASM_DEBUGID_CI_TMP/release-gocache
	build "$second" "$second/cold" -targets linux/amd64 >/dev/null
)
cmp "$first"/dist/*_linux_amd64.tar.gz "$second"/cold/*_linux_amd64.tar.gz
echo 'the same bytes from two directories, and without a cache'

(cd "$first/dist" && sha256sum --strict -c SHA256SUMS)
if (cd "$first/dist" && find . -type f -printf '%f\n' | grep -vxF -e SHA256SUMS -e NOTES.md -f <(cut -c67- SHA256SUMS)); then
	echo 'these files are not in SHA256SUMS' >&2
	exit 1
fi
"$bin/pyspdxtools" -i "$first"/dist/*.spdx.json
echo 'the bill of materials is valid SPDX'
WASM_DEBUGID_RELEASE=$first/dist WASM_DEBUGID_RELEASE_TREE=$first stage_test release '^TestRelease'
