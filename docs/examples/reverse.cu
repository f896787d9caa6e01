extern "C" __global__ void reverse(const int *in, int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  // A `__syncthreads()` is missing here.
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
