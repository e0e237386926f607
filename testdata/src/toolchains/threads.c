#include "calc.h"

static _Thread_local int mine = 7;
static int shared;

EXPORT(run) int run(int which, int n) {
  switch (which) {
  case 0:
    return __atomic_add_fetch(&shared, n, __ATOMIC_SEQ_CST);
  case 1: {
    int expected = 3;
    return __atomic_compare_exchange_n(&shared, &expected, n, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  case 2:
    return mine += n;
  case 6:
    return n / (__atomic_load_n(&shared, __ATOMIC_SEQ_CST) & 0);
  }
  return n;
}
