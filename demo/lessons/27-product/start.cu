__global__ void multiply(int n, const float *a, const float *b, float *c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float sum = 0;
  // Add the products of row y of a and column x of b.
  c[y * n + x] = sum;
}
