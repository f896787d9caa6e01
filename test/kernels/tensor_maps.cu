// Copies of boxes of tensors, which tensor maps describe (cp.async.bulk.tensor).
#include <cuda.h>
#include <cuda_fp16.h>

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

__device__ void commitAndWait() { asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory"); }

#define LOAD "shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define COORDINATES1 "{%2}"
#define COORDINATES2 "{%2, %3}"
#define COORDINATES3 "{%2, %3, %4}"
#define COORDINATES4 "{%2, %3, %4, %5}"
#define COORDINATES5 "{%2, %3, %4, %5, %6}"

/// Loads a box of `bytes` bytes to byte `at` of shared memory, and stores it in `out`.
#define LOAD_KERNEL(RANK)                                                                                                              \
  extern "C" __global__ void tensor_load_##RANK##d(const __grid_constant__ CUtensorMap map, unsigned *out, unsigned bytes, unsigned at, int c0, int c1, int c2, int c3, int c4) { \
    __shared__ __align__(1024) unsigned tile[4096];                                                                                    \
    __shared__ unsigned long long barrier;                                                                                             \
    unsigned to = sharedAddress(tile) + at, b = sharedAddress(&barrier);                                                               \
    initialize(b);                                                                                                                     \
    if (threadIdx.x == 0) {                                                                                                            \
      asm volatile("cp.async.bulk.tensor." #RANK "d." LOAD " [%0], [%1, " COORDINATES##RANK "], [%7];" ::"r"(to), "l"(&map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4), "r"(b) : "memory"); \
      expect(b, bytes);                                                                                                                \
    }                                                                                                                                  \
    waitFor(b, 0);                                                                                                                     \
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) out[i] = tile[at / 4 + i];                                          \
  }
LOAD_KERNEL(1)
LOAD_KERNEL(2)
LOAD_KERNEL(3)
LOAD_KERNEL(4)
LOAD_KERNEL(5)

/// Copies `bytes` bytes of `from` to shared memory, and from there to a box of the tensor, or updates the box.
#define STORE_KERNEL(NAME, OPCODE, RANK)                                                                                               \
  extern "C" __global__ void NAME(const __grid_constant__ CUtensorMap map, const unsigned *from, unsigned bytes, int c0, int c1, int c2, int c3, int c4) { \
    __shared__ __align__(1024) unsigned tile[4096];                                                                                    \
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) tile[i] = from[i];                                                  \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                                       \
    __syncthreads();                                                                                                                   \
    if (threadIdx.x != 0) return;                                                                                                      \
    asm volatile(OPCODE " [%1, " COORDINATES##RANK "], [%0];" ::"r"(sharedAddress(tile)), "l"(&map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4) : "memory"); \
    commitAndWait();                                                                                                                   \
  }
#define STORE(RANK) STORE_KERNEL(tensor_store_##RANK##d, "cp.async.bulk.tensor." #RANK "d.global.shared::cta.tile.bulk_group", RANK)
STORE(1)
STORE(2)
STORE(3)
STORE(4)
STORE(5)
#define REDUCE(OP) STORE_KERNEL(tensor_##OP, "cp.reduce.async.bulk.tensor.2d.global.shared::cta." #OP ".tile.bulk_group", 2)
REDUCE(add)
REDUCE(min)
REDUCE(max)
REDUCE(inc)
REDUCE(dec)
REDUCE(and)
REDUCE(or)
REDUCE(xor)

/// C = A B in f16 with f32 sums. A has m rows of k numbers, B k rows of n. A block has 64 rows and 32
/// columns. Copies clip the edges. Two stages of tiles are loaded while the warpgroup multiplies.
extern "C" __global__ void tensor_gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int k) {
  constexpr unsigned rowBytes = 64 * 128, stageBytes = rowBytes + 64 * 64;
  __shared__ __align__(1024) unsigned char tiles[2 * stageBytes];
  __shared__ unsigned long long full[2];
  unsigned start = sharedAddress(tiles), barriers = sharedAddress(full);
  int top = blockIdx.y * 64, left = blockIdx.x * 32, t = threadIdx.x, steps = (k + 63) / 64;
  auto load = [&](int step) {
    unsigned to = start + step % 2 * stageBytes, barrier = barriers + step % 2 * 8;
    expect(barrier, stageBytes);
    asm volatile("cp.async.bulk.tensor.2d." LOAD " [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&a), "r"(step * 64), "r"(top), "r"(barrier) : "memory");
    asm volatile("cp.async.bulk.tensor.2d." LOAD " [%0], [%1, {%2, %3}], [%4];" ::"r"(to + rowBytes), "l"(&b), "r"(left), "r"(step * 64), "r"(barrier) : "memory");
  };
  if (t == 0)
    for (int i = 0; i < 2; i++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barriers + i * 8) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0)
    for (int i = 0; i < 2 && i < steps; i++) load(i);
  float d[16];
  for (int step = 0; step < steps; step++) {
    unsigned rows = start + step % 2 * stageBytes, columns = rows + rowBytes;
    waitFor(barriers + step % 2 * 8, step / 2 % 2);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int part = 0; part < 4; part++) {
      unsigned long long x = ((rows + part * 32) & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
      unsigned long long y = ((columns + part * 1024) & 0x3ffff) >> 4 | 32ull << 32 | 2ull << 62;
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %18, 0;\n"
                   "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, p, 1, 1, 0, 1; }"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                   : "l"(x), "l"(y), "r"(step + part));
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    if (t == 0 && step + 2 < steps) load(step + 2);
  }
  float *to = (float *)tiles + (t / 32 * 16 + t % 32 / 4) * 32 + t % 4 * 2;
  for (int i = 0; i < 16; i++) to[(i / 2 % 2 * 8) * 32 + i / 4 * 8 + i % 2] = d[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t != 0) return;
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c), "r"(left), "r"(top), "r"(start) : "memory");
  commitAndWait();
}

/// Builds a map of a tensor of halves in `map`, loads a box of 16 columns and 4 rows, and clears the map.
extern "C" __global__ void tensor_built(unsigned long long *map, const __half *tensor, unsigned *out, int width, int height, int c0, int c1) {
  __shared__ __align__(128) unsigned tile[32];
  __shared__ __align__(128) unsigned own[32];
  __shared__ unsigned long long barrier;
  unsigned m = sharedAddress(own), b = sharedAddress(&barrier), t = threadIdx.x;
  initialize(b);
  own[t] = 0;
  __syncwarp();
  if (t == 0) {
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(m), "l"(tensor) : "memory");
    asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(m) : "memory");
    asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, 16;" ::"r"(m) : "memory");
    asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, 4;" ::"r"(m) : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(m), "r"(width) : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(m), "r"(height) : "memory");
    asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(m), "l"(2ull * width) : "memory");
    asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, 1;" ::"r"(m) : "memory");
    asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 1;" ::"r"(m) : "memory");
    asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 6;" ::"r"(m) : "memory");
    asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(m) : "memory");
    asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 1;" ::"r"(m) : "memory");
    asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 1;" ::"r"(m) : "memory");
  }
  __syncwarp();
  asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(map), "r"(m) : "memory");
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
  if (t == 0) {
    expect(b, 128);
    asm volatile("cp.async.bulk.tensor.2d." LOAD " [%0], [%1, {%2, %3}], [%4];" ::"r"(sharedAddress(tile)), "l"(map), "r"(c0), "r"(c1), "r"(b) : "memory");
  }
  waitFor(b, 0);
  out[t] = tile[t];
  // Addresses differ between runs.
  if (t < 16) map[t] = 0;
}
