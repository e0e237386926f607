# a Rust crate through wasm-bindgen: its module is split behind it, runs in Node.js, and a panic becomes files and lines
apt rustc-web cargo-web rust-web-src lld-22 gcc libc6-dev nodejs
# The version of the crate in testdata/pipelines/wasm-bindgen; the published lock file fixes the rest.
bindgen=$cache/cargo/wasm-bindgen-0.2.129
export WASM_DEBUGID_BINDGEN=$bindgen/bin/wasm-bindgen
export WASM_DEBUGID_CARGO_HOME=$cache/cargo/home WASM_DEBUGID_CARGO_TARGET=$cache/cargo/target
if [ ! -x "$WASM_DEBUGID_BINDGEN" ]; then
	# It does the same however well it is optimised.
	PATH=/usr/bin:/bin RUSTUP_TOOLCHAIN='' CARGO_HOME=$WASM_DEBUGID_CARGO_HOME CARGO_TARGET_DIR=$WASM_DEBUGID_CI_TMP/wasm-bindgen \
		CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off \
		retry /usr/bin/cargo install --quiet --locked --no-default-features --root "$bindgen" --bin wasm-bindgen \
		"wasm-bindgen-cli@${bindgen##*-}"
	rm -rf "$WASM_DEBUGID_CI_TMP/wasm-bindgen"
fi
installed
stage_test wasm-bindgen '^TestBindgen'
