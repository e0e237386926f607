#ifndef CALC_H
#define CALC_H
#define EXPORT(name) __attribute__((export_name(#name)))
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

int helper_sum(const int *p, int n);
unsigned helper_mix(unsigned h);

#endif
