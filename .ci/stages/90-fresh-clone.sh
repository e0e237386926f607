# a new clone with empty Go caches: the README's first three commands, as a newcomer types them
clone=$WASM_DEBUGID_CI_TMP/clone
git clone -q --no-local . "$clone"
if [ -n "$(git status --porcelain)" ]; then
	echo 'note: the tree has changes that are not committed; the clone is of the last commit'
fi
cd "$clone"
export GOCACHE=$WASM_DEBUGID_CI_TMP/gocache GOMODCACHE=$WASM_DEBUGID_CI_TMP/gomodcache GOFLAGS=-modcacherw

# The commands and their output stand in the README's first console blocks. The fourth runs the
# tests, which is what the stage test does.
block() { awk -v want="$1" '/^```console$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside && n == want' README.md; }
command_of() { block "$1" | sed -n 's/^\$ //p'; }
split=$(command_of 1)

echo "\$ $split"
bash -euo pipefail -c "$split" | tee "$WASM_DEBUGID_CI_TMP/id"
shown=$(block 1 | tail -n +2)
if [ "$(tail -n 1 <<<"$shown")" != "$(cat "$WASM_DEBUGID_CI_TMP/id")" ]; then
	echo 'the README shows another build ID' >&2
	exit 1
fi
mkdir "$WASM_DEBUGID_CI_TMP/first"
mv app.wasm app.debug.wasm "$WASM_DEBUGID_CI_TMP/first"
# Now that nothing is downloaded any more, the output is the README's, and the files are the same again.
again=$(bash -euo pipefail -c "$split" 2>&1)
diff <(printf '%s\n' "$shown") <(printf '%s\n' "$again")
cmp app.wasm "$WASM_DEBUGID_CI_TMP/first/app.wasm"
cmp app.debug.wasm "$WASM_DEBUGID_CI_TMP/first/app.debug.wasm"

for n in 2 3; do
	command=$(command_of "$n")
	echo "\$ $command"
	diff <(block "$n" | tail -n +2) <(bash -euo pipefail -c "$command" 2>&1)
done
