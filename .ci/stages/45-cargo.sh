# a Rust crate through linker mode and through cargo debugid, built twice, run, and its crashes symbolicated
apt rustc-web cargo-web rust-web-src lld-22 wasi-libc
installed
stage_test cargo '^TestCargo'
