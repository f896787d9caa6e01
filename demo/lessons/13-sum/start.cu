__global__ void sum_all(int n, const int *x, int *total) {
  __shared__ int part[64];
  int t = threadIdx.x;
  int sum = 0;
  for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) sum += x[i];
  part[t] = sum;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) *total = part[0];
}
