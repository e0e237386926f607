package symcheck

import "testing"

func TestIsRuntimeName(t *testing.T) {
	for name, want := range map[string]bool{
		// C libraries.
		"printf": true, "malloc": true, "dlmalloc": true, "printf_core": true, "pop_arg": true, "pad.1": true, "memcpy": true,
		"__stdio_write": true, "__multi3": true, "_Exit": true, "pthread_mutex_lock": true, "emscripten_builtin_malloc": true,
		// C++.
		"operator new(unsigned long)": true, "_Znwm": true, "_ZdlPv": true, "std::terminate()": true, "_ZSt9terminatev": true,
		"std::__2::basic_ostream<char, std::__2::char_traits<char>>::flush()":     true,
		"void std::__2::__sort<int*>(int*, int*)":                                 true,
		"std::__2::ostream& std::__2::operator<<<char>(std::__2::ostream&, char)": true,
		"virtual thunk to std::__2::basic_istream<char>::~basic_istream()":        true,
		"__cxxabiv1::__si_class_type_info::~__si_class_type_info()":               true,
		"(anonymous namespace)::itanium_demangle::Node::print() const":            true,
		// Rust, in both ways of mangling, and readable.
		"_ZN4core3fmt5write17h0123456789abcdefE": true, "core::fmt::write": true, "core::fmt::write::h0123456789abcdef": true,
		"_RNvNtCs7H9l0GukdWM_4core9panicking9panic_fmt":        true,
		"_RNvMsa_NtNtNtCs7H9l0GukdWM_4core3fmt3num3impm4__fmt": true, "_RNvCsfgHYwM92fyn_7___rustc12___rust_alloc": true,
		"<alloc::string::String as core::fmt::Write>::write_str":      true,
		"<&mut core::fmt::Formatter as core::fmt::Write>::write_char": true,
		"<&str as core::fmt::Display>::fmt":                           true,
		"<[u8]>::len":                                                 true, "<u32>::pow": true, "rust_eh_personality": true, "rust_begin_unwind": true,
		// Somebody's own.
		"main": false, "__original_main": false, "__main_argc_argv": false, "run": false, "work": false, "_start_engine": false,
		"app::printf(int)": false, "_ZN3app3runEv": false, "app::operator<<(std::ostream&, app::T const&)": false,
		"std::string app::name<int>(int)": false, "stdlib::thing()": false, "(anonymous namespace)::helper()": false,
		"_RNvCsbPi4giiNHK5_10trap_nostd5outer":         false,
		"<app::Error as core::fmt::Display>::fmt":      false,
		"<app::List<core::fmt::Error>>::push":          false,
		"<alloc::vec::Vec<app::T> as app::Trait>::run": true, // the type's crate decides
		"": false, "pad_left": false, "readable": false, "core": false, "::": false, "<": false, "<>::": false, "operator": false, "a.": false,
	} {
		if got := isRuntimeName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
