namespace {

struct Stack {
  int values[2];
  int size;

  void push(int value) {
    if (size == 2)
      __builtin_trap(); // crash.0 = push
    values[size++] = value;
  }
};

Stack stack;

} // namespace

extern "C" __attribute__((noinline)) int push(int value) {
  stack.push(value);
  return stack.size;
}
