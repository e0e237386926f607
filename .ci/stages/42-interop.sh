# other tools read the companions: those of Sentry and Datadog, LLVM 19 and 22, wabt, binaryen
apt clang-19 clang-22 lld-19 lld-22 llvm-19 llvm-22 wasi-libc libclang-rt-19-dev-wasm32 \
	libclang-rt-22-dev-wasm32 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 wabt binaryen
WASM_DEBUGID_NPM=$(npm_set interop)
export WASM_DEBUGID_NPM
installed
stage_test interop '^TestInterop'
# llvm-symbolizer 19 and 22 and llvm-dwarfdump 22 as witnesses of the index
WASM_DEBUGID_WITNESS=all go test ./debugfile -count=1 -timeout 30m -v -run '^TestAgainstLLVM' | sed -uE '/^ *=== (RUN|PAUSE|CONT|NAME)/d'
