// CUDA's <cuda_pipeline.h>: asynchronous copies from global to shared memory.
#pragma once

__device__ inline void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0) {
  unsigned int shared = (unsigned int)__cvta_generic_to_shared(to);
  unsigned int copied = (unsigned int)(size - zeros);
  if (size == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(shared), "l"(from), "r"(copied) : "memory");
  else if (size == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" : : "r"(shared), "l"(from), "r"(copied) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(shared), "l"(from), "r"(copied) : "memory");
}
__device__ inline void __pipeline_commit() { asm volatile("cp.async.commit_group;" : : : "memory"); }
#define __pipeline_wait_prior(n) asm volatile("cp.async.wait_group %0;" : : "n"(n) : "memory")
