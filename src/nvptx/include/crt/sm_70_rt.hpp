// __match_any_sync and __match_all_sync, of the parts that clang's __clang_cuda_intrinsics.h defines.
#pragma once

#define LANEWISE_MATCH(type, bits, word) \
  static __device__ inline unsigned __match_any_sync(unsigned mask, type value) { \
    word copy = 0; \
    __builtin_memcpy(&copy, &value, sizeof value); \
    return __match##bits##_any_sync(mask, copy); \
  } \
  static __device__ inline unsigned __match_all_sync(unsigned mask, type value, int *same) { \
    word copy = 0; \
    __builtin_memcpy(&copy, &value, sizeof value); \
    return __match##bits##_all_sync(mask, copy, same); \
  }
LANEWISE_MATCH(int, 32, unsigned)
LANEWISE_MATCH(unsigned, 32, unsigned)
LANEWISE_MATCH(float, 32, unsigned)
LANEWISE_MATCH(long, 64, unsigned long long)
LANEWISE_MATCH(unsigned long, 64, unsigned long long)
LANEWISE_MATCH(long long, 64, unsigned long long)
LANEWISE_MATCH(unsigned long long, 64, unsigned long long)
LANEWISE_MATCH(double, 64, unsigned long long)
#undef LANEWISE_MATCH
