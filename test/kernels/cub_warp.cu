// CUB's warp collectives.

#include <cub/cub.cuh>

struct Longest {
  __device__ int2 operator()(const int2 &a, const int2 &b) const { return b.x > a.x || (b.x == a.x && b.y < a.y) ? b : a; }
};

/// WarpReduce: sum, max, and an argmax of pairs by a functor; full and partial warps.
extern "C" __global__ void cub_warp_reduce(const int *in, int *out, int valid) {
  using Reduce = cub::WarpReduce<int>;
  using Pairs = cub::WarpReduce<int2>;
  __shared__ typename Reduce::TempStorage ints[4];
  __shared__ typename Pairs::TempStorage pairs[4];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int sum = Reduce(ints[warp]).Sum(in[i]);
  int most = Reduce(ints[warp]).Reduce(in[i], cuda::maximum<>{});
  int some = Reduce(ints[warp]).Sum(in[i], valid);
  int2 where = Pairs(pairs[warp]).Reduce(make_int2(in[i], lane), Longest());
  if (lane == 0) {
    int *o = out + (i >> 5) * 5;
    o[0] = sum, o[1] = most, o[2] = some, o[3] = where.x, o[4] = where.y;
  }
}

/// WarpReduce::HeadSegmentedSum over logical warps of 16.
extern "C" __global__ void cub_warp_segmented(const int *in, const unsigned char *head, int *out) {
  using Reduce = cub::WarpReduce<int, 16>;
  __shared__ typename Reduce::TempStorage temp[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool starts = head[i] || (threadIdx.x & 15) == 0;
  int sum = Reduce(temp[threadIdx.x / 16]).HeadSegmentedSum(in[i], starts);
  out[i] = starts ? sum : 0;
}

/// WarpScan: inclusive, exclusive with the total, max, and an f32 broadcast.
extern "C" __global__ void cub_warp_scan(const int *in, int *inclusive, int *exclusive, int *totals, float *sent) {
  using Scan = cub::WarpScan<int>;
  using Floats = cub::WarpScan<float>;
  __shared__ typename Scan::TempStorage temp[4];
  __shared__ typename Floats::TempStorage floats[4];
  int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x >> 5;
  int a, b, total;
  Scan(temp[warp]).Scan(in[i], a, b, 0, cuda::std::plus<>{});
  Scan(temp[warp]).ExclusiveSum(in[i], b, total);
  int most;
  Scan(temp[warp]).InclusiveScan(in[i], most, cuda::maximum<>{});
  inclusive[i] = a * 7 + most;
  exclusive[i] = b;
  totals[i] = total;
  sent[i] = Floats(floats[warp]).Broadcast(0.5f * in[i], 11);
}

struct Less {
  __device__ bool operator()(int a, int b) const { return a < b; }
};

/// WarpMergeSort of 4 keys per thread in logical warps of 16, with values.
extern "C" __global__ void cub_warp_merge_sort(const int *keys, const int *values, int *keysOut, int *valuesOut) {
  using Sort = cub::WarpMergeSort<int, 4, 16, int>;
  __shared__ typename Sort::TempStorage temp[4];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int k[4], v[4];
  for (int j = 0; j < 4; j++) k[j] = keys[i * 4 + j], v[j] = values[i * 4 + j];
  Sort(temp[threadIdx.x / 16]).StableSort(k, v, Less());
  for (int j = 0; j < 4; j++) keysOut[i * 4 + j] = k[j], valuesOut[i * 4 + j] = v[j];
}

/// WarpExchange: blocked to striped and back with a permutation, 3 items per thread.
extern "C" __global__ void cub_warp_exchange(const unsigned *in, unsigned *out) {
  using Exchange = cub::WarpExchange<unsigned, 3, 32>;
  __shared__ typename Exchange::TempStorage temp[2];
  int warp = threadIdx.x >> 5, i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v[3], w[3];
  for (int j = 0; j < 3; j++) v[j] = in[i * 3 + j];
  Exchange(temp[warp]).BlockedToStriped(v, w);
  for (int j = 0; j < 3; j++) out[(i & ~31) * 3 + j * 32 + (threadIdx.x & 31)] = w[j] + j;
}
