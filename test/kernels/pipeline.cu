// A matrix product with warp specialization: one warpgroup loads tiles, two warpgroups multiply them.
#include <cuda.h>
#include <cuda_fp16.h>

__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void waitFor(unsigned barrier, unsigned parity) {
  asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra W; }" ::"r"(barrier), "r"(parity) : "memory");
}

__device__ void load(unsigned to, const CUtensorMap &map, int inner, int row, unsigned barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(inner), "r"(row), "r"(barrier) : "memory");
}

/// A descriptor of rows of 64 bytes along K, swizzled. Units of eight rows are adjacent.
__device__ unsigned long long descriptor(unsigned start) { return (start & 0x3ffff) >> 4 | 1ull << 16 | 32ull << 32 | 2ull << 62; }

/// C = A B^T in f16 with f32 sums. A has m rows and B n rows of k numbers. A block has 128 rows and 64
/// columns. Copies fill the edges with zeros. An mbarrier per stage counts the bytes that arrive, and
/// another one counts the warpgroups that have multiplied them.
extern "C" __global__ void __launch_bounds__(384, 1) pipeline_gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int m, int n, int k) {
  constexpr unsigned rowBytes = 128 * 64, stageBytes = rowBytes + 64 * 64, stages = 2;
  __shared__ __align__(1024) unsigned char tiles[stages * stageBytes];
  __shared__ unsigned long long objects[2 * stages];
  unsigned start = sharedAddress(tiles), full = sharedAddress(objects), empty = full + 8 * stages;
  int top = blockIdx.y * 128, left = blockIdx.x * 64, t = threadIdx.x % 128, group = threadIdx.x / 128, steps = (k + 31) / 32;
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < stages; i++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + i * 8) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(empty + i * 8) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (t != 0) return;
    for (int step = 0; step < steps; step++) {
      unsigned stage = step % stages, barrier = full + stage * 8, to = start + stage * stageBytes;
      waitFor(empty + stage * 8, step / stages % 2 ^ 1);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(stageBytes) : "memory");
      load(to, a, step * 32, top, barrier);
      load(to + rowBytes, b, step * 32, left, barrier);
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[32];
  for (int step = 0; step < steps; step++) {
    unsigned stage = step % stages, rows = start + stage * stageBytes + group * 64 * 64, columns = start + stage * stageBytes + rowBytes;
    waitFor(full + stage * 8, step / stages % 2);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int part = 0; part < 2; part++)
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
                   "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0; }"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                     "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                   : "l"(descriptor(rows + part * 32)), "l"(descriptor(columns + part * 32)), "r"(step + part));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
    if (t == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty + stage * 8) : "memory");
  }
  for (int i = 0; i < 32; i++) {
    int row = top + group * 64 + t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8, column = left + i / 4 * 8 + t % 4 * 2 + i % 2;
    if (row < m && column < n) c[row * n + column] = d[i];
  }
}
