// Thrust on the device, compared with the algorithms of the C++ library on the host.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <vector>

typedef std::vector<int> Ints;
static int failures = 0;
static void expect(bool good, const char *what) {
  printf("%s: %s\n", what, good ? "passed" : "FAILED");
  failures += !good;
}
static std::mt19937 engine(7);
static Ints numbers(int count, int limit) {
  Ints values(count);
  for (int &value : values) value = int(engine() % (2 * limit + 1)) - limit;
  return values;
}
static bool same(const thrust::device_vector<int> &device, const Ints &host) {
  return thrust::host_vector<int>(device) == host;
}

struct IsEven {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct Affine {
  int factor, offset;
  __host__ __device__ int operator()(int x) const { return factor * x + offset; }
};

static void vectors() {
  thrust::device_vector<int> a(5, 3), b = {1, 2, 3}, c;
  a[1] = 7;
  a[2] = a[1];
  c = a;
  c.push_back(b[2] + 1);
  b.insert(b.begin() + 1, 9);
  c.erase(c.begin());
  thrust::host_vector<int> h = b;
  bool good = same(a, {3, 7, 7, 3, 3}) && same(c, {7, 7, 3, 3, 4}) && h == Ints{1, 9, 2, 3} && a.back() == 3;
  thrust::device_ptr<int> p = thrust::device_pointer_cast(thrust::raw_pointer_cast(&a[0]));
  thrust::fill(p, p + 2, 5);
  thrust::copy(h.begin(), h.begin() + 2, a.begin() + 3);
  expect(good && same(a, {5, 5, 7, 1, 9}) && a != c, "vectors");
}

static void maps(int count) {
  const Ints x = numbers(count, 1000), y = numbers(count, 1000);
  thrust::device_vector<int> dx = x, dy = y, out(count);
  Ints host(count);
  thrust::transform(dx.begin(), dx.end(), out.begin(), Affine{3, -1});
  std::transform(x.begin(), x.end(), host.begin(), Affine{3, -1});
  bool good = same(out, host);
  thrust::transform(dx.begin(), dx.end(), dy.begin(), out.begin(), thrust::minus<int>());
  std::transform(x.begin(), x.end(), y.begin(), host.begin(), std::minus<int>());
  good &= same(out, host);
  thrust::sequence(out.begin(), out.end(), 4, 3);
  const int offset = 2;
  thrust::for_each(thrust::device, out.begin(), out.end(), [=] __device__(int &value) { value -= offset; });
  for (int i = 0; i < count; i++) host[i] = 2 + 3 * i;
  good &= same(out, host);
  auto zip = thrust::make_zip_iterator(thrust::make_tuple(dx.begin(), dy.begin()));
  thrust::transform(zip, zip + count, out.begin(), [] __device__(const thrust::tuple<int, int> &pair) {
    return thrust::get<0>(pair) * 2 + thrust::get<1>(pair);
  });
  for (int i = 0; i < count; i++) host[i] = x[i] * 2 + y[i];
  good &= same(out, host);
  thrust::device_vector<int> map(count);
  thrust::sequence(map.rbegin(), map.rend());
  thrust::gather(map.begin(), map.end(), dx.begin(), out.begin());
  std::reverse_copy(x.begin(), x.end(), host.begin());
  good &= same(out, host);
  thrust::adjacent_difference(dx.begin(), dx.end(), out.begin());
  std::adjacent_difference(x.begin(), x.end(), host.begin());
  expect(good && same(out, host), "maps");
}

static void reductions(int count) {
  const Ints x = numbers(count, 100);
  const thrust::device_vector<int> dx = x;
  bool good = thrust::reduce(dx.begin(), dx.end()) == std::accumulate(x.begin(), x.end(), 0);
  good &= thrust::reduce(dx.begin(), dx.end(), -500, thrust::maximum<int>()) == *std::max_element(x.begin(), x.end());
  good &= thrust::count_if(dx.begin(), dx.end(), IsEven()) == std::count_if(x.begin(), x.end(), IsEven());
  good &= thrust::transform_reduce(dx.begin(), dx.end(), Affine{2, 1}, 5, thrust::plus<int>()) ==
          2 * std::accumulate(x.begin(), x.end(), 0) + count + 5;
  good &= thrust::inner_product(dx.begin(), dx.end(), thrust::counting_iterator<int>(1), 0) ==
          [&] { int sum = 0; for (int i = 0; i < count; i++) sum += x[i] * (i + 1); return sum; }();
  good &= thrust::min_element(dx.begin(), dx.end()) - dx.begin() == std::min_element(x.begin(), x.end()) - x.begin();
  good &= thrust::max_element(dx.begin(), dx.end()) - dx.begin() == std::max_element(x.begin(), x.end()) - x.begin();
  good &= thrust::find(dx.begin(), dx.end(), x[count / 2]) - dx.begin() ==
          std::find(x.begin(), x.end(), x[count / 2]) - x.begin();
  good &= thrust::find(dx.begin(), dx.end(), 5000) == dx.end();
  expect(good, "reductions");
}

// Concatenation of numbers of two digits: an operation that is not commutative.
struct Last {
  __host__ __device__ int operator()(int a, int b) const { return b == 0 ? a : b; }
};
static void scans(int count) {
  const Ints x = numbers(count, 1);
  const thrust::device_vector<int> dx = x;
  thrust::device_vector<int> out(count);
  Ints host(count);
  thrust::inclusive_scan(dx.begin(), dx.end(), out.begin());
  std::inclusive_scan(x.begin(), x.end(), host.begin());
  bool good = same(out, host);
  thrust::exclusive_scan(dx.begin(), dx.end(), out.begin(), 10);
  std::exclusive_scan(x.begin(), x.end(), host.begin(), 10);
  good &= same(out, host);
  out = dx;
  thrust::inclusive_scan(out.begin(), out.end(), out.begin(), Last());
  std::inclusive_scan(x.begin(), x.end(), host.begin(), Last());
  good &= same(out, host);

  thrust::device_vector<int> keys(count), sums(count);
  for (int first = 0, i = 0; i < count; i++) {
    if (i == 0 || x[i] != x[i - 1]) first = 0;
    host[i] = first += i;
  }
  thrust::inclusive_scan_by_key(dx.begin(), dx.end(), thrust::counting_iterator<int>(0), out.begin());
  good &= same(out, host);
  const auto ends =
      thrust::reduce_by_key(dx.begin(), dx.end(), thrust::counting_iterator<int>(0), keys.begin(), sums.begin());
  Ints hostKeys, hostSums;
  for (int i = 0; i < count; i++)
    if (i + 1 == count || x[i] != x[i + 1]) hostKeys.push_back(x[i]), hostSums.push_back(host[i]);
  keys.resize(ends.first - keys.begin());
  sums.resize(ends.second - sums.begin());
  expect(good && same(keys, hostKeys) && same(sums, hostSums), "scans");
}

static void sorts(int count) {
  const Ints x = numbers(count, 50);
  Ints host = x, order(count);
  thrust::device_vector<int> keys = x, values(count);
  thrust::sequence(values.begin(), values.end());
  std::iota(order.begin(), order.end(), 0);
  thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[a] < x[b]; });
  std::sort(host.begin(), host.end());
  bool good = same(keys, host) && same(values, order) && thrust::is_sorted(keys.begin(), keys.end());
  thrust::device_vector<int> wanted = {-60, -3, 0, 50, 60}, places(5);
  thrust::lower_bound(keys.begin(), keys.end(), wanted.begin(), wanted.end(), places.begin());
  Ints hostPlaces;
  for (int key : {-60, -3, 0, 50, 60})
    hostPlaces.push_back(std::lower_bound(host.begin(), host.end(), key) - host.begin());
  good &= same(places, hostPlaces);
  keys.erase(thrust::unique(keys.begin(), keys.end()), keys.end());
  host.erase(std::unique(host.begin(), host.end()), host.end());
  good &= same(keys, host);
  thrust::sort(keys.begin(), keys.end(), thrust::greater<int>());
  std::reverse(host.begin(), host.end());
  expect(good && same(keys, host), "sorts");
}

static void selections(int count) {
  const Ints x = numbers(count, 20);
  thrust::device_vector<int> dx = x, out(count);
  Ints host;
  out.resize(thrust::copy_if(dx.begin(), dx.end(), out.begin(), IsEven()) - out.begin());
  std::copy_if(x.begin(), x.end(), std::back_inserter(host), IsEven());
  bool good = same(out, host);
  out = dx;
  host = x;
  out.erase(thrust::remove(out.begin(), out.end(), 3), out.end());
  host.erase(std::remove(host.begin(), host.end(), 3), host.end());
  good &= same(out, host);
  const auto middle = thrust::partition(out.begin(), out.end(), IsEven()) - out.begin();
  good &= middle == std::stable_partition(host.begin(), host.end(), IsEven()) - host.begin();
  expect(good && same(out, host), "selections");
}

int main() {
  vectors(), maps(300), reductions(2100), scans(1100), sorts(600), selections(1100);
  return failures;
}
