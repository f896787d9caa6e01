// A program that checks its own results: `checks [reference|assert] [file]`.
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#define CHECK(call) check(call, #call, __LINE__)
static int failures = 0;
static void expect(bool good, const char *what) {
  printf("%s: %s\n", what, good ? "passed" : "FAILED");
  failures += !good;
}
static void check(cudaError_t error, const char *call, int line) {
  if (error == cudaSuccess) return;
  printf("line %d: %s: %s\n", line, call, cudaGetErrorString(error));
  failures++;
}

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
static void vectors() {
  const int n = 1000;
  std::vector<float> a(n), b(n), c(n);
  std::iota(a.begin(), a.end(), 0.f);
  std::iota(b.begin(), b.end(), 5.f);
  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, n * sizeof(float)));
  CHECK(cudaMalloc(&db, n * sizeof(float)));
  CHECK(cudaMalloc(&dc, n * sizeof(float)));
  CHECK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  add<<<(n + 127) / 128, 128>>>(da, db, dc, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDefault));
  bool good = true;
  for (int i = 0; i < n; i++) good &= c[i] == 2 * i + 5;
  expect(good, "vectors");
  cudaFree(da), cudaFree(db), cudaFree(dc);
}

// Structs with pointers, by value and in memory: both halves must agree on the layout.
struct Node { Node *next; long value; size_t size; double weight; };
struct View { int *data; int count; Node *list; };
__global__ void walk(View view, long extra, long long wide) {
  long sum = extra + wide;
  for (Node *node = view.list; node; node = node->next) sum += node->value * node->weight + node->size;
  for (int i = 0; i < view.count; i++) view.data[i] += sum;
}
static void structs() {
  Node *device;
  CHECK(cudaMalloc(&device, 3 * sizeof(Node)));
  Node nodes[3] = {{device + 1, 10, 1, 0.5}, {device + 2, -20, 2, 2}, {nullptr, 30, 3, 1}};
  CHECK(cudaMemcpy(device, nodes, sizeof nodes, cudaMemcpyHostToDevice));
  int data[2] = {100, 200};
  View view = {nullptr, 2, device};
  CHECK(cudaMalloc(&view.data, sizeof data));
  CHECK(cudaMemcpy(view.data, data, sizeof data, cudaMemcpyHostToDevice));
  walk<<<1, 1>>>(view, 1000, 1LL << 40);
  CHECK(cudaMemcpy(data, view.data, sizeof data, cudaMemcpyDeviceToHost));
  expect(data[0] == 1101 && data[1] == 1201, "structs");
}

__constant__ float factors[4];
__device__ int counter = 5;
__global__ void scale(float *x) {
  x[threadIdx.x] *= factors[threadIdx.x % 4];
  atomicAdd(&counter, 2);
}
static void symbols() {
  const float host[4] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(factors, host, sizeof host));
  CHECK(cudaMemcpyToSymbol(factors, host + 3, sizeof(float), sizeof(float)));
  float *x;
  CHECK(cudaMallocManaged(&x, 8 * sizeof(float)));
  for (int i = 0; i < 8; i++) x[i] = i;
  scale<<<1, 8>>>(x);
  CHECK(cudaDeviceSynchronize());
  int count;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  expect(x[1] == 4 && x[2] == 6 && x[7] == 28 && count == 21, "symbols");
}

__global__ void reduce(const int *in, int *out, int n) {
  extern __shared__ int part[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
static void streams() {
  const int n = 1 << 12, block = 64;
  std::vector<int> host(n, 3);
  int *from, *to;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMallocAsync(&from, n * sizeof(int), stream));
  CHECK(cudaMalloc(&to, n / block * sizeof(int)));
  CHECK(cudaMemcpyAsync(from, host.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
  CHECK(cudaEventRecord(start, stream));
  for (int count = n; count > 1; count = (count + block - 1) / block) {
    reduce<<<(count + block - 1) / block, block, block * sizeof(int), stream>>>(from, to, count);
    std::swap(from, to);
  }
  CHECK(cudaEventRecord(stop, stream));
  int sum;
  CHECK(cudaMemcpyAsync(&sum, from, sizeof sum, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  expect(sum == 3 * n && ms >= 0, "streams");
}

__global__ void report(long number, size_t size) {
  if (threadIdx.x < 2) printf("thread %d of %ld, %zu, %.1f\n", threadIdx.x, number, size, 0.5);
}
__global__ void fail(int limit) { assert(threadIdx.x < limit); }

static void errors() {
  add<<<1, 2048>>>(nullptr, nullptr, nullptr, 0);
  bool good = cudaPeekAtLastError() == cudaErrorInvalidConfiguration;
  good &= !strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidConfiguration");
  good &= cudaGetLastError() == cudaSuccess;
  void *p;
  good &= cudaMalloc(&p, 4000000000u) == cudaErrorMemoryAllocation && cudaSetDevice(7) == cudaErrorInvalidDevice;
  cudaGetLastError();
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int blocks;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
  expect(good && properties.warpSize == 32 && properties.name[0] && blocks == 8, "errors");
}

int main(int argc, char **argv) {
  vectors(), structs(), symbols(), streams(), errors();
  report<<<1, 32>>>(32, sizeof(void *));
  CHECK(cudaDeviceSynchronize());
  if (argc > 2) {
    FILE *file = fopen(argv[2], "w+");
    fprintf(file, "written by %s\n", argv[1]);
    rewind(file);
    char word[16] = "";
    fscanf(file, "%15s", word);
    fclose(file);
    expect(!strcmp(word, "written"), "files");
  }
  if (argc > 1 && !strcmp(argv[1], "assert")) {
    fail<<<1, 32>>>(7);
    cudaError_t error = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorName(error));
    return error == cudaErrorAssert ? 42 : 1;
  }
  return failures;
}
