// Built with -use_fast_math: ftz, approximate division and roots, intrinsics in place of functions.

/// A damped wave of a warp's values, normalized by the warp's largest.
extern "C" __global__ void fast_wave(const float *in, float *out, float rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < n ? in[i] : 0.0f;
  float v = expf(-rate * x * x) * sinf(x) + cosf(x) / (1.0f + sqrtf(fabsf(x)));
  float top = fabsf(v);
  for (int m = 16; m; m >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, m));
  if (i < n) out[i] = v / top;
}

/// Gelu and sigmoid: tanh and exp.
extern "C" __global__ void fast_activations(const float *in, float *gelu, float *sigmoid, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  gelu[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
  sigmoid[i] = 1.0f / (1.0f + expf(-x));
}

/// powf and logf: a color curve on bytes.
extern "C" __global__ void fast_gamma(const uchar4 *in, float4 *out, float gamma) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uchar4 c = in[i];
  out[i] = make_float4(powf(c.x / 255.0f, gamma), powf(c.y / 255.0f, gamma), logf(1.0f + c.z), c.w / 255.0f);
}

/// Cosine similarity of 16-component vectors, eight lanes per vector.
extern "C" __global__ void fast_cosine(const float2 *a, const float2 *b, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 x = a[i], y = b[i];
  float dot = x.x * y.x + x.y * y.y, xx = x.x * x.x + x.y * x.y, yy = y.x * y.x + y.y * y.y;
  for (int m = 4; m; m >>= 1) {
    dot += __shfl_xor_sync(0xffffffffu, dot, m, 8);
    xx += __shfl_xor_sync(0xffffffffu, xx, m, 8);
    yy += __shfl_xor_sync(0xffffffffu, yy, m, 8);
  }
  if ((threadIdx.x & 7) == 0) out[i >> 3] = dot * rsqrtf(xx * yy);
}
