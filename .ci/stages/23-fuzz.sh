# every fuzz target for a few seconds, about two minutes in all; the nightly workflow gives each five minutes
list=$WASM_DEBUGID_CI_TMP/fuzz-targets
for pkg in $(go list ./...); do
	go test -list '^Fuzz' "$pkg" | awk -v pkg="$pkg" '/^Fuzz/ { print pkg, $1 }'
done >"$list"
targets=$(wc -l <"$list")
if [ "$targets" = 0 ]; then
	echo 'no fuzz target found' >&2
	exit 1
fi
seconds=$((90 / targets))
time=${WASM_DEBUGID_FUZZTIME:-$((seconds < 2 ? 2 : seconds > 10 ? 10 : seconds))s}

# fuzz PACKAGE TARGET. When the time is over while an input runs, Go sometimes calls
# that a failure: no failing input is written, and only that is tried again.
fuzz() {
	local log=$WASM_DEBUGID_CI_TMP/fuzz-log n
	for n in 1 2 3; do
		go test -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 5s "$1" >"$log" 2>&1 && break
		if ! grep -q 'context deadline exceeded' "$log" || grep -q 'Failing input written' "$log" || [ $n = 3 ]; then
			cat "$log"
			return 1
		fi
	done
	printf '%s %s: %s\n' "$1" "$2" "$(grep -o 'execs: [0-9]*' "$log" | tail -n 1)"
}

failed=0
while read -r pkg target; do
	fuzz "$pkg" "$target" || failed=$((failed + 1))
done <"$list"
echo "$targets fuzz targets, $time each, $failed failed"
[ $failed = 0 ]
