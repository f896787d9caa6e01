__global__ void mirror(int width, int height, const int *image, int *mirrored) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  mirrored[y * width + width - 1 - x] = image[y * width + x];
}
