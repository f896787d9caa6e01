// Measures launches in CUDA: the kernels and steps of bench/launch-costs.mjs, one by one and as a
// graph. Prints JSON.
//
//   nvcc -O2 -arch=native bench/native/launches.cu -o launches && ./launches

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

static void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "launches.cu:%d: %s\n", line, cudaGetErrorString(error));
  exit(1);
}
#define CHECK(call) check(call, __LINE__)

__global__ void empty() {}

__global__ void touch(unsigned *x, unsigned n) { *x = n; }

__global__ void spin(unsigned *x, unsigned turns) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned word = x[i];
#pragma unroll 1
  for (unsigned turn = 0; turn < turns; turn++) word = word * 1664525u + 1013904223u;
  x[i] = word;
}

constexpr int launches = 1000, rounds = 30, launchesAStep = 200, steps = 20, blocks = 1024;
static cudaStream_t stream;

using Clock = std::chrono::steady_clock;
static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}
static double median(std::vector<double> list) {
  std::sort(list.begin(), list.end());
  return list[list.size() / 2];
}

static void measure(const char *name, const char *end, const std::function<void(int)> &launch) {
  std::vector<double> asked, ended;
  for (int round = 0; round < rounds; round++) {
    auto start = Clock::now();
    for (int count = 0; count < launches; count++) launch(count);
    asked.push_back(millisecondsSince(start));
    CHECK(cudaStreamSynchronize(stream));
    ended.push_back(millisecondsSince(start));
  }
  printf("\"%s\":{\"microsecondsALaunch\":%g,\"millisecondsForAll\":%g}%s", name, 1000 * median(asked) / launches, median(ended), end);
}

static cudaGraphExec_t record(const std::function<void()> &ask) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int count = 0; count < launchesAStep; count++) ask();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

struct Times {
  double asked, wall, gpu;
};

static Times timeOf(unsigned *y, unsigned busyTurns, const std::function<void()> &ask) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> asked, wall, gpu;
  for (int round = 0; round < 5; round++) {
    CHECK(cudaStreamSynchronize(stream));
    if (busyTurns > 0) spin<<<blocks, 256, 0, stream>>>(y, busyTurns);
    auto start = Clock::now();
    CHECK(cudaEventRecord(begin, stream));
    for (int count = 0; count < steps; count++) ask();
    CHECK(cudaEventRecord(end, stream));
    asked.push_back(millisecondsSince(start) / steps);
    CHECK(cudaStreamSynchronize(stream));
    wall.push_back(millisecondsSince(start) / steps);
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    gpu.push_back(ms / steps);
  }
  return {median(asked), median(wall), median(gpu)};
}

int main() {
  unsigned *x, *y;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&x, 16));
  CHECK(cudaMalloc(&y, blocks * 1024));
  CHECK(cudaMemset(y, 0, blocks * 1024));
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  auto askEmpty = [] { empty<<<1, 32, 0, stream>>>(); };
  auto askTouch = [&] { touch<<<1, 32, 0, stream>>>(x, 1); };
  askEmpty();
  askTouch();
  cudaGraphExec_t graphs[] = {record(askEmpty), record(askTouch)};
  auto replay = [](cudaGraphExec_t graph) {
    return [graph](int count) {
      if (count % launchesAStep == 0) CHECK(cudaGraphLaunch(graph, stream));
    };
  };
  printf("{\"on\":\"cuda\",\"adapter\":\"%s\",\"launches\":%d,\"rounds\":%d,\"launchesAStep\":%d,\"byRuntime\":{", device.name, launches, rounds, launchesAStep);
  measure("empty", ",", [&](int) { askEmpty(); });
  measure("pointerAndNumber", "},\"recorded\":{", [&](int count) { touch<<<1, 32, 0, stream>>>(x, count); });
  measure("empty", ",", replay(graphs[0]));
  measure("pointerAndNumber", "},\"steps\":[", replay(graphs[1]));
  const unsigned lengths[] = {64, 256, 1024};
  for (unsigned turns : lengths) {
    auto ask = [&] { spin<<<blocks, 256, 0, stream>>>(y, turns); };
    cudaGraphExec_t graph = record(ask);
    auto one = [&] { for (int count = 0; count < launchesAStep; count++) ask(); };
    auto replayed = [&] { CHECK(cudaGraphLaunch(graph, stream)); };
    // A CUDA queue holds about a thousand launches, so the busy measurement submits graphs.
    Times needed = timeOf(y, 3000000, replayed), oneByOne = timeOf(y, 0, one), recorded = timeOf(y, 0, replayed);
    printf("%s{\"turns\":%u,\"microsecondsALaunch\":%g,\"milliseconds\":{\"needed\":%g,", turns == lengths[0] ? "" : ",", turns, 1000 * needed.gpu / launchesAStep, needed.gpu);
    printf("\"oneByOne\":{\"asked\":%g,\"wall\":%g,\"gpu\":%g},", oneByOne.asked, oneByOne.wall, oneByOne.gpu);
    printf("\"recorded\":{\"asked\":%g,\"wall\":%g,\"gpu\":%g}},", recorded.asked, recorded.wall, recorded.gpu);
    printf("\"shareOneByOne\":%g,\"shareRecorded\":%g}", needed.gpu / oneByOne.wall, needed.gpu / recorded.wall);
  }
  printf("]}\n");
  return 0;
}
