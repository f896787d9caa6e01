__device__ float warp_max(float value) {
  for (int mask = 16; mask > 0; mask /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, mask));
  return value;
}

__device__ float warp_sum(float value) {
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(0xffffffff, value, mask);
  return value;
}

__global__ void softmax(const float *in, float *out, int rows, int columns) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float *from = in + row * columns;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += 32) most = fmaxf(most, from[i]);
  most = warp_max(most);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += expf(from[i] - most);
  sum = warp_sum(sum);
  for (int i = threadIdx.x; i < columns; i += 32) out[row * columns + i] = expf(from[i] - most) / sum;
}
