// Warp-level matrices by nvcuda::wmma: every type and shape, layouts, epilogues on fragments.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

/// C = A B for any sizes: tiles of 32 x 32 in shared memory, zero-padded at the edges, with a
/// quarter of a tile per warp.
extern "C" __global__ void wmma_gemm(const __half *a, const __half *b, float *c, int m, int n, int k) {
  const int gap = 8;
  __shared__ __align__(32) __half ta[32][16 + gap];
  __shared__ __align__(32) __half tb[16][32 + gap];
  __shared__ __align__(32) float tc[32][32 + gap];
  int t = threadIdx.x, warp = t / 32, row = blockIdx.y * 32, col = blockIdx.x * 32;
  int r = warp / 2 * 16, q = warp % 2 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  #pragma unroll 1
  for (int step = 0; step < k; step += 16) {
    for (int i = t; i < 512; i += 128) {
      int y = i / 16, x = i % 16;
      ta[y][x] = row + y < m && step + x < k ? a[(row + y) * k + step + x] : __half(0.0f);
      y = i / 32, x = i % 32;
      tb[y][x] = step + y < k && col + x < n ? b[(step + y) * n + col + x] : __half(0.0f);
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, &ta[r][0], 16 + gap);
    wmma::load_matrix_sync(fb, &tb[0][q], 32 + gap);
    wmma::mma_sync(sum, fa, fb, sum);
    __syncthreads();
  }
  wmma::store_matrix_sync(&tc[r][q], sum, 32 + gap, wmma::mem_row_major);
  __syncthreads();
  for (int i = t; i < 1024; i += 128)
    if (row + i / 32 < m && col + i % 32 < n) c[(row + i / 32) * n + col + i % 32] = tc[i / 32][i % 32];
}

using Row = wmma::row_major;
using Col = wmma::col_major;
template <typename T> __device__ constexpr bool is_row() { return false; }
template <> __device__ constexpr bool is_row<Row>() { return true; }

/// D = relu(A B + C) of one warp, from and to memory directly, with K in steps of the shape. `rows`
/// is the layout of C and D.
template <int M, int N, int K, typename P, typename A, typename B, bool rows, typename T, typename S>
__device__ void product(const T *a, const T *b, const S *c, S *d, int k) {
  const auto layout = rows ? wmma::mem_row_major : wmma::mem_col_major;
  wmma::fragment<wmma::accumulator, M, N, K, S> sum;
  wmma::load_matrix_sync(sum, c, rows ? N : M, layout);
  #pragma unroll 1
  for (int i = 0; i < k; i += K) {
    wmma::fragment<wmma::matrix_a, M, N, K, P, A> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, P, B> fb;
    wmma::load_matrix_sync(fa, a + (is_row<A>() ? i : i * M), is_row<A>() ? k : M);
    wmma::load_matrix_sync(fb, b + (is_row<B>() ? i * N : i), is_row<B>() ? N : k);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] = sum.x[i] > S(0) ? sum.x[i] : S(0);
  wmma::store_matrix_sync(d, sum, rows ? N : M, layout);
}

extern "C" __global__ void wmma_half_sums(const __half *a, const __half *b, const __half *c, __half *d, int k) {
  if (threadIdx.x < 32) product<32, 8, 16, __half, Row, Col, true>(a, b, c, d, k);
  else if (threadIdx.x < 64) product<8, 32, 16, __half, Col, Row, false>(a, b, c, d + 256, k);
  else product<16, 16, 16, __half, Col, Col, false>(a, b, c, d + 512, k);
}

extern "C" __global__ void wmma_float_sums(const __half *a, const __half *b, const float *c, float *d, int k) {
  if (threadIdx.x < 32) product<32, 8, 16, __half, Col, Row, false>(a, b, c, d, k);
  else if (threadIdx.x < 64) product<8, 32, 16, __half, Row, Col, true>(a, b, c, d + 256, k);
  else product<16, 16, 16, __half, Row, Row, true>(a, b, c, d + 512, k);
}

extern "C" __global__ void wmma_bfloat(const __nv_bfloat16 *a, const __nv_bfloat16 *b, const float *c, float *d, int k) {
  if (threadIdx.x < 32) product<32, 8, 16, __nv_bfloat16, Row, Row, true>(a, b, c, d, k);
  else if (threadIdx.x < 64) product<8, 32, 16, __nv_bfloat16, Col, Col, false>(a, b, c, d + 256, k);
  else product<16, 16, 16, __nv_bfloat16, Row, Col, false>(a, b, c, d + 512, k);
}

extern "C" __global__ void wmma_bytes(const signed char *a, const signed char *b, const int *c, int *d, int k) {
  if (threadIdx.x < 32) product<32, 8, 16, signed char, Row, Col, true>(a, b, c, d, k);
  else if (threadIdx.x < 64) product<8, 32, 16, signed char, Col, Row, false>(a, b, c, d + 256, k);
  else product<16, 16, 16, signed char, Row, Row, true>(a, b, c, d + 512, k);
}

extern "C" __global__ void wmma_unsigned_bytes(const unsigned char *a, const unsigned char *b, const int *c, int *d, int k) {
  if (threadIdx.x < 32) product<32, 8, 16, unsigned char, Col, Row, true>(a, b, c, d, k);
  else if (threadIdx.x < 64) product<8, 32, 16, unsigned char, Row, Col, false>(a, b, c, d + 256, k);
  else product<16, 16, 16, unsigned char, Col, Col, true>(a, b, c, d + 512, k);
}

/// The fragments' values are rounded to tf32.
extern "C" __global__ void wmma_tf32(const float *a, const float *b, const float *c, float *d, int k) {
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
  #pragma unroll 1
  for (int i = 0; i < k; i += 8) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, Row> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, Col> fb;
    wmma::load_matrix_sync(fa, a + i, k);
    wmma::load_matrix_sync(fb, b + i, k);
    for (int j = 0; j < fa.num_elements; j++) fa.x[j] = wmma::__float_to_tf32(fa.x[j]);
    for (int j = 0; j < fb.num_elements; j++) fb.x[j] = wmma::__float_to_tf32(fb.x[j]);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

extern "C" __global__ void wmma_double(const double *a, const double *b, const double *c, double *d, int k) {
  if (threadIdx.x < 32) product<8, 8, 4, double, Row, Col, true>(a, b, c, d, k);
  else product<8, 8, 4, double, Col, Row, false>(a, b, c, d + 64, k);
}

/// Products of bytes with saturation, of half bytes, and of single bits. K is the shape's.
extern "C" __global__ void wmma_small(const unsigned *a, const unsigned *b, const int *c, int *d) {
  using namespace wmma::experimental;
  {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, Row> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, Col> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::load_matrix_sync(fa, (const signed char *)a, 16);
    wmma::load_matrix_sync(fb, (const signed char *)b, 16);
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
    wmma::mma_sync(sum, fa, fb, sum, true);
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
  }
  {
    wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::s4, Row> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::s4, Col> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::load_matrix_sync(sum, c, 8, wmma::mem_row_major);
    wmma::mma_sync(sum, fa, fb, sum, true);
    wmma::store_matrix_sync(d + 256, sum, 8, wmma::mem_row_major);
  }
  {
    wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::u4, Row> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::u4, Col> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::fill_fragment(sum, -7);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(d + 320, sum, 8, wmma::mem_col_major);
  }
  wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, Row> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, Col> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum, either, both;
  wmma::load_matrix_sync(fa, a, 128);
  wmma::load_matrix_sync(fb, b, 128);
  wmma::fill_fragment(sum, 3);
  bmma_sync(either, fa, fb, sum, bmmaBitOpXOR);
  bmma_sync(both, fa, fb, sum, bmmaBitOpAND);
  wmma::store_matrix_sync(d + 384, either, 8, wmma::mem_row_major);
  wmma::store_matrix_sync(d + 448, both, 8, wmma::mem_row_major);
}
