#define RADIUS 3
#define BLOCK 64

__constant__ int weights[2 * RADIUS + 1] = {1, -2, 3, 4, 3, -2, 1};

__global__ void stencil(const int *__restrict__ in, int *__restrict__ out, int n) {
  __shared__ int window[BLOCK + 2 * RADIUS];
  int global = blockIdx.x * BLOCK + threadIdx.x;
  int local = threadIdx.x + RADIUS;
  window[local] = global < n ? in[global] : 0;
  if (threadIdx.x < RADIUS) {
    window[local - RADIUS] = global >= RADIUS ? in[global - RADIUS] : 0;
    window[local + BLOCK] = global + BLOCK < n ? in[global + BLOCK] : 0;
  }
  __syncthreads();
  int sum = 0;
  for (int k = -RADIUS; k <= RADIUS; k++) sum += weights[k + RADIUS] * window[local + k];
  if (global < n) out[global] = sum;
}
