# splitting beside cp and other tools on 50 MB and 500 MB modules; prints a table, judges nothing
apt llvm-22 wabt binaryen
sentry=$(npm_set interop)/node_modules/sentry/dist/bin.cjs
installed
go run ./scripts/bench-split -runs "${WASM_DEBUGID_BENCH_RUNS:-3}" -sentry "$sentry"
