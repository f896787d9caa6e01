template <typename T, unsigned int block>
__global__ void reduce(const T *in, T *out, unsigned int n) {
  __shared__ T partial[block];
  T sum = 0;
  for (unsigned int i = blockIdx.x * block + threadIdx.x; i < n; i += block * gridDim.x) sum += in[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int stride = block / 2; stride >= 32; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] = sum = sum + partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template __global__ void reduce<int, 128u>(const int *, int *, unsigned int);
template __global__ void reduce<float, 128u>(const float *, float *, unsigned int);
