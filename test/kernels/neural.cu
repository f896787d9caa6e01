// Rows of a network: softmax, layer norm, GEMV, and an int8 layer with a ReLU.

__device__ float warpMax(float v) {
  for (int m = 16; m > 0; m >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, m));
  return v;
}

__device__ float warpSum(float v) {
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m);
  return v;
}

/// Softmax of each row, one warp per row; exp uses ex2.approx.
extern "C" __global__ void softmax_rows(const float *in, float *out, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= rows) return;
  const float *x = in + row * columns;
  float top = -3.0e38f;
  for (int c = lane; c < columns; c += 32) top = fmaxf(top, x[c]);
  top = warpMax(top);
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += expf(x[c] - top);
  sum = warpSum(sum);
  for (int c = lane; c < columns; c += 32) out[row * columns + c] = expf(x[c] - top) / sum;
}

/// Layer norm of each row, one block per row: two block reductions, rsqrt.approx.
extern "C" __global__ void layer_norm(const float *in, const float *gain, const float *bias, float *out, int columns, float epsilon) {
  __shared__ float parts[2][8];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  const float *x = in + blockIdx.x * columns;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    sum += x[c];
    squares += x[c] * x[c];
  }
  sum = warpSum(sum);
  squares = warpSum(squares);
  if (lane == 0) {
    parts[0][warp] = sum;
    parts[1][warp] = squares;
  }
  __syncthreads();
  sum = squares = 0;
  for (int w = 0; w < warps; w++) {
    sum += parts[0][w];
    squares += parts[1][w];
  }
  float mean = sum / columns;
  float scale = rsqrtf(squares / columns - mean * mean + epsilon);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = (x[c] - mean) * scale * gain[c] + bias[c];
}

/// y = A x, one warp per row, float4 loads. `columns` is a multiple of 4. Exact to the bit: only
/// fma and add.
extern "C" __global__ void gemv_warp(const float4 *a, const float4 *x, float *y, int rows, int columns) {
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;
  int quads = columns >> 2;
  float sum = 0;
  for (int q = lane; q < quads; q += 32) {
    float4 m = a[row * quads + q], v = x[q];
    sum = fmaf(m.x, v.x, sum);
    sum = fmaf(m.y, v.y, sum);
    sum = fmaf(m.z, v.z, sum);
    sum = fmaf(m.w, v.w, sum);
  }
  sum = warpSum(sum);
  if (lane == 0) y[row] = sum;
}

/// Int8 dot products with dp4a and a ReLU, requantized to u8.
extern "C" __global__ void dense_int8(const int *weights, const int *x, unsigned char *y, int words, int shift) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int w = 0; w < words; w++) sum = __dp4a(weights[row * words + w], x[w], sum);
  sum = max(sum, 0) >> shift;
  y[row] = (unsigned char)min(sum, 255);
}
