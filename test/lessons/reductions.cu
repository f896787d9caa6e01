// Wrong answers to the lessons about reductions.

// One thread too many adds in each step.
__global__ void sum_one_too_many(const int *x, int *sums) {
  __shared__ int part[128];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * 128 + t];
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t <= half && t + half < 128) part[t] += part[t + half];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

__global__ void sum_of_every_thread(int n, const int *x, int *total) {
  __shared__ int part[64];
  int t = threadIdx.x;
  int sum = 0;
  for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) sum += x[i];
  part[t] = sum;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  atomicAdd(total, part[t]);
}

// The fence follows the counter.
__global__ void sum_fence_too_late(const float *x, float *partial, int *counter, float *total) {
  __shared__ float part[32];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * 32 + t];
  for (int half = 16; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) {
    partial[blockIdx.x] = part[0];
    bool is_last = atomicAdd(counter, 1) == gridDim.x - 1;
    __threadfence();
    if (!is_last) return;
    float sum = 0;
    for (int block = 0; block < gridDim.x; block++) sum += partial[block];
    *total = sum;
  }
}
