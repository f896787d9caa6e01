__global__ void mirror(int width, int height, const int *image, int *mirrored) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = 0;  // Compute the row.
  if (x >= width) return;
  mirrored[y * width + x] = image[y * width + x];
}
