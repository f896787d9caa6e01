// Wrong answers to the lessons about shared memory.

// The barrier precedes the write instead of following it.
__global__ void reverse_barrier_first(const int *x, int *y) {
  __shared__ int tile[128];
  int first = blockIdx.x * 128;
  __syncthreads();
  tile[threadIdx.x] = x[first + threadIdx.x];
  y[first + threadIdx.x] = tile[127 - threadIdx.x];
}

// Threads after the end return before the barrier.
__global__ void neighbors_return_early(int n, const int *x, int *y) {
  __shared__ int tile[258];
  int t = threadIdx.x + 1;
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  tile[t] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (threadIdx.x == 255) tile[257] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  y[i] = tile[t - 1] + tile[t] + tile[t + 1];
}

__global__ void neighbors_without_ends(int n, const int *x, int *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i - 1] + x[i] + x[i + 1];
}

// Writes a tile at the place of its rows.
__global__ void transpose_in_place(int width, int height, const float *in, float *out) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
