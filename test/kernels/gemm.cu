// Matrix multiplication.

/// C = A B in 8x8 or 16x16 tiles of static shared memory, for any sizes (zero padding at the
/// edges).
template <int T>
__device__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float ta[T][T], tb[T][T + 1];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += T) {
    int ac = t + threadIdx.x, br = t + threadIdx.y;
    ta[threadIdx.y][threadIdx.x] = row < m && ac < k ? a[row * k + ac] : 0.0f;
    tb[threadIdx.y][threadIdx.x] = br < k && col < n ? b[br * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; i++) sum = fmaf(ta[threadIdx.y][i], tb[i][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

extern "C" __global__ void gemm_tiled8(const float *a, const float *b, float *c, int m, int n, int k) {
  multiply<8>(a, b, c, m, n, k);
}

extern "C" __global__ void gemm_tiled16(const float *a, const float *b, float *c, int m, int n, int k) {
  multiply<16>(a, b, c, m, n, k);
}

/// An s32 product with four outputs per thread. One piece of dynamic shared memory has both tiles.
extern "C" __global__ void gemm_dynamic(const int *a, const int *b, int *c, int n) {
  extern __shared__ int tiles[];
  int *ta = tiles, *tb = tiles + 16 * 16;
  int tx = threadIdx.x, ty = threadIdx.y;  // 16 x 4 threads, a 16 x 16 tile
  int col = blockIdx.x * 16 + tx;
  int acc[4] = {0, 0, 0, 0};
  for (int t = 0; t < n; t += 16) {
    for (int r = 0; r < 4; r++) {
      int y = ty * 4 + r;
      ta[y * 16 + tx] = a[(blockIdx.y * 16 + y) * n + t + tx];
      tb[y * 16 + tx] = b[(t + y) * n + col];
    }
    __syncthreads();
    for (int i = 0; i < 16; i++)
      for (int r = 0; r < 4; r++) acc[r] += ta[(ty * 4 + r) * 16 + i] * tb[i * 16 + tx];
    __syncthreads();
  }
  for (int r = 0; r < 4; r++) c[(blockIdx.y * 16 + ty * 4 + r) * n + col] = acc[r];
}
