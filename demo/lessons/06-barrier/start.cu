__global__ void reverse_blocks(const int *x, int *y) {
  __shared__ int tile[128];
  int first = blockIdx.x * 128;
  tile[threadIdx.x] = x[first + threadIdx.x];
  y[first + threadIdx.x] = tile[127 - threadIdx.x];
}
