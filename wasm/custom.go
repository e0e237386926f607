package wasm

// Names of the custom sections that this project knows, and what they hold.
const (
	// CustomName: names of the module, its functions and more.
	// https://webassembly.github.io/spec/core/appendix/custom.html#name-section
	CustomName = "name"
	// CustomBuildID: the build ID, a length-prefixed byte string.
	// https://github.com/WebAssembly/tool-conventions/blob/main/BuildId.md
	CustomBuildID = "build_id"
	// CustomExternalDebugInfo: the URL of the debug companion.
	// https://github.com/WebAssembly/tool-conventions/blob/main/Debugging.md
	CustomExternalDebugInfo = "external_debug_info"
	// CustomSourceMappingURL: the URL of a source map.
	// https://tc39.es/ecma426/#sec-linking-wasm
	CustomSourceMappingURL = "sourceMappingURL"
	// CustomProducers: source language and tools that made the module.
	// https://github.com/WebAssembly/tool-conventions/blob/main/ProducersSection.md
	CustomProducers = "producers"
	// CustomTargetFeatures: features that the code uses or must not meet.
	// https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md#target-features-section
	CustomTargetFeatures = "target_features"
	// CustomDylink0: what a dynamic linker needs; always the first section.
	// https://github.com/WebAssembly/tool-conventions/blob/main/DynamicLinking.md
	CustomDylink0 = "dylink.0"
	// CustomDylink: the older form of dylink.0.
	CustomDylink = "dylink"
	// CustomLinking: symbols and segments for the linker.
	// https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md
	CustomLinking = "linking"
	// CustomRelocPrefix begins the names of relocation sections: "reloc.CODE",
	// "reloc..debug_info".
	CustomRelocPrefix = "reloc."
	// CustomMetadataCodePrefix begins the names of code metadata, such as branch
	// hints; they stand before Code and count from the start of a body.
	// https://github.com/WebAssembly/tool-conventions/blob/main/CodeMetadata.md
	CustomMetadataCodePrefix = "metadata.code."
	// CustomComponentTypePrefix begins the names of sections with the interface
	// types of a component that is still to be made of the module.
	CustomComponentTypePrefix = "component-type:"
	// CustomWasmBindgen: descriptors that wasm-bindgen has yet to process; it
	// removes the section and rewrites the code when it does.
	CustomWasmBindgen = "__wasm_bindgen_unstable"
	// CustomGoBuildID: the Go toolchain's own identification of a build; not a
	// build ID in the sense of the build_id section.
	CustomGoBuildID = "go:buildid"
	// CustomSignature: a signature over hashes of whole sections; any edit of the
	// file breaks it. https://github.com/WebAssembly/tool-conventions/blob/main/Signatures.md
	CustomSignature = "signature"
	// CustomWasmDebugID: this project's record in a companion of the production
	// module that it belongs to.
	CustomWasmDebugID = "wasm-debugid"
	// CustomDebugPrefix begins the names of DWARF sections.
	// https://yurydelendik.github.io/webassembly-dwarf/
	CustomDebugPrefix = ".debug_"
)
