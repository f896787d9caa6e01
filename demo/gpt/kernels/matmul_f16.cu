// The products of matmul.cu in tensor cores: 128 threads for 32 x 32 results. Factors are rounded to f16, and sums are f32.
// Gradients are divided by the number of rows, so some are too small for f16. `scale`, a power of two, makes them larger; `back` is its reciprocal.
#include "arithmetic.cuh"

constexpr int tile = 32;

/// f16 in pairs. Rows are 80 bytes long, so that the eight rows of an 8 x 8 matrix are in different banks.
struct Tile {
  alignas(16) unsigned pairs[tile][tile / 2 + 4];
};

/// Eight elements of a tile in f32, which a thread reads and converts.
struct Part {
  float4 above, below;
};

/// The thread's part of the 32 x 32 elements from `row` and `column`.
__device__ __forceinline__ Part read(const float *from, int stride, int row, int column) {
  const float *at = from + (row + threadIdx.x / 8) * stride + column + threadIdx.x % 8 * 4;
  return {*(const float4 *)at, *(const float4 *)(at + 16 * stride)};
}

__device__ __forceinline__ unsigned pair(float low, float high) {
  unsigned both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

__device__ __forceinline__ uint2 pairs(const float4 &of, float scale) {
  return make_uint2(pair(of.x * scale, of.y * scale), pair(of.z * scale, of.w * scale));
}

__device__ __forceinline__ void write(Tile &to, const Part &part, float scale) {
  int row = threadIdx.x / 8;
  int at = threadIdx.x % 8 * 2;
  *(uint2 *)&to.pairs[row][at] = pairs(part.above, scale);
  *(uint2 *)&to.pairs[row + 16][at] = pairs(part.below, scale);
}

/// The address of a lane's eight elements, from a row and a column of a tile.
__device__ __forceinline__ unsigned address(const Tile &of, int row, int column) {
  return (unsigned)__cvta_generic_to_shared(&of.pairs[row][column / 2]);
}

__device__ __forceinline__ void load(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}

/// The same, with each 8 x 8 matrix transposed.
__device__ __forceinline__ void load_across(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}

/// Adds the products of two tiles. A warp has 16 x 16 of the sums, as two matrices of eight columns. Rows of `left` are rows of the sums,
/// or terms if it is `across`. Rows of `right` are terms, or columns of the sums if it is `across`.
template <bool left_across, bool right_across>
__device__ __forceinline__ void add_products(const Tile &left, const Tile &right, float (&sums)[2][4]) {
  int lane = threadIdx.x % 32;
  int row = threadIdx.x / 64 * 16;
  int column = threadIdx.x / 32 % 2 * 16;
  int straight = lane % 16;
  int aside = lane / 16 * 8;
  int straight_across = lane % 8 + lane / 16 * 8;
  int aside_across = lane / 8 % 2 * 8;
#pragma unroll
  for (int k = 0; k < tile; k += 16) {
    unsigned a[4], b[4];
    if (left_across) load_across(a, address(left, k + straight_across, row + aside_across));
    else load(a, address(left, row + straight, k + aside));
    if (right_across) load(b, address(right, column + straight_across, k + aside_across));
    else load_across(b, address(right, k + straight, column + aside));
    for (int j = 0; j < 2; j++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                   : "+f"(sums[j][0]), "+f"(sums[j][1]), "+f"(sums[j][2]), "+f"(sums[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2 * j]), "r"(b[2 * j + 1]));
  }
}

/// Calls `use` with each pair of the thread's sums, and the row and column of the first.
template <typename Use>
__device__ __forceinline__ void each(const float (&sums)[2][4], Use use) {
  int lane = threadIdx.x % 32;
  int row = blockIdx.y * tile + threadIdx.x / 64 * 16 + lane / 4;
  int column = blockIdx.x * tile + threadIdx.x / 32 % 2 * 16 + lane % 4 * 2;
  for (int j = 0; j < 2; j++)
    for (int half = 0; half < 2; half++) use(row + half * 8, column + j * 8, make_float2(sums[j][2 * half], sums[j][2 * half + 1]));
}

/// The sums of `terms` products. `left` and `right` return a thread's part of the tile from a term. The next tiles are read during the products.
template <bool left_across, bool right_across, typename Left, typename Right>
__device__ __forceinline__ void multiply(float (&sums)[2][4], int terms, Left left, float left_scale, Right right, float right_scale) {
  __shared__ Tile tiles[2];
  Part a = left(0);
  Part b = right(0);
#pragma unroll 1
  for (int k = 0; k < terms; k += tile) {
    write(tiles[0], a, left_scale);
    write(tiles[1], b, right_scale);
    __syncthreads();
    if (k + tile < terms) {
      a = left(k + tile);
      b = right(k + tile);
    }
    add_products<left_across, right_across>(tiles[0], tiles[1], sums);
    __syncthreads();
  }
}

/// out = x * weights + bias; no bias where its place is negative.
extern "C" __global__ void matmul_f16(int inner, int columns, int weights_at, int bias_at, const float *x, const float *params, float *out) {
  int row = blockIdx.y * tile;
  int column = blockIdx.x * tile;
  const float *weights = params + weights_at;
  float sums[2][4] = {};
  auto left = [=](int k) { return read(x, inner, row, k); };
  auto right = [=](int k) { return read(weights, columns, k, column); };
  multiply<false, false>(sums, inner, left, 1.0f, right, 1.0f);
  each(sums, [=](int r, int c, float2 sum) {
    if (bias_at >= 0) sum = make_float2(sum.x + params[bias_at + c], sum.y + params[bias_at + c + 1]);
    *(float2 *)&out[r * columns + c] = sum;
  });
}

/// out = gradients * weights, transposed: what comes back to the input.
extern "C" __global__ void matmul_back_input_f16(int inner, int columns, int weights_at, float scale, float back, const float *gradients, const float *params, float *out) {
  int row = blockIdx.y * tile;
  int column = blockIdx.x * tile;
  const float *weights = params + weights_at;
  float sums[2][4] = {};
  auto left = [=](int k) { return read(gradients, columns, row, k); };
  auto right = [=](int k) { return read(weights, columns, column, k); };
  multiply<false, true>(sums, columns, left, scale, right, 1.0f);
  each(sums, [=](int r, int c, float2 sum) { *(float2 *)&out[r * inner + c] = make_float2(sum.x * back, sum.y * back); });
}

/// x, transposed, * gradients: the gradient of the weights.
extern "C" __global__ void matmul_back_weights_f16(int rows, int inner, int columns, int weights_at, float scale, float back, const float *x, const float *gradients, float *grads) {
  int row = blockIdx.y * tile;
  int column = blockIdx.x * tile;
  float *out = grads + weights_at;
  float sums[2][4] = {};
  auto left = [=](int k) { return read(x, inner, k, row); };
  auto right = [=](int k) { return read(gradients, columns, k, column); };
  multiply<true, false>(sums, rows, left, 1.0f, right, scale);
  each(sums, [=](int r, int c, float2 sum) { *(float2 *)&out[r * columns + c] = make_float2(sum.x * back, sum.y * back); });
}
