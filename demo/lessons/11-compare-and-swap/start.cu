__device__ void atomic_max(float *address, float value) {
  int *bits = (int *)address;
  int old = atomicCAS(bits, 0, 0);  // Reads the memory without changing it.
  // Another thread may change the memory here. Try again in this case.
  if (value > __int_as_float(old)) atomicCAS(bits, old, __float_as_int(value));
}

__global__ void maximum(int n, const float *x, float *result) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max(result, x[i]);
}
