__device__ float sum_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;  // The sum is the same in all lanes.
}

// Each block has 32 threads, and computes one row.
__global__ void softmax(int columns, const float *x, float *y) {
  const float *row = x + blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += expf(row[i]);
  sum = sum_warp(sum);
  for (int i = threadIdx.x; i < columns; i += 32) y[blockIdx.x * columns + i] = expf(row[i]) / sum;
}
