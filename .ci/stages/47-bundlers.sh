# vite, webpack, rollup and esbuild build apps around a split module, and its crash in Chromium becomes files and lines
apt nodejs chromium
WASM_DEBUGID_NPM=$(npm_set bundlers)
export WASM_DEBUGID_NPM
installed
stage_test bundlers '^TestBundlers'
