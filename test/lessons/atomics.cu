// Wrong answers to the lessons about atomics.

// Other threads may set a counter of the block to 0 after this thread has counted.
__global__ void histogram_without_barrier(int n, const int *x, int *counts) {
  __shared__ int own[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  if (i < n) atomicAdd(&own[x[i]], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

// Every thread adds the counters of the block.
__global__ void histogram_too_often(int n, const int *x, int *counts) {
  __shared__ int own[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&own[x[i]], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x % 16], own[threadIdx.x % 16]);
}

// Proposes the value again without reading what is in the memory.
__global__ void maximum_without_end(int n, const float *x, float *result) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int *bits = (int *)result;
  int old = atomicCAS(bits, 0, 0);
  while (x[i] > __int_as_float(old) && atomicCAS(bits, old, __float_as_int(x[i])) != old) {
  }
}
