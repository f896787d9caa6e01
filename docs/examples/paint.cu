extern "C" __global__ void paint(unsigned *pixels, int width, unsigned time) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width) pixels[y * width + x] = 0xff000000 | (x + time & 255) << 16 | (y * 4 & 255) << 8 | 32;
}
