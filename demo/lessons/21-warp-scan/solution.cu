// Each block has 32 threads: one warp.
__global__ void scan_warps(const int *x, int *y) {
  int lane = threadIdx.x;
  int i = blockIdx.x * 32 + lane;
  int sum = x[i];
  for (int distance = 1; distance < 32; distance *= 2) {
    int other = __shfl_up_sync(0xffffffff, sum, distance);
    if (lane >= distance) sum += other;
  }
  y[i] = sum;
}
