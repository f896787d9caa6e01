// Layer norm: a warp for a row.
#include "arithmetic.cuh"

extern "C" __global__ void layer_norm(int width, int gain_at, int bias_at, const float *x, const float *params, float *out, float *means, float *scales) {
  int lane = threadIdx.x;
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  const float *in = x + row * width;
  float size = (float)width;
  float sum = 0.0f;
  for (int c = lane; c < width; c += 32) sum += in[c];
  float mean = warp_sum(sum) / size;
  float squares = 0.0f;
  for (int c = lane; c < width; c += 32) squares = fmaf(in[c] - mean, in[c] - mean, squares);
  float scale = 1.0f / sqrtf(warp_sum(squares) / size + 1.0e-5f);
  for (int c = lane; c < width; c += 32)
    out[row * width + c] = fmaf((in[c] - mean) * scale, params[gain_at + c], params[bias_at + c]);
  if (lane == 0) {
    means[row] = mean;
    scales[row] = scale;
  }
}

/// Adds what comes back through the norm to what comes back around it.
extern "C" __global__ void layer_norm_back(int width, int gain_at, const float *x, const float *params, const float *means, const float *scales,
                                           const float *back, float *out) {
  int lane = threadIdx.x;
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  float mean = means[row];
  float scale = scales[row];
  float size = (float)width;
  float sum = 0.0f;
  float product = 0.0f;
  for (int c = lane; c < width; c += 32) {
    float normal = (x[row * width + c] - mean) * scale;
    float weighed = back[row * width + c] * params[gain_at + c];
    sum += weighed;
    product = fmaf(weighed, normal, product);
  }
  sum = warp_sum(sum) / size;
  product = warp_sum(product) / size;
  for (int c = lane; c < width; c += 32) {
    float normal = (x[row * width + c] - mean) * scale;
    float weighed = back[row * width + c] * params[gain_at + c];
    out[row * width + c] += fmaf(-normal, product, weighed - sum) * scale;
  }
}

/// Gradients of gain and bias: a block for 32 channels, whose eight warps each add every eighth row.
extern "C" __global__ void layer_norm_back_params(int width, int rows, int gain_at, int bias_at, const float *x, const float *means, const float *scales,
                                                  const float *back, float *grads) {
  __shared__ float gains[8][32];
  __shared__ float biases[8][32];
  int lane = threadIdx.x;
  int warp = threadIdx.y;
  int c = blockIdx.x * 32 + lane;
  float gain = 0.0f;
  float bias = 0.0f;
  for (int row = warp; row < rows; row += 8) {
    float value = back[row * width + c];
    gain = fmaf(value, (x[row * width + c] - means[row]) * scales[row], gain);
    bias += value;
  }
  gains[warp][lane] = gain;
  biases[warp][lane] = bias;
  __syncthreads();
  if (warp != 0) return;
  for (int other = 1; other < 8; other++) {
    gain += gains[other][lane];
    bias += biases[other][lane];
  }
  grads[gain_at + c] = gain;
  grads[bias_at + c] = bias;
}
