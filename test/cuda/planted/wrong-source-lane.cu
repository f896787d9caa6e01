// The lane with the value has exited.
__global__ void broadcast(const int *in, int *out, int n) {
  int i = threadIdx.x;
  if (i == 0) return;
  int value = in[i];
  out[i] = __shfl_sync(0xffffffff, value, 0);  // fault
}
