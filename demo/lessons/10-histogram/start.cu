__global__ void histogram(int n, const int *x, int *counts) {
  __shared__ int own[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&own[x[i]], 1);
  // Add the counters of the block to `counts`.
}
