// Products of f16 matrices by wgmma, from tiles in shared memory.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/// A matrix descriptor. Distances are in bytes; modes 1, 2 and 3 swizzle 128, 64 and 32 bytes.
__device__ unsigned long long descriptor(unsigned start, unsigned leading, unsigned stride, unsigned long long mode) {
  return (start & 0x3ffff) >> 4 | (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 | mode << 62;
}

const int height = 128, width = 128, depth = 32, threads = 256;

/// The tiles of two steps: 128 x 32 of A in rows of 64 bytes, and 32 x 128 of B in two halves with
/// rows of 128 bytes. The 16-byte pieces of a row are swizzled.
struct Tiles {
  unsigned char a[2][height * 64];
  unsigned char b[2][2][depth * 128];
};

__device__ void fetch(Tiles &to, unsigned step, const __half *a, const __half *b, unsigned side) {
#pragma unroll
  for (unsigned part = 0; part < 2; part++) {
    unsigned i = part * threads + threadIdx.x, row = i / 4, piece = i % 4;
    __pipeline_memcpy_async(&to.a[step % 2][row * 64 + (piece ^ row / 2 % 4) * 16], a + row * side + piece * 8, 16);
    unsigned k = i / 16, half = i / 8 % 2, place = i % 8;
    __pipeline_memcpy_async(&to.b[step % 2][half][k * 128 + (place ^ k % 8) * 16], b + k * side + half * 64 + place * 8, 16);
  }
  __pipeline_commit();
}

/// C = A B, square, f16 in and f32 out. A block of two warpgroups has 128 x 128 of C, a warpgroup
/// 64 x 128. The side is a multiple of 128. The next step is copied while one is multiplied.
extern "C" __global__ void __launch_bounds__(threads) matmul_warpgroup(const __half *a, const __half *b, float *c, unsigned side) {
  __shared__ __align__(1024) Tiles tiles;
  unsigned top = blockIdx.y * height, left = blockIdx.x * width, t = threadIdx.x % 128, group = threadIdx.x / 128;
  a += top * side;
  b += left;
  float d[64] = {};
  fetch(tiles, 0, a, b, side);
  for (unsigned step = 0; step < side / depth; step++) {
    a += depth;
    b += depth * side;
    if (step + 1 < side / depth) {
      fetch(tiles, step + 1, a, b, side);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    unsigned rows = sharedAddress(tiles.a[step % 2]) + group * 64 * 64, columns = sharedAddress(tiles.b[step % 2]);
#pragma unroll
    for (unsigned part = 0; part < depth / 16; part++)
      asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
                   "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                   "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                   "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                   "%64, %65, p, 1, 1, 0, 1; }"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                     "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
                     "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                     "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                   : "l"(descriptor(rows + part * 32, 16, 512, 2)), "l"(descriptor(columns + part * 2048, depth * 128, 1024, 1)));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  float *to = c + (top + group * 64 + t / 32 * 16 + t % 32 / 4) * side + left + t % 4 * 2;
#pragma unroll
  for (int i = 0; i < 64; i += 2) *(float2 *)&to[i / 2 % 2 * 8 * side + i / 4 * 8] = make_float2(d[i], d[i + 1]);
}
