# what check catches of damaged bytes: a thousand mutations a row, as docs/checks.md says
WASM_DEBUGID_MUTATIONS=1000 go test -count=1 -run '^TestMutations$' -v ./symcheck
