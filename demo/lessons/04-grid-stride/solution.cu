__global__ void clamp_each(int n, const int *x, int *y) {
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = gridDim.x * blockDim.x;
  for (int i = first; i < n; i += stride) y[i] = min(max(x[i], 0), 255);
}
