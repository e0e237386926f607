# the program is built and vetted, tests included, for other systems
for target in linux/arm64 linux/386 linux/riscv64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 freebsd/amd64; do
	echo "$target"
	GOOS=${target%/*} GOARCH=${target#*/} go build -o /dev/null ./cmd/wasm-debugid
	GOOS=${target%/*} GOARCH=${target#*/} go vet ./...
done
# The library also runs where there are no files to map and no signals.
echo js/wasm
GOOS=js GOARCH=wasm go build . ./wasm/... ./buildid/... ./rewrite/...
