# gofmt has nothing to change
bad=$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l)
if [ -n "$bad" ]; then
	printf 'not formatted (run gofmt -w):\n%s\n' "$bad" >&2
	exit 1
fi
