// Estimates pi from random points. "Run program" compiles and runs the whole program, with the
// number of tries of each thread as its argument.
#include <cmath>
#include <cstdio>
#include <cstdlib>

static __device__ unsigned next(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__global__ void countInside(unsigned *inside, int tries) {
  unsigned state = 2654435769u * (blockIdx.x * blockDim.x + threadIdx.x + 1);
  unsigned count = 0;
  for (int i = 0; i < tries; i++) {
    float x = (next(state) >> 8) * 0x1p-24f;
    float y = (next(state) >> 8) * 0x1p-24f;
    if (x * x + y * y < 1) count++;
  }
  atomicAdd(inside, count);
}

int main(int argc, char **argv) {
  int tries = argc > 1 ? atoi(argv[1]) : 100;
  const int blocks = 16, threads = 64;
  unsigned *device, inside;
  cudaMalloc(&device, sizeof(unsigned));
  cudaMemset(device, 0, sizeof(unsigned));
  countInside<<<blocks, threads>>>(device, tries);
  cudaError_t error = cudaMemcpy(&inside, device, sizeof(unsigned), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  double points = double(blocks) * threads * tries;
  double pi = 4 * inside / points;
  printf("%u of %.0f points are in the circle\n", inside, points);
  printf("pi is about %.4f, %.4f off\n", pi, fabs(pi - M_PI));
  cudaFree(device);
  return 0;
}
