// The last steps of a reduction rely on lanes that execute in lockstep.
__global__ void sum(const int *in, int *out) {
  __shared__ volatile int partial[64];
  partial[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    partial[threadIdx.x] += partial[threadIdx.x + 32];
    partial[threadIdx.x] += partial[threadIdx.x + 16];  // fault
  }
  if (threadIdx.x == 0) out[0] = partial[0];
}
