# a new clone with empty Go caches: the README's first commands, as a newcomer types them
clone=$WASM_DEBUGID_CI_TMP/clone
git clone -q --no-local . "$clone"
if [ -n "$(git status --porcelain)" ]; then
	echo 'note: the tree has changes that are not committed; the clone is of the last commit'
fi
cd "$clone"
export GOCACHE=$WASM_DEBUGID_CI_TMP/gocache
export GOMODCACHE=$WASM_DEBUGID_CI_TMP/gomodcache
go test ./...
