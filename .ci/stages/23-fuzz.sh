# every fuzz target for a few seconds
time=${WASM_DEBUGID_FUZZTIME:-5s}
targets=0
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 5s "$pkg"
		targets=$((targets + 1))
	done
done
if [ $targets = 0 ]; then
	echo 'no fuzz target found' >&2
	exit 1
fi
echo "$targets fuzz targets ran for $time each"
