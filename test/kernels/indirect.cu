// Functions as values: tables, virtual functions, callbacks.

typedef int (*Operation)(int, int);

__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }
__device__ __noinline__ int shifted(int a, int b) {
  int r = a;
  for (int i = 0; i < (b & 3); i++) r = r * 2 + 1;
  return r;
}

__device__ Operation table[4] = {add, subtract, multiply, shifted};

/// A small interpreter: each thread runs its own list of operations.
extern "C" __global__ void function_table(const unsigned char *code, const int *in, int *out, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[i];
  for (int k = 0; k < length; k++) value = table[code[i * length + k] & 3](value, k + 2);
  out[i] = value;
}

struct Shape {
  int size;
  __device__ Shape(int s) : size(s) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int edge() const { return 4 * size; }
};
struct Square : Shape {
  __device__ Square(int s) : Shape(s) {}
  __device__ int area() const override { return size * size; }
};
struct Box : Shape {
  int other;
  __device__ Box(int a, int b) : Shape(a), other(b) {}
  __device__ int area() const override { return size * other; }
  __device__ int edge() const override { return 2 * (size + other); }
};
struct Cube : Square {
  __device__ Cube(int s) : Square(s) {}
  __device__ int area() const override { return 6 * Square::area(); }
};

__device__ __noinline__ int describe(const Shape *shape) { return shape->area() * 1000 + shape->edge(); }

/// Virtual functions of objects in local memory.
extern "C" __global__ void virtual_functions(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int size = in[i];
  Square square(size);
  Box box(size, size + 3);
  Cube cube(size + 1);
  const Shape *shapes[3] = {&square, &box, &cube};
  int sum = 0;
  for (int k = 0; k < 3; k++) sum += describe(shapes[(k + size) % 3]) * (k + 1);
  out[i] = sum;
}

__device__ __noinline__ int sumOfWarp(int value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}
__device__ __noinline__ int mostOfWarp(int value) {
  for (int step = 16; step > 0; step /= 2) value = max(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;
}

/// A callback that a whole warp selects, with shuffles inside.
extern "C" __global__ void warp_callbacks(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = i / 32;
  int (*reduce)(int) = warp % 3 == 1 ? mostOfWarp : sumOfWarp;
  int value = reduce(in[i]);
  out[i] = reduce(value + (threadIdx.x & 31));
}
