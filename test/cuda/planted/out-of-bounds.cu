// The bound admits one thread too many.
__device__ __forceinline__ void put(int *out, int i, int value) {
  out[i] = value;  // fault
}

__global__ void fill(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) put(out, i, i);
}
