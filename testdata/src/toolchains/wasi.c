#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_length(const void *a, const void *b) {
  return (int)strlen(*(char *const *)a) - (int)strlen(*(char *const *)b);
}

int main(int argc, char **argv) {
  qsort(argv + 1, (size_t)(argc - 1), sizeof *argv, by_length);
  for (int i = 1; i < argc; i++)
    printf("%d %s %.3f\n", i, argv[i], (double)strlen(argv[i]) / 3);
  return argc;
}
