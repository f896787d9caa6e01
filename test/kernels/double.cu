// f64: n-body, fractals, transforms, softmax, and the library functions, whose code nvcc inlines.

struct Sum {
  double x, y, z;
};

__device__ Sum pull(double3 me, double3 other, double mass, Sum sum, double softening) {
  double dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
  double square = dx * dx + dy * dy + dz * dz + softening;
  double scale = mass / (square * sqrt(square));
  return {sum.x + dx * scale, sum.y + dy * scale, sum.z + dz * scale};
}

/// Accelerations from tiles in shared memory. n is arbitrary, so the last tile may be partial.
extern "C" __global__ void double_nbody(const double *x, const double *y, const double *z, const double *mass, double *out, double softening, int n) {
  __shared__ double tile[4][32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double3 me = i < n ? make_double3(x[i], y[i], z[i]) : make_double3(0, 0, 0);
  Sum sum = {0, 0, 0};
  for (int base = 0; base < n; base += 32) {
    int j = base + threadIdx.x;
    if (threadIdx.x < 32 && j < n) {
      tile[0][threadIdx.x] = x[j];
      tile[1][threadIdx.x] = y[j];
      tile[2][threadIdx.x] = z[j];
      tile[3][threadIdx.x] = mass[j];
    }
    __syncthreads();
    int count = min(32, n - base);
#pragma unroll 1
    for (int k = 0; k < count; k++) sum = pull(me, make_double3(tile[0][k], tile[1][k], tile[2][k]), tile[3][k], sum, softening);
    __syncthreads();
  }
  if (i < n) {
    out[3 * i] = sum.x;
    out[3 * i + 1] = sum.y;
    out[3 * i + 2] = sum.z;
  }
}

/// Counts the steps until a point escapes.
extern "C" __global__ void double_mandelbrot(unsigned short *out, int width, int height, double left, double top, double step, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  double cx = left + step * (i % width), cy = top - step * (i / width);
  double x = 0, y = 0;
  int steps = 0;
#pragma unroll 1
  while (steps < limit && x * x + y * y <= 4.0) {
    double next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    steps++;
  }
  out[i] = steps;
}

__device__ double reduce(double value, bool wants_sum) {
  for (int distance = 16; distance > 0; distance >>= 1) {
    double other = __shfl_xor_sync(0xffffffffu, value, distance);
    value = wants_sum ? value + other : fmax(value, other);
  }
  return value;
}

/// One row per warp. A shuffle of an f64 moves its halves.
extern "C" __global__ void double_softmax(const double *in, double *out, int columns) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  double most = -INFINITY;
  for (int j = lane; j < columns; j += 32) most = fmax(most, in[row * columns + j]);
  most = reduce(most, false);
  double sum = 0;
#pragma unroll 1
  for (int j = lane; j < columns; j += 32) {
    double e = exp(in[row * columns + j] - most);
    out[row * columns + j] = e;
    sum += e;
  }
  double scale = 1 / reduce(sum, true);
  for (int j = lane; j < columns; j += 32) out[row * columns + j] *= scale;
}

/// A transform of 32 complex numbers per warp, in place, with butterflies between lanes.
extern "C" __global__ void double_fft(double2 *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
  double2 value = data[(i & ~31) | (__brev(lane) >> 27)];
#pragma unroll 1
  for (int half = 1; half < 32; half *= 2) {
    double sine, cosine;
    sincospi(-(double)(lane % half) / half, &sine, &cosine);
    bool upper = lane & half;
    double2 turned = upper ? make_double2(value.x * cosine - value.y * sine, value.x * sine + value.y * cosine) : value;
    double2 other = make_double2(__shfl_xor_sync(0xffffffffu, turned.x, half), __shfl_xor_sync(0xffffffffu, turned.y, half));
    value = upper ? make_double2(other.x - turned.x, other.y - turned.y) : make_double2(turned.x + other.x, turned.y + other.y);
  }
  data[i] = value;
}

extern "C" __global__ void double_exp(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = exp(in[i]);
}

extern "C" __global__ void double_log(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = log(in[i]);
}

/// Large angles use the slow path, with a table and local memory.
extern "C" __global__ void double_sin(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sin(in[i]);
}

extern "C" __global__ void double_pow(const double *a, const double *b, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = pow(a[i], b[i]);
}

/// Every rounding of every operation.
extern "C" __global__ void double_rounded(const double *a, const double *b, const double *c, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = a[i], y = b[i], z = c[i];
  double results[] = {__dadd_rn(x, y), __dadd_rz(x, y), __dadd_rd(x, y), __dadd_ru(x, y), __dmul_rn(x, y), __dmul_rz(x, y),
                      __dmul_rd(x, y), __dmul_ru(x, y), __fma_rn(x, y, z), __fma_rz(x, y, z), __fma_rd(x, y, z), __fma_ru(x, y, z)};
#pragma unroll
  for (int k = 0; k < 12; k++) out[k * n + i] = results[k];
}

extern "C" __global__ void double_quotients(const double *a, const double *b, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = a[i], y = b[i];
  double results[] = {__ddiv_rn(x, y), __ddiv_rz(x, y), __ddiv_rd(x, y), __ddiv_ru(x, y), __drcp_rn(y), __drcp_rz(y),
                      __dsqrt_rn(x), __dsqrt_rz(x), __dsqrt_rd(x), __dsqrt_ru(x), rsqrt(x)};
#pragma unroll
  for (int k = 0; k < 11; k++) out[k * n + i] = results[k];
}

extern "C" __global__ void double_converted(const double *in, const long long *whole, double *out, long long *integers, float *single, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = in[i];
  long long w = whole[i];
  double results[] = {rint(x), trunc(x), floor(x), ceil(x), __ll2double_rn(w), __ll2double_rz(w), __ull2double_rd(w), __ull2double_ru(w),
                      (double)(int)w, (double)(unsigned)w, (double)__int_as_float((int)w), (double)(short)w};
  long long numbers[] = {__double2ll_rn(x), __double2ll_rz(x), (long long)__double2ull_rd(x), (long long)__double2ull_ru(x), __double2int_rn(x),
                         __double2int_rz(x), __double2uint_rd(x), __double2uint_ru(x), (short)x, (unsigned char)x};
  float singles[] = {__double2float_rn(x), __double2float_rz(x), __double2float_rd(x), __double2float_ru(x)};
#pragma unroll
  for (int k = 0; k < 12; k++) out[k * n + i] = results[k];
#pragma unroll
  for (int k = 0; k < 10; k++) integers[k * n + i] = numbers[k];
#pragma unroll
  for (int k = 0; k < 4; k++) single[k * n + i] = singles[k];
}
