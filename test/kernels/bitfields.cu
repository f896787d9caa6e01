// Bit fields of structs that lie in local memory uninitialized, as unoptimized code writes them: each
// assignment loads the word, masks the field out, and stores the word with the new field.

struct Flags {
  unsigned kind : 3;
  unsigned level : 5;
  int offset : 7;
  unsigned last : 1;
};

struct Pixel {
  unsigned red : 5, green : 6, blue : 5;
  unsigned short number;
};

struct Wide {
  unsigned long long low : 37;
  long long high : 20;
  unsigned odd : 1;
};

__device__ __noinline__ Pixel brighten(Pixel p, int by) {
  p.green = p.green + by;
  return p;
}

// All fields are read again: nothing undefined is left.
extern "C" __global__ void field_sums(const unsigned *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Flags f;
  f.kind = in[i];
  f.level = in[i] >> 3;
  f.offset = (int)in[i] >> 8;
  f.last = in[i] >> 31;
  f.level += f.kind;
  out[i] = f.last ? f.offset - (int)f.level : f.offset * (int)f.kind;
}

// A struct whose upper half stays undefined goes out as a word.
extern "C" __global__ void field_words(const unsigned *in, Flags *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Flags f;
  f.kind = in[i];
  f.level = in[i] >> 9;
  f.offset = -(int)(in[i] & 63);
  f.last = in[i] > 1000;
  out[i] = f;
}

// Structs by value, there and back.
extern "C" __global__ void field_calls(const unsigned *in, Pixel *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Pixel p;
  p.red = in[i];
  p.green = in[i] >> 5;
  p.blue = in[i] >> 11;
  p.number = i;
  out[i] = brighten(p, p.red);
}

// Fields of 64-bit words; some are never set.
extern "C" __global__ void field_wide(const unsigned *in, unsigned long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Wide w;
  w.low = (unsigned long long)in[i] << 9;
  if (in[i] & 1) w.high = -(long long)in[i];
  else w.high = in[i];
  out[i] = w.low ^ (unsigned long long)(w.high >> 3);
}
