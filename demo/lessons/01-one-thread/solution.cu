__global__ void double_each(const int *x, int *y) {
  int i = threadIdx.x;
  y[i] = 2 * x[i];
}
