// Each block has 32 threads: one warp.
__global__ void count_even(const int *x, int *counts) {
  int i = blockIdx.x * 32 + threadIdx.x;
  bool is_even = x[i] % 2 == 0;
  int count = is_even;  // Count the lanes of the warp.
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}
