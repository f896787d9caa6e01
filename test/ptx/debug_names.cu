// nvcc -G -ptx -arch=sm_80 debug_names.cu: debug information names the parameters.
struct Range {
  int first, last;
};

__device__ float scaled(float value, float factor) { return value * factor; }

__global__ void scale(float *values, float factor, Range range) {
  int i = range.first + threadIdx.x;
  if (i < range.last) values[i] = scaled(values[i], factor);
}

extern "C" __global__ void shift(int *numbers, int by) { numbers[threadIdx.x] += by; }
