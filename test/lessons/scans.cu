// Wrong answers to the lessons about scans.

// Lanes without a neighbor at the distance do not call the shuffle.
__global__ void scan_in_branch(const int *x, int *y) {
  int lane = threadIdx.x;
  int i = blockIdx.x * 32 + lane;
  int sum = x[i];
  for (int distance = 1; distance < 32; distance *= 2) {
    if (lane >= distance) sum += __shfl_up_sync(0xffffffff, sum, distance);
  }
  y[i] = sum;
}

// Only one barrier for each step, before the read.
__global__ void scan_barrier_before_read(const int *x, int *y) {
  __shared__ int sums[64];
  int t = threadIdx.x;
  int i = blockIdx.x * 64 + t;
  sums[t] = x[i];
  for (int distance = 1; distance < 64; distance *= 2) {
    __syncthreads();
    if (t >= distance) sums[t] += sums[t - distance];
  }
  y[i] = sums[t];
}

// Ones start after the zeros of the warp instead of those of the block.
__global__ void split_by_warp(int bit, const unsigned *keys, unsigned *out) {
  int t = threadIdx.x;
  bool is_zero = (keys[blockIdx.x * 64 + t] >> bit & 1) == 0;
  unsigned zeros = __ballot_sync(0xffffffff, is_zero);
  int before = __popc(zeros & ((1u << t % 32) - 1));
  int place = is_zero ? before : __popc(zeros) + t % 32 - before;
  out[blockIdx.x * 64 + t / 32 * 32 + place] = keys[blockIdx.x * 64 + t];
}
