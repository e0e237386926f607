#include <stdio.h>

static int square(int n) { return n * n; }

int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 1; i < argc; i++) {
    int length = 0;
    while (argv[i][length])
      length++;
    sum += square(length);
    printf("%s:%d\n", argv[i], length);
  }
  printf("sum %d\n", sum);
  return sum & 0x7f;
}
