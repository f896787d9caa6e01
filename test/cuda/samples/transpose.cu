namespace linear {
constexpr int tile = 32;
constexpr int rows = 8;

__global__ void transpose(float *out, const float *in, int width, int height) {
  __shared__ float cells[tile][tile + 1];
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows) cells[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows) out[(y + j) * height + x] = cells[threadIdx.x][threadIdx.y + j];
}
}  // namespace linear
