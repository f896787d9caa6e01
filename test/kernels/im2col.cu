// Copies of pixels of a bounding box in im2col mode, which tensor maps describe.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>

__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void initialize(unsigned barrier) {
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(barrier) : "memory");
  __syncthreads();
}

__device__ void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ void waitFor(unsigned barrier, unsigned parity) {
  asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra W; }" ::"r"(barrier), "r"(parity) : "memory");
}

#define LOAD "shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
#define COORDINATES3 "{%2, %3, %4}"
#define COORDINATES4 "{%2, %3, %4, %5}"
#define COORDINATES5 "{%2, %3, %4, %5, %6}"
#define OFFSETS3 "{%7}"
#define OFFSETS4 "{%7, %8}"
#define OFFSETS5 "{%7, %8, %9}"

/// Loads pixels of `bytes` bytes to byte `at` of shared memory, and stores them in `out`.
#define LOAD_KERNEL(RANK)                                                                                                              \
  extern "C" __global__ void im2col_load_##RANK##d(const __grid_constant__ CUtensorMap map, unsigned *out, unsigned bytes, unsigned at, int c0, int c1, int c2, int c3, int c4, unsigned short o0, unsigned short o1, unsigned short o2) { \
    __shared__ __align__(1024) unsigned tile[4096];                                                                                    \
    __shared__ unsigned long long barrier;                                                                                             \
    unsigned to = sharedAddress(tile) + at, b = sharedAddress(&barrier);                                                               \
    initialize(b);                                                                                                                     \
    if (threadIdx.x == 0) {                                                                                                            \
      asm volatile("cp.async.bulk.tensor." #RANK "d." LOAD " [%0], [%1, " COORDINATES##RANK "], [%10], " OFFSETS##RANK ";" ::"r"(to), "l"(&map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4), "h"(o0), "h"(o1), "h"(o2), "r"(b) : "memory"); \
      expect(b, bytes);                                                                                                                \
    }                                                                                                                                  \
    waitFor(b, 0);                                                                                                                     \
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) out[i] = tile[at / 4 + i];                                          \
  }
LOAD_KERNEL(3)
LOAD_KERNEL(4)
LOAD_KERNEL(5)

/// Copies `bytes` bytes of `from` to shared memory, and from there to pixels of the tensor, or updates the pixels.
#define STORE_KERNEL(NAME, OPCODE, RANK)                                                                                               \
  extern "C" __global__ void NAME(const __grid_constant__ CUtensorMap map, const unsigned *from, unsigned bytes, int c0, int c1, int c2, int c3, int c4) { \
    __shared__ __align__(1024) unsigned tile[4096];                                                                                    \
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) tile[i] = from[i];                                                  \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                                       \
    __syncthreads();                                                                                                                   \
    if (threadIdx.x != 0) return;                                                                                                      \
    asm volatile(OPCODE " [%1, " COORDINATES##RANK "], [%0];" ::"r"(sharedAddress(tile)), "l"(&map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4) : "memory"); \
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");                                             \
  }
#define STORE(RANK) STORE_KERNEL(im2col_store_##RANK##d, "cp.async.bulk.tensor." #RANK "d.global.shared::cta.im2col_no_offs.bulk_group", RANK)
STORE(3)
STORE(4)
STORE(5)
#define REDUCE(OP, RANK) STORE_KERNEL(im2col_##OP##_##RANK##d, "cp.reduce.async.bulk.tensor." #RANK "d.global.shared::cta." #OP ".im2col_no_offs.bulk_group", RANK)
REDUCE(add, 3)
REDUCE(max, 4)
REDUCE(xor, 5)

/// Each block of a cluster of two loads every other group of pixels to both blocks.
extern "C" __global__ void __cluster_dims__(2, 1, 1) im2col_multicast(const __grid_constant__ CUtensorMap map, unsigned *out, unsigned bytes, int c1, int c2, int c3) {
  __shared__ __align__(1024) unsigned char tiles[2][4096];
  __shared__ unsigned long long barrier;
  auto cluster = cooperative_groups::this_cluster();
  unsigned rank = cluster.block_rank(), b = sharedAddress(&barrier);
  initialize(b);
  if (threadIdx.x == 0) expect(b, 2 * bytes);
  cluster.sync();
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.4d." LOAD ".multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8}, %9;" ::"r"(sharedAddress(tiles[rank])), "l"(&map), "r"(0), "r"(c1), "r"(c2), "r"(c3), "r"(b), "h"((unsigned short)rank), "h"((unsigned short)(2 - rank)), "h"((unsigned short)3) : "memory");
  waitFor(b, 0);
  for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x)
    for (unsigned part = 0; part < 2; part++) out[(2 * blockIdx.x + part) * (bytes / 4) + i] = ((unsigned *)tiles[part])[i];
  cluster.sync();
}

constexpr int channels = 16, filters = 16, pixels = 32, stages = 2;

/// Convolves images of 16 channels with 16 filters of 3 times 3 pixels. Missing pixels are 0. A block
/// has 32 pixels of the output, in order of columns, rows and images, and 128 threads with four
/// filters of a pixel each. Two stages of pixels are loaded while the block multiplies.
extern "C" __global__ void im2col_convolution(const __grid_constant__ CUtensorMap map, const __half *weights, float *out, int width, int height, int images) {
  __shared__ __align__(1024) __half tiles[stages][pixels * channels];
  __shared__ unsigned long long full[stages];
  int first = blockIdx.x * pixels, t = threadIdx.x, pixel = t / 4, filter = t % 4 * 4;
  int x = first % width - 1, y = first / width % height - 1, image = first / (width * height);
  auto load = [&](int tap) {
    unsigned to = sharedAddress(tiles[tap % stages]), b = sharedAddress(&full[tap % stages]);
    expect(b, sizeof tiles[0]);
    asm volatile("cp.async.bulk.tensor.4d." LOAD " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(to), "l"(&map), "r"(0), "r"(x), "r"(y), "r"(image), "r"(b), "h"((unsigned short)(tap % 3)), "h"((unsigned short)(tap / 3)) : "memory");
  };
  if (t == 0) {
    for (int i = 0; i < stages; i++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&full[i])) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%0, {%1, %2, %3, %4}], {%5, %6};" ::"l"(&map), "r"(0), "r"(x), "r"(y), "r"(image), "h"((unsigned short)2), "h"((unsigned short)2) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0)
    for (int i = 0; i < stages; i++) load(i);
  float sums[4] = {};
  for (int tap = 0; tap < 9; tap++) {
    waitFor(sharedAddress(&full[tap % stages]), tap / stages % 2);
    for (int c = 0; c < channels; c++) {
      float a = __half2float(tiles[tap % stages][pixel * channels + c]);
      for (int i = 0; i < 4; i++) sums[i] += a * __half2float(weights[(tap * channels + c) * filters + filter + i]);
    }
    __syncthreads();
    if (t == 0 && tap + stages < 9) load(tap + stages);
  }
  if (first + pixel < width * height * images)
    for (int i = 0; i < 4; i++) out[(first + pixel) * filters + filter + i] = sums[i];
}
