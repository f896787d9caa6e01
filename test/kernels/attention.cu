// Attention by tiles of keys: scores with a running maximum and sum, in the registers of a warp.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

const int depth = 32;   // per head
const int keys = 32;    // per tile
const int gap = 8;      // between rows in shared memory, against bank conflicts

__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/// Loads four 8x8 matrices. Lanes 8i to 8i + 7 have the row addresses of the i-th.
__device__ void load4(unsigned (&r)[4], const __half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sharedAddress(row)));
}

__device__ void load4Transposed(unsigned (&r)[4], const __half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sharedAddress(row)));
}

__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned pack(float x, float y) {
  __half2 h = __floats2half2_rn(x, y);
  return *(unsigned *)&h;
}

struct Tile {
  __half k[keys][depth + gap];
  __half v[keys][depth + gap];
};

/// Starts the copies of the tile of keys and values from `first` on. Rows after the last one are
/// zero.
__device__ void fetch(Tile &tile, const __half *k, const __half *v, int first, int n) {
  for (int i = threadIdx.x; i < keys * depth / 8; i += blockDim.x) {
    int row = i / (depth / 8), part = i % (depth / 8) * 8;
    int from = min(first + row, n - 1);
    int missing = first + row < n ? 0 : 16;
    __pipeline_memcpy_async(&tile.k[row][part], k + from * depth + part, 16, missing);
    __pipeline_memcpy_async(&tile.v[row][part], v + from * depth + part, 16, missing);
  }
  __pipeline_commit();
}

/// out = softmax(Q K^T scale) V for a head of n rows in each block of the grid's y. A warp has 16
/// rows of Q. The copies of the next tile of keys overlap with the work on the current one.
template <bool causal>
__device__ void attend(const __half *q, const __half *k, const __half *v, __half *out, int n, float scale) {
  __shared__ __align__(16) Tile tiles[2];
  __shared__ __align__(16) __half queries[64][depth + gap];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, head = blockIdx.y * n * depth;
  int firstRow = blockIdx.x * (blockDim.x / 2), row = warp * 16;
  q += head, k += head, v += head, out += head;
  int count = causal ? min(n, firstRow + (int)blockDim.x / 2) : n;
  fetch(tiles[0], k, v, 0, n);
  for (int i = threadIdx.x; i < blockDim.x / 2 * depth; i += blockDim.x) {
    int y = i / depth, x = i % depth;
    queries[y][x] = firstRow + y < n ? q[(firstRow + y) * depth + x] : __half(0.0f);
  }
  __syncthreads();
  unsigned fq[depth / 16][4];
  #pragma unroll
  for (int s = 0; s < depth / 16; s++) load4(fq[s], &queries[row + lane % 16][s * 16 + lane / 16 * 8]);

  float sums[depth / 8][4] = {}, largest[2] = {-INFINITY, -INFINITY}, total[2] = {};
  #pragma unroll 1
  for (int tile = 0; tile * keys < count; tile++) {
    if ((tile + 1) * keys < count) {
      fetch(tiles[(tile + 1) & 1], k, v, (tile + 1) * keys, n);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    const Tile &now = tiles[tile & 1];

    float scores[keys / 8][4] = {};
    #pragma unroll
    for (int s = 0; s < depth / 16; s++) {
      #pragma unroll
      for (int j = 0; j < keys / 8; j += 2) {
        unsigned fk[4];
        load4(fk, &now.k[j * 8 + lane / 16 * 8 + lane % 8][s * 16 + lane / 8 % 2 * 8]);
        multiply(scores[j], fq[s], fk[0], fk[1]);
        multiply(scores[j + 1], fq[s], fk[2], fk[3]);
      }
    }

    float most[2] = {largest[0], largest[1]};
    #pragma unroll
    for (int j = 0; j < keys / 8; j++) {
      #pragma unroll
      for (int e = 0; e < 4; e++) {
        int key = tile * keys + j * 8 + lane % 4 * 2 + e % 2, query = firstRow + row + lane / 4 + e / 2 * 8;
        bool counts = key < n && (!causal || key <= query);
        scores[j][e] = counts ? scores[j][e] * scale : -INFINITY;
        most[e / 2] = fmaxf(most[e / 2], scores[j][e]);
      }
    }
    #pragma unroll
    for (int h = 0; h < 2; h++) {
      most[h] = fmaxf(most[h], __shfl_xor_sync(~0u, most[h], 1));
      most[h] = fmaxf(most[h], __shfl_xor_sync(~0u, most[h], 2));
      // Before the first unmasked key there is no sum to rescale.
      float kept = most[h] == -INFINITY ? 0.0f : exp2f(largest[h] - most[h]);
      largest[h] = most[h];
      total[h] *= kept;
      #pragma unroll
      for (int j = 0; j < depth / 8; j++) sums[j][2 * h] *= kept, sums[j][2 * h + 1] *= kept;
    }
    #pragma unroll
    for (int j = 0; j < keys / 8; j++) {
      #pragma unroll
      for (int e = 0; e < 4; e++) {
        scores[j][e] = most[e / 2] == -INFINITY ? 0.0f : exp2f(scores[j][e] - most[e / 2]);
        total[e / 2] += scores[j][e];
      }
    }

    #pragma unroll
    for (int s = 0; s < keys / 16; s++) {
      // A lane's scores already have the layout of its part of the first factor.
      unsigned fp[4] = {pack(scores[2 * s][0], scores[2 * s][1]), pack(scores[2 * s][2], scores[2 * s][3]),
                        pack(scores[2 * s + 1][0], scores[2 * s + 1][1]), pack(scores[2 * s + 1][2], scores[2 * s + 1][3])};
      #pragma unroll
      for (int j = 0; j < depth / 8; j += 2) {
        unsigned fv[4];
        load4Transposed(fv, &now.v[s * 16 + lane % 16][j * 8 + lane / 16 * 8]);
        multiply(sums[j], fp, fv[0], fv[1]);
        multiply(sums[j + 1], fp, fv[2], fv[3]);
      }
    }
    __syncthreads();
  }

  #pragma unroll
  for (int h = 0; h < 2; h++) {
    total[h] += __shfl_xor_sync(~0u, total[h], 1);
    total[h] += __shfl_xor_sync(~0u, total[h], 2);
    int y = firstRow + row + lane / 4 + h * 8;
    if (y >= n) continue;
    #pragma unroll
    for (int j = 0; j < depth / 8; j++)
      *(__half2 *)&out[y * depth + j * 8 + lane % 4 * 2] = __floats2half2_rn(sums[j][2 * h] / total[h], sums[j][2 * h + 1] / total[h]);
  }
}

extern "C" __global__ void attention(const __half *q, const __half *k, const __half *v, __half *out, int n, float scale) {
  attend<false>(q, k, v, out, n, scale);
}

extern "C" __global__ void attention_causal(const __half *q, const __half *k, const __half *v, __half *out, int n, float scale) {
  attend<true>(q, k, v, out, n, scale);
}
