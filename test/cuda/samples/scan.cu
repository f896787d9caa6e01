__global__ void scan(const int *in, int *out, int n) {
  extern __shared__ int values[];
  int i = threadIdx.x;
  values[i] = i < n ? in[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    int other = i >= offset ? values[i - offset] : 0;
    __syncthreads();
    values[i] += other;
    __syncthreads();
  }
  if (i < n) out[i] = values[i];
}
