# real compilers: programs are built, split, held against the promises, and run
apt clang-19 clang-22 lld-19 lld-22 wasi-libc libclang-rt-19-dev-wasm32 libclang-rt-22-dev-wasm32 \
	libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 \
	rustc-web cargo-web rust-web-src \
	emscripten
WASM_DEBUGID_NPM=$(npm_set node)
export WASM_DEBUGID_NPM WASM_DEBUGID_EM_CACHE=$cache/emscripten
installed
stage_test toolchains '^TestToolchains'
