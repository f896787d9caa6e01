// CUB's device-wide primitives on random words, as in bench/kernels. `cub WORDS SAMPLES` prints a
// JSON object of milliseconds.
#include <cub/cub.cuh>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void fill(unsigned *out, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned x = (unsigned)i * 0x9e3779b1u + 7;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    out[i] = x ^ (x >> 16);
  }
}

static void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(status));
  exit(1);
}

/// Calls `primitive(storage, bytes)` as CUB requires: without storage it returns the required
/// bytes.
template <class Primitive> static void measure(const char *name, int samples, bool last, Primitive primitive) {
  size_t bytes = 0;
  check(primitive((void *)nullptr, bytes));
  void *storage;
  check(cudaMalloc(&storage, bytes));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  const int repeat = 10;
  printf("\"%s\": [", name);
  for (int sample = -1; sample < samples; sample++) {
    check(cudaEventRecord(begin));
    for (int i = 0; i < repeat; i++) check(primitive(storage, bytes));
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms;
    check(cudaEventElapsedTime(&ms, begin, end));
    // The first run warms up.
    if (sample >= 0) printf("%s%g", sample ? ", " : "", ms / repeat);
  }
  printf("]%s\n", last ? "" : ",");
  check(cudaFree(storage));
}

int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoull(argv[1], nullptr, 10) : 1 << 20;
  int samples = argc > 2 ? atoi(argv[2]) : 9;
  unsigned *in, *out;
  check(cudaMalloc(&in, n * 4));
  check(cudaMalloc(&out, n * 4));
  fill<<<4096, 256>>>(in, n);
  printf("{\n");
  measure("reduce", samples, false, [&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, in, out, (int)n); });
  measure("scan", samples, false, [&](void *s, size_t &b) { return cub::DeviceScan::InclusiveSum(s, b, in, out, (int)n); });
  measure("sort", samples, true, [&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, in, out, (int)n); });
  printf("}\n");
}
