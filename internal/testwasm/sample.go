package testwasm

// Sample returns the sections of a small valid module that holds every kind of
// section of today's specification but the tag section, DWARF-like sections,
// and the usual custom sections. It imports one function, and its exported
// function "add" (index 1) returns the sum of its two arguments.
//
// Add sections with Before and After, remove them with Without, and write the
// module with Build.
func Sample() []Section {
	return []Section{
		Types(FuncType{}, FuncType{Params: []byte{I32, I32}, Results: []byte{I32}}),
		Imports(Import{Module: "env", Name: "log", Kind: KindFunc, Type: 0}),
		Functions(1, 0, 0),
		Tables(Table{Limits: Limits{Min: 2, Max: 2, HasMax: true}}),
		Memories(Limits{Min: 1}),
		Globals(Global{Val: I32, Mutable: true, Init: []byte{OpI32Const, 0x10}}),
		Exports(Export{"add", KindFunc, 1}, Export{"memory", KindMemory, 0}),
		Start(2),
		Elements(Elem{Funcs: []uint32{1, 2}}),
		DataCount(1),
		Code(
			Fn(OpLocalGet, 0, OpLocalGet, 1, 0x6a),                           // add: i32.add
			Fn(OpNop).With(2, I32).With(1, I64),                              // start
			Fn(OpI32Const, 0, OpI32Load, 2, 0, OpDrop, OpCall, 0, OpCall, 2), // peek
		),
		Data(Segment{Offset: 16, Bytes: []byte("hello")}),
		Custom(".debug_abbrev", []byte{1, 17, 0, 0, 0, 0}),
		Custom(".debug_info", []byte("not really DWARF")),
		Custom(".debug_line", []byte("no line program")),
		Custom(".debug_str", []byte("/home/alice/app.c\x00")),
		Names{Module: "app", Functions: List("log", "add", "start", "peek"), Globals: List("sp"), Data: List(".rodata")}.Section(),
		Producers(Producer{"language", "C11", ""}, Producer{"processed-by", "clang", "22.1.8"}),
		TargetFeatures("+mutable-globals", "+sign-ext"),
	}
}
