__global__ void add(const float *a, const float *b, float *c) {
  int i = threadIdx.x;  // This index is the same in every block.
  c[i] = a[i] + b[i];
}
