__global__ void sum_warps(const int *x, int *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = x[i];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  if (threadIdx.x % 32 == 0) sums[i / 32] = value;
}
