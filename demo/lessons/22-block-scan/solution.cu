__global__ void scan_blocks(const int *x, int *y) {
  __shared__ int sums[64];
  int t = threadIdx.x;
  int i = blockIdx.x * 64 + t;
  sums[t] = x[i];
  __syncthreads();
  for (int distance = 1; distance < 64; distance *= 2) {
    int other = t >= distance ? sums[t - distance] : 0;
    __syncthreads();
    sums[t] += other;
    __syncthreads();
  }
  y[i] = sums[t];
}
