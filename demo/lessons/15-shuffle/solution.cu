// Each block has 32 threads: one warp.
__global__ void swap_pairs(const int *x, int *y) {
  int i = blockIdx.x * 32 + threadIdx.x;
  int lane = threadIdx.x;
  int value = x[i];
  y[i] = __shfl_sync(0xffffffff, value, lane ^ 1);
}
