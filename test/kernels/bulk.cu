// Bulk copies: one thread starts them, and they signal their bytes to an mbarrier.
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// Tiles of 64 words are copied in two at a time, changed, and copied out.
extern "C" __global__ void bulk_tiles(const int *in, int *out, int tiles) {
  __shared__ alignas(16) int from[2][64];
  __shared__ alignas(16) int to[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier full[2];
  int t = threadIdx.x;
  const int *source = in + blockIdx.x * tiles * 64;
  if (t == 0) {
    init(&full[0], blockDim.x);
    init(&full[1], blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  auto fetch = [&](int i) {
    if (t == 0 && i < tiles) {
      cuda::device::memcpy_async_tx(from[i & 1], source + i * 64, cuda::aligned_size_t<16>(256), full[i & 1]);
      (void)cuda::device::barrier_arrive_tx(full[i & 1], 1, 256);
    } else (void)full[i & 1].arrive();
  };
  fetch(0);
  for (int i = 0; i < tiles; i++) {
    fetch(i + 1);
    full[i & 1].wait_parity((i >> 1) & 1);
    for (int k = t; k < 64; k += blockDim.x) to[k] = from[i & 1][63 - k] * (i + 2) + k;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + (blockIdx.x * tiles + i) * 64, to, 256);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
  }
}
