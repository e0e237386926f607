__attribute__((noinline)) int depth(int n) {
  if (n > 2) __builtin_trap();
  return n + 1;
}
__attribute__((export_name("run"))) int run(int n) { return depth(n); }
