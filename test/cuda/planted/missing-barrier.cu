// A thread reads its neighbor's element before the neighbor has stored it.
__global__ void rotate(const int *in, int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[(threadIdx.x + 32) % 128];  // fault
}
