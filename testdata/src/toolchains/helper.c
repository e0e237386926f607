#include "calc.h"

int helper_sum(const int *p, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += p[i];
  return sum;
}

unsigned helper_mix(unsigned h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  return h;
}

/* No caller: the linker drops it and leaves a tombstone in the DWARF. */
int helper_unused(int n) { return n * 3; }
