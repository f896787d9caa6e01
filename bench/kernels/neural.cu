// Building blocks of neural networks, in f32.
static const unsigned ALL = 0xffffffffu;

__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step >>= 1) value += __shfl_xor_sync(ALL, value, step);
  return value;
}

__device__ float warp_max(float value) {
  for (int step = 16; step > 0; step >>= 1) value = fmaxf(value, __shfl_xor_sync(ALL, value, step));
  return value;
}

/// The sum (or maximum) over a block of 8 warps, in every thread.
template <bool MAX> __device__ float block_all(float value, float *warps) {
  value = MAX ? warp_max(value) : warp_sum(value);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = value;
  __syncthreads();
  float result = warps[0];
  for (int i = 1; i < 8; i++) result = MAX ? fmaxf(result, warps[i]) : result + warps[i];
  return result;
}

/// Rows of 2048, one block of 256 threads per row.
extern "C" __global__ void softmax(const float *in, float *out) {
  __shared__ float warps[8];
  unsigned base = blockIdx.x * 2048 + threadIdx.x;
  float value[8], top = -INFINITY, sum = 0;
  for (int i = 0; i < 8; i++) {
    value[i] = in[base + i * 256];
    top = fmaxf(top, value[i]);
  }
  top = block_all<true>(top, warps);
  for (int i = 0; i < 8; i++) {
    value[i] = __expf(value[i] - top);
    sum += value[i];
  }
  float scale = __fdividef(1.0f, block_all<false>(sum, warps));
  for (int i = 0; i < 8; i++) out[base + i * 256] = value[i] * scale;
}

/// Rows of 2048, one block of 256 threads per row.
extern "C" __global__ void layer_norm(const float *in, const float *gain, const float *bias, float *out) {
  __shared__ float warps[8];
  unsigned base = blockIdx.x * 2048 + threadIdx.x;
  float value[8], sum = 0, squares = 0;
  for (int i = 0; i < 8; i++) {
    value[i] = in[base + i * 256];
    sum += value[i];
  }
  float mean = block_all<false>(sum, warps) * (1.0f / 2048);
  for (int i = 0; i < 8; i++) {
    value[i] -= mean;
    squares += value[i] * value[i];
  }
  float scale = rsqrtf(block_all<false>(squares, warps) * (1.0f / 2048) + 1e-5f);
  for (int i = 0; i < 8; i++) {
    unsigned column = i * 256 + threadIdx.x;
    out[base + i * 256] = value[i] * scale * gain[column] + bias[column];
  }
}

/// One warp per row of a matrix, whose width is a multiple of 32. Blocks of 256 threads.
extern "C" __global__ void gemv(const float *matrix, const float *x, float *y, unsigned columns) {
  unsigned lane = threadIdx.x & 31, row = blockIdx.x * 8 + (threadIdx.x >> 5);
  float sum = 0;
  for (unsigned column = lane; column < columns; column += 32) sum += matrix[row * columns + column] * x[column];
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

/// Square matrices in tiles of 64 x 64; 16 x 16 threads with 4 x 4 results each.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, unsigned size) {
  __shared__ float left[16][65], right[16][64];
  unsigned tx = threadIdx.x, ty = threadIdx.y, thread = ty * 16 + tx;
  unsigned row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (unsigned k = 0; k < size; k += 16) {
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
      left[thread & 15][(thread >> 4) + i * 16] = a[(row + (thread >> 4) + i * 16) * size + k + (thread & 15)];
      right[(thread >> 6) + i * 4][thread & 63] = b[(k + (thread >> 6) + i * 4) * size + column + (thread & 63)];
    }
    __syncthreads();
#pragma unroll 4
    for (unsigned inner = 0; inner < 16; inner++) {
      float x[4], y[4];
#pragma unroll
      for (unsigned i = 0; i < 4; i++) {
        x[i] = left[inner][ty * 4 + i];
        y[i] = right[inner][tx * 4 + i];
      }
#pragma unroll
      for (unsigned i = 0; i < 4; i++)
#pragma unroll
        for (unsigned j = 0; j < 4; j++) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 4; i++)
#pragma unroll
    for (unsigned j = 0; j < 4; j++) c[(row + ty * 4 + i) * size + column + tx * 4 + j] = sum[i][j];
}
