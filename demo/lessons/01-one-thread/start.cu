__global__ void double_each(const int *x, int *y) {
  int i = 0;  // Each thread needs its own index.
  y[i] = 2 * x[i];
}
