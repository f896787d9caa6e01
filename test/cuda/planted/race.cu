// Threads of different warps add to one counter without an atomic.
__global__ void count(const int *in, int *total) {
  if (in[threadIdx.x] > 0) {
    *total += 1;  // fault
  }
}
