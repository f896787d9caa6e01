// Surfaces read and written in place, by bytes, with clamped and zero edges, in layers and volumes.

extern "C" __global__ void paint_surface(cudaSurfaceObject_t image, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) surf2Dwrite(make_uchar4(x, y, x ^ y, x + y), image, x * 4, y);
}

extern "C" __global__ void blur_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) sum += surf2Dread<float>(from, (x + dx) * 4, y + dy, cudaBoundaryModeClamp);
  surf2Dwrite(sum * 0.125f, to, x * 4, y);
}

extern "C" __global__ void shift_surface(cudaSurfaceObject_t image, ushort2 *out, int width, int height, int dx, int dy) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[y * width + x] = surf2Dread<ushort2>(image, (x + dx) * 4, y + dy, cudaBoundaryModeZero);
}

extern "C" __global__ void fill_volume(cudaSurfaceObject_t volume, const float4 *in, int width, int height, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height * depth) return;
  int x = i % width, y = i / width % height, z = i / width / height;
  surf3Dwrite(in[i], volume, (x + 1) * 16, y - 1, z, cudaBoundaryModeZero);
}

extern "C" __global__ void copy_layers(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int layers) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < width)
    for (int layer = 0; layer < layers; layer++) {
      short s = surf2DLayeredread<short>(from, x * 2, 0, layer);
      surf1DLayeredwrite((unsigned char)(s >> 4), to, x, layers - 1 - layer);
    }
}

extern "C" __global__ void scatter_texels(cudaSurfaceObject_t image, const int *where, const unsigned *what, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = where[i] % 40 - 4, y = where[i] / 40 - 2;
  // The last column has the maximum.
  if (x < 31) asm volatile("sured.b.add.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(image), "r"(x * 4), "r"(y), "r"(what[i]));
  asm volatile("sured.p.max.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(image), "r"(x + 100), "r"(y), "r"(what[i] >> 8));
}

extern "C" __global__ void store_formatted(cudaSurfaceObject_t image, const uint4 *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) asm volatile("sust.p.1d.v4.b32.zero [%0, {%1}], {%2, %3, %4, %5};" ::"l"(image), "r"(i - 2), "r"(in[i].x), "r"(in[i].y), "r"(in[i].z), "r"(in[i].w));
}

extern "C" __global__ void sizes(cudaTextureObject_t texture, cudaSurfaceObject_t surface, int *out) {
  int *words = out + threadIdx.x * 8;
  asm volatile("txq.width.b32 %0, [%1];" : "=r"(words[0]) : "l"(texture));
  asm volatile("txq.height.b32 %0, [%1];" : "=r"(words[1]) : "l"(texture));
  asm volatile("suq.width.b32 %0, [%1];" : "=r"(words[2]) : "l"(surface));
  asm volatile("suq.height.b32 %0, [%1];" : "=r"(words[3]) : "l"(surface));
}
