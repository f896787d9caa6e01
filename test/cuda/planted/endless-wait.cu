// Every thread waits for a flag that no thread sets.
__global__ void wait(volatile int *flag, int *out) {
  while (*flag == 0) {  // fault
  }
  out[threadIdx.x] = 1;
}
