// Attention over f16 heads: scores, softmax and sums of values in one kernel, with mma.sync.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

const int depth = 64;    // per head
const int keys = 32;     // per tile
const int queries = 64;  // per block, 16 per warp
const int gap = 8;       // between rows in shared memory, against bank conflicts

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

/// Starts the copies of the tile of keys and values from `first` on.
__device__ void fetch(Tile &tile, const __half *k, const __half *v, int first) {
  for (int i = threadIdx.x; i < keys * depth / 8; i += 2 * queries) {
    int row = i / (depth / 8), part = i % (depth / 8) * 8;
    __pipeline_memcpy_async(&tile.k[row][part], k + (first + row) * depth + part, 16);
    __pipeline_memcpy_async(&tile.v[row][part], v + (first + row) * depth + part, 16);
  }
  __pipeline_commit();
}

/// out = softmax(Q K^T / 8) V for a head of n rows (a multiple of 64) in each block of the grid's
/// y. The copies of the next tile of keys overlap with the work on the current one.
extern "C" __global__ void __launch_bounds__(128) attention(const __half *q, const __half *k, const __half *v, __half *out, unsigned n) {
  __shared__ __align__(16) Tile tiles[2];
  // A tile has as many rows as a block has queries.
  auto &rows = *(__half(*)[queries][depth + gap])&tiles[1];
  // 1/8 times log2(e), because the GPU computes powers of two.
  const float scale = 0.125f * 1.44269504f;
  int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  size_t head = (size_t)blockIdx.y * n * depth, own = head + blockIdx.x * queries * depth;
  k += head, v += head;
  for (int i = threadIdx.x; i < queries * depth / 8; i += 2 * queries) {
    int y = i / (depth / 8), part = i % (depth / 8) * 8;
    *(int4 *)&rows[y][part] = *(const int4 *)(q + own + y * depth + part);
  }
  fetch(tiles[0], k, v, 0);
  __syncthreads();
  unsigned fq[depth / 16][4];
  #pragma unroll
  for (int s = 0; s < depth / 16; s++) load4(fq[s], &rows[row + lane % 16][s * 16 + lane / 16 * 8]);
  __syncthreads();

  float sums[depth / 8][4] = {}, largest[2] = {-INFINITY, -INFINITY}, total[2] = {};
  #pragma unroll 1
  for (unsigned first = 0; first < n; first += keys) {
    const Tile &now = tiles[first / keys & 1];
    if (first + keys < n) {
      fetch(tiles[first / keys & 1 ^ 1], k, v, first + keys);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();

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

    #pragma unroll
    for (int h = 0; h < 2; h++) {
      float most = largest[h];
      #pragma unroll
      for (int j = 0; j < keys / 8; j++) most = fmaxf(most, fmaxf(scores[j][2 * h], scores[j][2 * h + 1]) * scale);
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
      float kept = exp2f(largest[h] - most);
      largest[h] = most;
      total[h] *= kept;
      #pragma unroll
      for (int j = 0; j < depth / 8; j++) sums[j][2 * h] *= kept, sums[j][2 * h + 1] *= kept;
      #pragma unroll
      for (int j = 0; j < keys / 8; j++) {
        #pragma unroll
        for (int e = 2 * h; e < 2 * h + 2; e++) {
          scores[j][e] = exp2f(fmaf(scores[j][e], scale, -most));
          total[h] += scores[j][e];
        }
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
    __half *to = out + own + (row + lane / 4 + h * 8) * depth;
    #pragma unroll
    for (int j = 0; j < depth / 8; j++)
      *(__half2 *)&to[j * 8 + lane % 4 * 2] = __floats2half2_rn(sums[j][2 * h] / total[h], sums[j][2 * h + 1] / total[h]);
  }
}

/// Words of two f16 from -1 to 1, from words of random bits.
extern "C" __global__ void halve(unsigned *words, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned x = words[i];
    words[i] = pack((short)x * 0x1p-15f, (short)(x >> 16) * 0x1p-15f);
  }
}
