__global__ void clamp_each(int n, const int *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // Each thread processes only one element. Add a loop.
  if (i < n) y[i] = min(max(x[i], 0), 255);
}
