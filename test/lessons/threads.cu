// Wrong answers to the lessons about threads.

// Reverses the block and the thread.
__global__ void add_mixed_up(const float *a, const float *b, float *c) {
  int i = threadIdx.x * gridDim.x + blockIdx.y;
  c[i] = a[i] + b[i];
}

__global__ void saxpy_guard_too_late(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = a * x[i] + y[i];
}

// All blocks process the same elements.
__global__ void clamp_without_block(int n, const int *x, int *y) {
  for (int i = threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = min(max(x[i], 0), 255);
}

__global__ void mirror_one_too_far(int width, int height, const int *image, int *mirrored) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  mirrored[y * width + width - x] = image[y * width + x];
}
