// The halo is wider than the array.
__global__ void blur(const int *in, int *out) {
  __shared__ int left[32];
  __shared__ int right[32];
  left[threadIdx.x] = in[threadIdx.x];
  right[threadIdx.x] = in[threadIdx.x + 32];
  __syncthreads();
  int next = left[threadIdx.x + 1];  // fault
  out[threadIdx.x] = left[threadIdx.x] + next + right[threadIdx.x];
}
