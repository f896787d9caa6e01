// Blocks with more shared memory than most adapters have workgroup memory: 64 to 227 KiB, in dynamic
// and static variables, with atomics, vectors, asynchronous copies, generic pointers and clusters.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

extern __shared__ __align__(1024) unsigned char memory[];

__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352d;
  x = (x ^ x >> 15) * 0x846ca68b;
  return x ^ x >> 16;
}

/// Rows and columns of a square of numbers, which threads write by rows and read in both directions.
extern "C" __global__ void large_square(unsigned *out, int side) {
  unsigned *square = (unsigned *)memory;
  for (int i = threadIdx.x; i < side * side; i += blockDim.x) square[i] = mix(i + blockIdx.x * 0x10001);
  __syncthreads();
  for (int i = threadIdx.x; i < side; i += blockDim.x) {
    unsigned sum = 0;
    for (int j = 0; j < side; j++) sum = sum * 31 + (square[j * side + i] ^ square[i * side + j] >> 7);
    out[blockIdx.x * side + i] = sum;
  }
}

/// Counts in dynamic memory, largest pairs and a number of threads in static memory.
extern "C" __global__ void large_histogram(unsigned *out, unsigned long long *most, int bins, int n) {
  unsigned *counts = (unsigned *)memory;
  __shared__ unsigned long long largest[16];
  __shared__ unsigned threads;
  if (threadIdx.x < 16) largest[threadIdx.x] = 0;
  if (threadIdx.x == 0) threads = 0;
  for (int i = threadIdx.x; i < bins; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  atomicAdd(&threads, 1);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    unsigned x = mix(i * 3 + blockIdx.x), bin = x % bins;
    atomicAdd(&counts[bin], 1 + (x >> 28));
    atomicMax(&largest[x % 16], (unsigned long long)x << 32 | i);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int i = threadIdx.x; i < bins; i += blockDim.x) sum = sum * 33 + counts[i] * (i + 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + threads;
  if (threadIdx.x < 16) most[blockIdx.x * 16 + threadIdx.x] = largest[threadIdx.x];
}

/// Follows numbers from place to place through a generic pointer.
__device__ __noinline__ unsigned follow(const unsigned *places, unsigned at, int steps) {
  unsigned sum = 0;
  for (int i = 0; i < steps; i++) {
    at = places[at];
    sum = sum * 5 + at;
  }
  return sum;
}

/// A path through all of a block's memory, or through a part of global memory.
extern "C" __global__ void large_path(const unsigned *elsewhere, unsigned *out, int words, int outside, int steps) {
  unsigned *places = (unsigned *)memory;
  for (int i = threadIdx.x; i < words; i += blockDim.x) places[i] = (i + 8191u * (blockIdx.x + 1) + (i & 7)) % words;
  __syncthreads();
  unsigned t = threadIdx.x;
  const unsigned *from = t % 3 ? places : elsewhere;
  out[blockIdx.x * blockDim.x + t] = follow(from, mix(t) % (t % 3 ? words : outside), steps);
}

/// Five tiles of 16 KiB, which asynchronous copies of 16 bytes fill while threads read older ones.
extern "C" __global__ void large_ring(const uint4 *in, uint4 *out, int tiles) {
  uint4 *ring = (uint4 *)memory;
  const int stages = 5, vectors = 1024;
  auto fetch = [&](int tile) {
    if (tile < tiles)
      for (int i = threadIdx.x; i < vectors; i += blockDim.x)
        __pipeline_memcpy_async(&ring[tile % stages * vectors + i], &in[(i * 7 + tile * 13) % 256], 16);
    __pipeline_commit();
  };
  for (int tile = 0; tile < stages - 1; tile++) fetch(tile);
  uint4 sum = make_uint4(0, 0, 0, blockIdx.x);
  for (int tile = 0; tile < tiles; tile++) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    fetch(tile + stages - 1);
    for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
      uint4 v = ring[tile % stages * vectors + (vectors - 1 - i)];
      sum = make_uint4(sum.x * 3 + v.y, sum.y * 5 + v.z, sum.z * 7 + v.w, sum.w * 9 + v.x);
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Bulk copies fill 128 KiB. Each tile has an mbarrier, for which all threads wait.
extern "C" __global__ void large_bulk(const unsigned *in, unsigned *out, int tiles) {
  __shared__ alignas(8) unsigned long long full[32];
  const unsigned bytes = 4096;
  if (threadIdx.x == 0) {
    for (int i = 0; i < tiles; i++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&full[i])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < tiles; i++) {
      unsigned bar = sharedAddress(&full[i]), to = sharedAddress(memory + i * bytes);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(in + i * 4), "r"(bytes), "r"(bar) : "memory");
    }
  unsigned sum = blockIdx.x;
  for (int i = 0; i < tiles; i++) {
    unsigned done;
    do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(sharedAddress(&full[i])) : "memory");
    while (!done);
    const unsigned *tile = (const unsigned *)(memory + i * bytes);
    for (int k = threadIdx.x; k < bytes / 4; k += blockDim.x) sum = sum * 17 + tile[bytes / 4 - 1 - k];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// The blocks of a cluster of two read each other's memory, of 100 KiB each.
extern "C" __global__ void __cluster_dims__(2, 1, 1) large_pair(unsigned *out, int words) {
  unsigned *own = (unsigned *)memory;
  auto cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < words; i += blockDim.x) own[i] = mix(i * 2 + blockIdx.x);
  cluster.sync();
  const unsigned *other = cluster.map_shared_rank(own, cluster.block_rank() ^ 1);
  unsigned sum = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) sum = sum * 9 + (other[words - 1 - i] ^ own[i] >> 3);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  cluster.sync();
}

/// C = A B^T for 64 rows of A and 16 of B, all of which are in shared memory. k is a multiple of 64.
/// Each part of 64 columns is a tile of 128 bytes per row, which is swizzled.
extern "C" __global__ void large_product(const uint4 *a, const uint4 *b, float *c, int k) {
  int t = threadIdx.x, parts = k / 64;
  unsigned rows = sharedAddress(memory), columns = rows + parts * 8192;
  for (int i = t; i < parts * 640; i += 128) {
    unsigned part = i / 640, row = i % 640 / 8, at = (i % 8 ^ row % 8) * 16, from = part * 8 + i % 8;
    if (row < 64) *(uint4 *)(memory + part * 8192 + row * 128 + at) = a[row * (k / 8) + from];
    else *(uint4 *)(memory + parts * 8192 + part * 2048 + (row - 64) * 128 + at) = b[(row - 64) * (k / 8) + from];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  auto descriptor = [](unsigned start) { return (unsigned long long)((start & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62; };
  float d[8];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int step = 0; step < k / 16; step++) {
    unsigned part = step / 4, column = step % 4 * 32;
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %10, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "l"(descriptor(rows + part * 8192 + column)), "l"(descriptor(columns + part * 2048 + column)), "r"(step));
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  float *to = c + (t / 32 * 16 + t % 32 / 4) * 16 + t % 4 * 2;
  for (int i = 0; i < 8; i++) to[(i / 2 % 2 * 8) * 16 + i / 4 * 8 + i % 2] = d[i];
}

const int depth = 32, keys = 256, pitch = depth + 8;

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
  __half k[keys][pitch], v[keys][pitch];
};

__device__ void fetch(Tile &tile, const __half *k, const __half *v, int first, int n) {
  for (int i = threadIdx.x; i < keys * depth / 8; i += blockDim.x) {
    int row = i / (depth / 8), part = i % (depth / 8) * 8;
    int from = min(first + row, n - 1) * depth + part, missing = first + row < n ? 0 : 16;
    __pipeline_memcpy_async(&tile.k[row][part], k + from, 16, missing);
    __pipeline_memcpy_async(&tile.v[row][part], v + from, 16, missing);
  }
  __pipeline_commit();
}

/// out = softmax(Q K^T scale) V for n rows, by tiles of 256 keys of which two are in shared memory.
/// A warp has 16 rows of Q, which follow the tiles.
extern "C" __global__ void large_attention(const __half *q, const __half *k, const __half *v, __half *out, int n, float scale) {
  Tile *tiles = (Tile *)memory;
  __half(*queries)[pitch] = (__half(*)[pitch])(memory + 2 * sizeof(Tile));
  int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16, firstRow = blockIdx.x * (blockDim.x / 2);
  fetch(tiles[0], k, v, 0, n);
  for (int i = threadIdx.x; i < blockDim.x / 2 * depth / 8; i += blockDim.x) {
    int y = i / (depth / 8), x = i % (depth / 8) * 8;
    *(uint4 *)&queries[y][x] = firstRow + y < n ? *(const uint4 *)&q[(firstRow + y) * depth + x] : make_uint4(0, 0, 0, 0);
  }
  __syncthreads();
  float sums[depth / 8][4] = {}, largest[2] = {-INFINITY, -INFINITY}, total[2] = {};
  #pragma unroll 1
  for (int tile = 0; tile * keys < n; tile++) {
    fetch(tiles[(tile + 1) & 1], k, v, (tile + 1) * keys, n);
    __pipeline_wait_prior(1);
    __syncthreads();
    const Tile &now = tiles[tile & 1];
    #pragma unroll 1
    for (int part = 0; part < keys; part += 16) {
      float scores[2][4] = {};
      #pragma unroll
      for (int s = 0; s < depth / 16; s++) {
        unsigned fq[4], fk[4];
        load4(fq, &queries[row + lane % 16][s * 16 + lane / 16 * 8]);
        load4(fk, &now.k[part + lane / 16 * 8 + lane % 8][s * 16 + lane / 8 % 2 * 8]);
        multiply(scores[0], fq, fk[0], fk[1]);
        multiply(scores[1], fq, fk[2], fk[3]);
      }
      #pragma unroll
      for (int h = 0; h < 2; h++) {
        float most = largest[h];
        #pragma unroll
        for (int e = 0; e < 4; e++) {
          float &score = scores[e / 2][2 * h + e % 2];
          score = tile * keys + part + e / 2 * 8 + lane % 4 * 2 + e % 2 < n ? score * scale : -INFINITY;
          most = fmaxf(most, score);
        }
        most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
        most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
        float kept = exp2f(largest[h] - most);
        largest[h] = most;
        total[h] *= kept;
        #pragma unroll
        for (int j = 0; j < depth / 8; j++) sums[j][2 * h] *= kept, sums[j][2 * h + 1] *= kept;
        #pragma unroll
        for (int e = 0; e < 4; e++) {
          float &score = scores[e / 2][2 * h + e % 2];
          score = exp2f(score - most);
          total[h] += score;
        }
      }
      unsigned fp[4] = {pack(scores[0][0], scores[0][1]), pack(scores[0][2], scores[0][3]), pack(scores[1][0], scores[1][1]), pack(scores[1][2], scores[1][3])};
      #pragma unroll
      for (int j = 0; j < depth / 8; j += 2) {
        unsigned fv[4];
        load4Transposed(fv, &now.v[part + lane % 16][j * 8 + lane / 16 * 8]);
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
