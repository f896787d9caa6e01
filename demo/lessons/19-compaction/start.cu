// Each block has 32 threads: one warp.
__global__ void keep_positive(const int *x, int *kept, int *counts) {
  int lane = threadIdx.x;
  int first = blockIdx.x * 32;
  int value = x[first + lane];
  unsigned votes = __ballot_sync(0xffffffff, value > 0);
  int place = lane;  // Count the lanes before this one that keep their elements.
  if (value > 0) kept[first + place] = value;
  if (lane == 0) counts[blockIdx.x] = __popc(votes);
}
