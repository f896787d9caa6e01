// The mask names sixteen lanes, but all of them shuffle.
__global__ void exchange(const int *in, int *out) {
  int value = in[threadIdx.x];
  out[threadIdx.x] = __shfl_xor_sync(0x0000ffff, value, 1);  // fault
}
