// Wrong answers to the lessons about warps.

// Lanes whose number is odd do not call the function that the mask names.
__global__ void swap_in_branch(const int *x, int *y) {
  int i = blockIdx.x * 32 + threadIdx.x;
  int value = x[i];
  if (threadIdx.x % 2 == 0) value = __shfl_sync(0xffffffff, value, threadIdx.x ^ 1);
  y[i] = value;
}

// The last step is missing.
__global__ void sum_pairs_of_warp(const int *x, int *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = x[i];
  for (int distance = 16; distance > 1; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  if (threadIdx.x % 32 == 0) sums[i / 32] = value;
}

// No barrier before thread 0 reads the sums of the warps.
__global__ void dot_without_barrier(int n, const float *x, const float *y, float *result) {
  __shared__ float sums[2];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * y[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  if (threadIdx.x == 0) atomicAdd(result, sums[0] + sums[1]);
}

// The count includes the lane itself.
__global__ void keep_one_too_far(const int *x, int *kept, int *counts) {
  int lane = threadIdx.x;
  int first = blockIdx.x * 32;
  int value = x[first + lane];
  unsigned votes = __ballot_sync(0xffffffff, value > 0);
  int place = __popc(votes & ((2u << lane) - 1));
  if (value > 0) kept[first + place] = value;
  if (lane == 0) counts[blockIdx.x] = __popc(votes);
}
