#define TILE 16

__global__ void matmul(float *c, const float *a, const float *b, int width_a, int width_b) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  int column = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  float sum = 0;
  for (int at = 0; at < width_a; at += TILE) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * width_a + at + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * width_b + column];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * width_b + column] = sum;
}
