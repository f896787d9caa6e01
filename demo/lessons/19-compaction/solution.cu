// Each block has 32 threads: one warp.
__global__ void keep_positive(const int *x, int *kept, int *counts) {
  int lane = threadIdx.x;
  int first = blockIdx.x * 32;
  int value = x[first + lane];
  unsigned votes = __ballot_sync(0xffffffff, value > 0);
  int place = __popc(votes & ((1u << lane) - 1));
  if (value > 0) kept[first + place] = value;
  if (lane == 0) counts[blockIdx.x] = __popc(votes);
}
