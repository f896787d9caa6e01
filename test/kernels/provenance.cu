// Addresses from memory, a shuffle or arithmetic, added to 64-bit numbers from the launch. PTX does
// not say which of the two is the address.
#include <stdint.h>

typedef unsigned char uchar;

struct View {
  uchar *data;
  int n;
};

struct Slice {
  int *data;
  size_t from;
  size_t step;
};

__device__ View views[2];
__device__ uchar *rows[4];
__device__ Slice slices[2];
__device__ uintptr_t tagged[4];
__device__ uint2 halves[4];
__device__ ptrdiff_t distances[32];

// A pointer from a struct in memory, and an offset in bytes.
extern "C" __global__ void view_bytes(uchar *a, uchar *b, size_t off, int n, int *out) {
  int i = threadIdx.x;
  if (i == 0) {
    views[0] = {a, n};
    views[1] = {b, n};
  }
  __syncthreads();
  View v = views[i & 1];
  out[i] = i < v.n ? v.data[off + i] : -1;
}

__device__ __noinline__ int pick(View v, size_t off, int i) {
  return i < v.n ? v.data[off + i] + v.data[i] : -1;
}

// The same through a function that is not inlined, with a struct by value.
extern "C" __global__ void view_function(uchar *a, uchar *b, size_t off, int n, int *out) {
  int i = threadIdx.x;
  if (i == 0) {
    views[0] = {a, n};
    views[1] = {b, n};
  }
  __syncthreads();
  out[i] = pick(views[i & 1], off, i);
}

// A table of pointers.
extern "C" __global__ void rows_offset(uchar *a, uchar *b, size_t off, int *out) {
  int i = threadIdx.x;
  if (i < 4) rows[i] = (i & 1 ? a : b) + 8 * i;
  __syncthreads();
  uchar *const *p = rows;
  out[i] = p[i & 3][off];
}

// A pointer and numbers in one struct, and numbers of the launch.
extern "C" __global__ void slices_step(int *a, int *b, size_t from, ptrdiff_t step, int *out) {
  int i = threadIdx.x;
  if (i < 2) slices[i] = {i & 1 ? a : b, from + i, 2};
  __syncthreads();
  Slice s = slices[i & 1];
  char *at = (char *)(s.data + s.from + s.step * (i >> 2));
  out[i] = *(int *)(at + step) + *(int *)(at + 2 * step);
}

// Pointers with tags in low and high bits, and one that is stored shifted.
extern "C" __global__ void tagged_pointers(uchar *a, uchar *b, size_t off, int *out) {
  int i = threadIdx.x;
  if (i < 4) {
    uintptr_t p = (uintptr_t)(i & 1 ? a : b);
    tagged[i] = i < 2 ? p | (i + 3) : p << 16 | (0x5a00 + i);
  }
  __syncthreads();
  uintptr_t t = tagged[i & 3];
  uintptr_t p = (i & 3) < 2 ? t & ~(uintptr_t)7 : t >> 16;
  out[i] = ((uchar *)p)[off + (i >> 2)];
  uintptr_t low = t & ~(uintptr_t)15, high = (t << 16) >> 16;
  if ((i & 3) < 2) out[i + 32] = ((uchar *)low)[off];
  else out[i + 32] = (int)(high & 15);
}

// Pointers from other lanes.
extern "C" __global__ void shuffled_pointers(uchar *a, uchar *b, size_t off, int *out) {
  int i = threadIdx.x;
  unsigned long long p = (unsigned long long)(i < 16 ? a : b);
  p = __shfl_xor_sync(0xffffffff, p, 16);
  out[i] = ((uchar *)p)[off + (i & 15)];
}

// Pointers combined from two words.
extern "C" __global__ void pointers_in_halves(uchar *a, uchar *b, size_t off, int *out) {
  int i = threadIdx.x;
  if (i < 4) {
    unsigned long long p = (unsigned long long)(i & 1 ? a : b);
    halves[i] = {(unsigned)p, (unsigned)(p >> 32)};
  }
  __syncthreads();
  uint2 h = halves[i & 3];
  uchar *p = (uchar *)((unsigned long long)h.y << 32 | h.x);
  out[i] = p[off + (i >> 2)];
}

// Pointers in shared memory, whose targets are updated.
extern "C" __global__ void shared_pointers(int *a, int *b, size_t off, int *out) {
  __shared__ int *kept[2];
  int i = threadIdx.x;
  if (i < 2) kept[i] = i & 1 ? a : b;
  __syncthreads();
  int *p = (int *)((char *)kept[i & 1] + off);
  atomicAdd(p + (i >> 3), i);
  atomicMax((int *)((char *)kept[1] + off) + 8, i);
  out[i] = i;
}

// A loaded pointer or the parameter itself.
extern "C" __global__ void chosen_pointers(uchar *a, uchar *b, size_t off, int *out) {
  int i = threadIdx.x;
  if (i < 4) rows[i] = b + i;
  __syncthreads();
  uchar *p = i % 3 == 0 ? a : rows[i & 3];
  out[i] = p[off + (i & 7)];
}

// A parameter aligned by a bit mask, and an offset.
extern "C" __global__ void aligned_pointer(uchar *a, size_t off, int *out) {
  int i = threadIdx.x;
  uchar *p = (uchar *)((uintptr_t)(a + i) & ~(uintptr_t)15);
  out[i] = p[off] + p[off + 15];
}

// A parameter that is a pointer or a number, as another parameter selects.
extern "C" __global__ void pointer_or_number(uchar *a, unsigned long long x, int is_number, int *out) {
  int i = threadIdx.x;
  if (i < 4) rows[i] = a + i;
  __syncthreads();
  out[i] = is_number ? rows[i & 3][x + (i >> 2)] : ((uchar *)x)[i];
}

// Offsets computed as distances of two addresses.
extern "C" __global__ void distances_of_addresses(uchar *a, uchar *b, int *out) {
  int i = threadIdx.x;
  distances[i] = (intptr_t)(i & 1 ? b : a) - (intptr_t)a;
  __syncthreads();
  out[i] = a[distances[i ^ 3] + i];
}

// Byte offsets from memory, forward and backward from a parameter.
extern "C" __global__ void loaded_offsets(uchar *a, const long long *offs, size_t middle, int *out) {
  int i = threadIdx.x;
  out[i] = a[middle + offs[i]] + 256 * (a + middle)[-offs[i]] + 65536 * *(a + middle - offs[i ^ 1]);
}

// Rows with a pitch in bytes, as from cudaMallocPitch.
extern "C" __global__ void pitched(uchar *a, size_t pitch, int height, int *out) {
  int i = threadIdx.x, sum = 0;
  for (int y = 0; y < height; y++, a += pitch) sum = 31 * sum + ((int *)a)[i & 7];
  out[i] = sum;
}
