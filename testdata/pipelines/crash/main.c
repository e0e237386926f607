#include <stdio.h>
#include <stdlib.h>

int push(int value);

int main(int argc, char **argv) {
  printf("values: %d\n", argc - 1);
  for (int i = 1; i < argc; i++) {
    push(atoi(argv[i])); // crash.1 = main
  }
  return 0;
}
