# clang, emcc, CMake, make and Meson: each builds through wasm-debugid, and a crash resolves
apt clang-19 clang-22 lld-19 lld-22 llvm-19 wasi-libc libclang-rt-19-dev-wasm32 libclang-rt-22-dev-wasm32 \
	emscripten binaryen cmake ninja-build make meson nodejs
export WASM_DEBUGID_EM_CACHE=$cache/emscripten
installed
stage_test cc '^TestCc'
