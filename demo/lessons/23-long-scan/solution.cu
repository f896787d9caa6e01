__device__ int scan_warp(int sum) {
  for (int distance = 1; distance < 32; distance *= 2) {
    int other = __shfl_up_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 >= distance) sum += other;
  }
  return sum;
}

// The grid has one block of 64 threads: two warps.
__global__ void scan_all(int n, const int *x, int *y) {
  __shared__ int totals[2];
  int warp = threadIdx.x / 32;
  int carry = 0;
  for (int first = 0; first < n; first += 64) {
    int i = first + threadIdx.x;
    int sum = scan_warp(i < n ? x[i] : 0);
    if (threadIdx.x % 32 == 31) totals[warp] = sum;
    __syncthreads();
    int before = warp == 0 ? 0 : totals[0];
    if (i < n) y[i] = carry + before + sum;
    carry += totals[0] + totals[1];
    __syncthreads();
  }
}
