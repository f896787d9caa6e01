__device__ float sum_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

// Each block has 32 threads, and computes one query.
__global__ void attention(int keys, const float *q, const float *k, const float *v, float *out) {
  int lane = threadIdx.x;
  float query = q[blockIdx.x * 32 + lane];
  float most = -1e30f;
  float total = 0;
  float result = 0;
  for (int key = 0; key < keys; key++) {
    float score = sum_warp(query * k[key * 32 + lane]) / sqrtf(32);
    float next = fmaxf(most, score);
    float weight = expf(score - next);
    total += weight;
    result += weight * v[key * 32 + lane];
    most = next;
  }
  out[blockIdx.x * 32 + lane] = result / total;
}
