// Textures of every dimension, as objects: resized images, a color table, layers, gathered texels,
// linear memory, handles in an array.

struct Extent {
  int width, height;
};

extern "C" __global__ void resize_linear(cudaTextureObject_t image, float4 *out, Extent to, float scale_x, float scale_y) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= to.width || y >= to.height) return;
  out[y * to.width + x] = tex2D<float4>(image, (x + 0.5f) * scale_x, (y + 0.5f) * scale_y);
}

extern "C" __global__ void resize_floats(cudaTextureObject_t image, float *out, Extent to, float scale_x, float scale_y) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= to.width || y >= to.height) return;
  out[y * to.width + x] = tex2D<float>(image, (x + 0.5f) * scale_x - 2.0f, (y + 0.5f) * scale_y - 2.0f);
}

extern "C" __global__ void rotate_wrapped(cudaTextureObject_t image, unsigned *out, Extent to, float u, float v) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= to.width || y >= to.height) return;
  out[y * to.width + x] = tex2D<unsigned>(image, x * u - y * v, x * v + y * u);
}

extern "C" __global__ void grade_colors(cudaTextureObject_t table, const float4 *in, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex3D<float4>(table, in[i].x, in[i].y, in[i].z);
}

extern "C" __global__ void blend_layers(cudaTextureObject_t layers, float *out, Extent size, int count) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size.width || y >= size.height) return;
  float sum = 0;
  for (int layer = 0; layer < count; layer++) sum += tex2DLayered<float>(layers, x + 0.25f * layer, y + 0.5f, layer) * (1 << layer);
  out[y * size.width + x] = sum;
}

extern "C" __global__ void strips(cudaTextureObject_t layers, short2 *out, int width, int count) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < width)
    for (int layer = 0; layer < count; layer++) out[layer * width + x] = tex1DLayered<short2>(layers, x - 3.0f, layer);
}

extern "C" __global__ void gather_edges(cudaTextureObject_t image, float *out, Extent size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size.width || y >= size.height) return;
  float4 r = tex2Dgather<float4>(image, x, y, 0), g = tex2Dgather<float4>(image, x, y, 1);
  out[y * size.width + x] = fmaxf(fmaxf(r.x, r.y), fmaxf(r.z, r.w)) - fminf(fminf(g.x, g.y), fminf(g.z, g.w));
}

extern "C" __global__ void fetch_sparse(cudaTextureObject_t vector, const int *rows, const int *columns, const float *values, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int k = rows[row]; k < rows[row + 1]; k++) sum = fmaf(values[k], tex1Dfetch<float>(vector, columns[k]), sum);
  out[row] = sum;
}

extern "C" __global__ void interpolate_table(cudaTextureObject_t table, const float *x, float2 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1D<float2>(table, x[i]);
}

extern "C" __global__ void choose_texture(cudaTextureObject_t a, cudaTextureObject_t b, cudaTextureObject_t c, const int *which, float *out, int n) {
  cudaTextureObject_t all[] = {a, b, c};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float>(all[which[i]], i * 0.37f, i * 0.11f);
}

extern "C" __global__ void shared_edges(cudaTextureObject_t image, float *out, int width) {
  int x = blockIdx.x * 32 + threadIdx.x;
  float left = tex2D<float>(image, x + 0.5f, blockIdx.y + 0.5f);
  float right = __shfl_down_sync(~0u, left, 1);
  out[blockIdx.y * width + x] = right - left;
}
