// Throwing and catching with only the instructions: the few entry points that
// the compiler calls are here instead of a C++ runtime.
extern "C" {
void *__cxa_allocate_exception(unsigned long) {
  static char room[64];
  return room;
}
[[noreturn]] void __cxa_throw(void *p, void *, void (*)(void *)) { __builtin_wasm_throw(0, p); }
void *__cxa_begin_catch(void *p) { return p; }
void __cxa_end_catch() {}
[[noreturn]] void __cxa_rethrow() { __builtin_trap(); }
struct {
  unsigned long index;
  void *lsda;
  unsigned long selector;
} __wasm_lpad_context;
int _Unwind_CallPersonality(void *) { return 3; }
int __gxx_wasm_personality_v0() { return 3; }
[[noreturn]] void _ZSt9terminatev() { __builtin_trap(); }
}

static volatile int sink;

struct Guard {
  int value;
  ~Guard() { sink = value; }
};

__attribute__((noinline)) static void picky(int n) {
  if (n > 5)
    throw n;
}

__attribute__((noinline)) static int catcher(int n) {
  Guard g{n};
  try {
    picky(n);
  } catch (...) {
    return n > 100 ? n / (sink & 0) : -n;
  }
  return 1;
}

extern "C" __attribute__((export_name("run"))) int run(int which, int n) {
  return catcher(which == 6 ? n + 100 : which) + 1;
}
