__global__ void multiply_tiles(int n, const float *a, const float *b, float *c) {
  __shared__ float left[8][8];
  __shared__ float right[8][8];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int x = blockIdx.x * 8 + tx;
  int y = blockIdx.y * 8 + ty;
  float sum = 0;
  for (int first = 0; first < n; first += 8) {
    left[ty][tx] = y < n && first + tx < n ? a[y * n + first + tx] : 0;
    right[ty][tx] = x < n && first + ty < n ? b[(first + ty) * n + x] : 0;
    __syncthreads();
    for (int k = 0; k < 8; k++) sum += left[ty][k] * right[k][tx];
  }
  if (x < n && y < n) c[y * n + x] = sum;
}
