// Only half of the block clears its bins.
__global__ void bins(const int *in, int *out) {
  __shared__ int local[64];
  if (threadIdx.x < 32) local[threadIdx.x] = 0;
  __syncthreads();
  int bin = in[threadIdx.x] % 64;
  atomicAdd(&local[bin], 1);  // fault
  __syncthreads();
  out[threadIdx.x] = local[threadIdx.x];
}
