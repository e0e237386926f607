#include "calc.h"

static int table[64];
static volatile int sink;

ALWAYS_INLINE void swap(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

NOINLINE static int sorted_middle(int n) {
  n &= 63;
  for (int i = 0; i < n; i++)
    table[i] = (int)(helper_mix((unsigned)i) & 0xffff);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (table[j] < table[i])
        swap(&table[i], &table[j]);
  return n ? table[n / 2] : 0;
}

NOINLINE static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

ALWAYS_INLINE int must_be_small(int n) {
  if (n > 5)
    __builtin_trap();
  return n;
}

ALWAYS_INLINE int checked(int n) {
  sink = n;
  return must_be_small(n + 1) * 2;
}

NOINLINE static int divide(int a, int b) { return a / b; }

NOINLINE static int peek(unsigned at) { return *(volatile int *)(unsigned long)at; }

typedef int (*unary)(int);
typedef long long (*other)(long long, int);
static volatile unary slot = fibonacci;

NOINLINE static int wrong_type(int n) { return (int)((other)slot)(n, n); }

EXPORT(run) int run(int which, int n) {
  switch (which) {
  case 0:
    return sorted_middle(n);
  case 1:
    return fibonacci(n & 15);
  case 2:
    sorted_middle(n);
    return helper_sum(table, 16);
  case 3:
    return (int)helper_mix((unsigned)n);
  case 4:
    return slot(n & 7);
  case 6:
    return checked(n) + 1;
  case 7:
    return divide(n, sink & 0) + 1;
  case 8:
    return peek(0xfffffff0u - (unsigned)n) + 1;
  case 9:
    return wrong_type(n) + 1;
  }
  return n;
}
