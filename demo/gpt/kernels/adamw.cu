// AdamW: a thread for a parameter. The first `decayed` of them decay.
#include "arithmetic.cuh"

extern "C" __global__ void adamw(int count, int decayed, float beta1, float beta2, float epsilon, float decay, const float *rates, const float *grads,
                                 float *means, float *squares, float *params) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float rate = rates[5];
  float grad = grads[i] * rates[6];
  float mean = fmaf(beta1, means[i], (1.0f - beta1) * grad);
  float square = fmaf(beta2, squares[i], (1.0f - beta2) * grad * grad);
  means[i] = mean;
  squares[i] = square;
  float step = mean * rates[3] / (sqrtf(square * rates[4]) + epsilon);
  float param = params[i];
  params[i] = fmaf(-rate, fmaf(i < decayed ? decay : 0.0f, param, step), param);
}
