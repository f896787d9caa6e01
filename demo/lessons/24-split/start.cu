// Each block has 64 threads: two warps.
__global__ void split(int bit, const unsigned *keys, unsigned *out) {
  __shared__ int totals[2];
  int t = threadIdx.x;
  int lane = t % 32;
  int warp = t / 32;
  unsigned key = keys[blockIdx.x * 64 + t];
  bool is_zero = (key >> bit & 1) == 0;
  unsigned zeros = __ballot_sync(0xffffffff, is_zero);
  if (lane == 0) totals[warp] = __popc(zeros);
  __syncthreads();
  // The number of keys before this one whose bit is 0.
  int before = (warp == 0 ? 0 : totals[0]) + __popc(zeros & ((1u << lane) - 1));
  int place = is_zero ? before : t;  // Compute the place of a key whose bit is 1.
  out[blockIdx.x * 64 + place] = key;
}
