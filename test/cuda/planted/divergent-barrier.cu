// Half of each warp waits at a separate barrier.
__global__ void halves(const int *in, int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    __syncthreads();  // fault
    tile[threadIdx.x] += in[threadIdx.x + 16];
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
