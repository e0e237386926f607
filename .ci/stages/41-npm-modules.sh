# ten published npm packages: their modules are split, loaded, and the packages run with them
WASM_DEBUGID_NPM=$(npm_set modules)
export WASM_DEBUGID_NPM
installed
stage_test npm-modules '^TestNPMModules'
