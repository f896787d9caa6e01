// CUB's operations of warps, blocks and devices, compared with the algorithms of the C++ library.
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <numeric>
#include <random>
#include <vector>

static int failures = 0;
static void expect(bool good, const char *what) {
  printf("%s: %s\n", what, good ? "passed" : "FAILED");
  failures += !good;
}
static std::mt19937 engine(11);
template <class T> static std::vector<T> numbers(int count, int limit) {
  std::vector<T> values(count);
  for (T &value : values) value = T(int(engine() % (2 * limit + 1)) - limit) / 4;
  return values;
}
template <class T> struct Array {
  T *data = nullptr;
  int count;
  explicit Array(int count) : count(count) { cudaMalloc(&data, count * sizeof(T)); }
  explicit Array(const std::vector<T> &host) : Array(host.size()) {
    cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Array() { cudaFree(data); }
  std::vector<T> host(int size = -1) const {
    std::vector<T> values(size < 0 ? count : size);
    cudaMemcpy(values.data(), data, values.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
};
// Calls an operation twice, as CUB requires.
template <class Operation> static void run(Operation operation) {
  size_t bytes = 0;
  operation(nullptr, bytes);
  Array<char> memory(bytes);
  if (operation(memory.data, bytes) != cudaSuccess) failures++;
}

constexpr int threads = 96, items = 3;
struct Prefix {
  int total;
  __device__ int operator()(int sum) {
    const int old = total;
    total += sum;
    return old;
  }
};
__global__ void collect(const int *in, int *sums, int *scans, int *warps) {
  typedef cub::BlockReduce<int, threads> Reduce;
  typedef cub::BlockScan<int, threads> Scan;
  typedef cub::WarpReduce<int, 16> Warp;
  __shared__ typename Reduce::TempStorage reduceStorage;
  __shared__ typename Scan::TempStorage scanStorage;
  __shared__ typename Warp::TempStorage warpStorage[threads / 16];
  int values[items];
  for (int item = 0; item < items; item++) values[item] = in[items * threadIdx.x + item];
  const int sum = Reduce(reduceStorage).Sum(values);
  __syncthreads();
  const int largest = Reduce(reduceStorage).Reduce(values[0], cub::Max(), 50);
  if (threadIdx.x == 0) sums[0] = sum, sums[1] = largest;
  Prefix prefix = {1000};
  Scan(scanStorage).ExclusiveSum(values, values, prefix);
  for (int item = 0; item < items; item++) scans[items * threadIdx.x + item] = values[item];
  const int lowest = Warp(warpStorage[threadIdx.x / 16]).Reduce(in[threadIdx.x], cub::Min());
  if (threadIdx.x % 16 == 0) warps[threadIdx.x / 16] = lowest;
  int inclusive;
  cub::WarpScan<int>::TempStorage none;
  cub::WarpScan<int>(none).InclusiveSum(in[threadIdx.x], inclusive);
  warps[threads / 16 + threadIdx.x] = inclusive;
}
static void blocks() {
  const std::vector<int> x = numbers<int>(threads * items, 400);
  Array<int> in(x), sums(2), scans(threads * items), warps(threads / 16 + threads);
  collect<<<1, threads>>>(in.data, sums.data, scans.data, warps.data);
  int largest = x[0];
  for (int thread = 0; thread < 50; thread++) largest = std::max(largest, x[items * thread]);
  expect(sums.host() == std::vector<int>{std::accumulate(x.begin(), x.end(), 0), largest}, "block reductions");
  std::vector<int> prefixes(x.size()), lowest;
  std::exclusive_scan(x.begin(), x.end(), prefixes.begin(), 1000);
  expect(scans.host() == prefixes, "block scans");
  for (int first = 0; first < threads; first += 16)
    lowest.push_back(*std::min_element(x.begin() + first, x.begin() + first + 16));
  for (int first = 0; first < threads; first += 32)
    std::inclusive_scan(x.begin() + first, x.begin() + first + 32, std::back_inserter(lowest));
  expect(warps.host() == lowest, "warps");
}

static void reductions(int count) {
  const std::vector<float> x = numbers<float>(count, 1000);
  Array<float> in(x), out(3);
  Array<cub::KeyValuePair<int, float>> place(1);
  run([&](void *memory, size_t &bytes) { return cub::DeviceReduce::Sum(memory, bytes, in.data, out.data, count); });
  run([&](void *memory, size_t &bytes) { return cub::DeviceReduce::Max(memory, bytes, in.data, out.data + 1, count); });
  run([&](void *memory, size_t &bytes) { return cub::DeviceReduce::Sum(memory, bytes, in.data, out.data + 2, 0); });
  run([&](void *memory, size_t &bytes) { return cub::DeviceReduce::ArgMin(memory, bytes, in.data, place.data, count); });
  // The sums are exact, because the numbers are small multiples of 1/4.
  const float sum = std::accumulate(x.begin(), x.end(), 0.f);
  const auto lowest = std::min_element(x.begin(), x.end());
  const auto found = place.host()[0];
  expect(out.host() == std::vector<float>{sum, *std::max_element(x.begin(), x.end()), 0} &&
             found.key == lowest - x.begin() && found.value == *lowest,
         "device reductions");
}
static void scans(int count) {
  const std::vector<int> x = numbers<int>(count, 1000);
  Array<int> in(x), out(count);
  std::vector<int> host(count);
  run([&](void *memory, size_t &bytes) { return cub::DeviceScan::ExclusiveSum(memory, bytes, in.data, out.data, count); });
  std::exclusive_scan(x.begin(), x.end(), host.begin(), 0);
  bool good = out.host() == host;
  run([&](void *memory, size_t &bytes) {
    return cub::DeviceScan::InclusiveScan(memory, bytes, in.data, in.data, cub::Max(), count);
  });
  std::inclusive_scan(x.begin(), x.end(), host.begin(), [](int a, int b) { return std::max(a, b); });
  expect(good && in.host() == host, "device scans");
}
static void sorts(int count) {
  const std::vector<float> x = numbers<float>(count, 60);
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  Array<float> keys(x), sorted(count);
  Array<int> values(order), permuted(count);
  run([&](void *memory, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairsDescending(memory, bytes, keys.data, sorted.data, values.data, permuted.data,
                                                     count);
  });
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[a] > x[b]; });
  bool good = permuted.host() == order;
  std::vector<float> host;
  for (int index : order) host.push_back(x[index]);
  good &= sorted.host() == host;

  std::vector<int> y = numbers<int>(count, 100000);
  Array<int> first(y), second(count);
  cub::DoubleBuffer<int> buffer(first.data, second.data);
  run([&](void *memory, size_t &bytes) { return cub::DeviceRadixSort::SortKeys(memory, bytes, buffer, count, 4, 12); });
  std::stable_sort(y.begin(), y.end(), [](int a, int b) { return (a >> 4 & 255) < (b >> 4 & 255); });
  expect(good && buffer.Current() == second.data && second.host() == y, "device sorts");
}
struct IsSmall {
  __host__ __device__ bool operator()(int x) const { return x < 10 && x > -10; }
};
static void selections(int count) {
  const std::vector<int> x = numbers<int>(count, 100);
  Array<int> in(x), out(count), total(1);
  std::vector<int> host, places;
  run([&](void *memory, size_t &bytes) {
    return cub::DeviceSelect::If(memory, bytes, in.data, out.data, total.data, count, IsSmall());
  });
  std::copy_if(x.begin(), x.end(), std::back_inserter(host), IsSmall());
  bool good = total.host()[0] == int(host.size()) && out.host(host.size()) == host;
  cub::TransformInputIterator<bool, IsSmall, const int *> flags(in.data, IsSmall());
  run([&](void *memory, size_t &bytes) {
    return cub::DeviceSelect::Flagged(memory, bytes, cub::CountingInputIterator<int>(0), flags, out.data, total.data, count);
  });
  for (int i = 0; i < count; i++)
    if (IsSmall()(x[i])) places.push_back(i);
  expect(good && out.host(places.size()) == places, "device selections");
}

int main() {
  blocks(), reductions(2100), scans(1100), sorts(600), selections(1100);
  return failures;
}
