// Nobody sets the flag that every thread waits for.
__global__ void wait(volatile int *flag, int *out) {
  while (*flag == 0) {  // fault
  }
  out[threadIdx.x] = 1;
}
