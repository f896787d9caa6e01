// CUB's block collectives.

#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

/// BlockReduce by each of its algorithms, also with a partial block.
extern "C" __global__ void cub_block_reduce(const int *in, int *out, int n) {
  using Raking = cub::BlockReduce<int, 96, cub::BLOCK_REDUCE_RAKING>;
  using Commutative = cub::BlockReduce<int, 96, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;
  using Warps = cub::BlockReduce<int, 96, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  __shared__ union {
    typename Raking::TempStorage raking;
    typename Commutative::TempStorage commutative;
    typename Warps::TempStorage warps;
  } temp;
  int i = blockIdx.x * 96 + threadIdx.x;
  int v = in[i], valid = min(96, n - (int)blockIdx.x * 96);
  int a = Raking(temp.raking).Reduce(v, cuda::maximum<>{});
  __syncthreads();
  int b = Commutative(temp.commutative).Sum(v);
  __syncthreads();
  int c = Warps(temp.warps).Sum(v, valid);
  if (threadIdx.x == 0) out[blockIdx.x * 3] = a, out[blockIdx.x * 3 + 1] = b, out[blockIdx.x * 3 + 2] = c;
}

/// A running prefix over tiles of a block: BlockScan with a prefix callback.
struct Running {
  int total;
  __device__ int operator()(int aggregate) {
    int before = total;
    total += aggregate;
    return before;
  }
};

/// BlockLoad (transposed), BlockScan with a running prefix, BlockStore; the last tile is partial.
extern "C" __global__ void cub_block_scan(const int *in, int *out, int n) {
  using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE>;
  using Scan = cub::BlockScan<int, 64>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } temp;
  Running running = {1000};
  for (int base = 0; base < n; base += 256) {
    int item[4];
    Load(temp.load).Load(in + base, item, n - base, 0);
    __syncthreads();
    Scan(temp.scan).InclusiveSum(item, item, running);
    __syncthreads();
    Store(temp.store).Store(out + base, item, n - base);
    __syncthreads();
  }
}

/// BlockScan by raking: exclusive maximum and the block's aggregate.
extern "C" __global__ void cub_block_scan_raking(const int *in, int *out, int *totals) {
  using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING>;
  __shared__ typename Scan::TempStorage temp;
  int i = blockIdx.x * 128 + threadIdx.x, result, total;
  Scan(temp).ExclusiveScan(in[i], result, -1000000, cuda::maximum<>{}, total);
  out[i] = result;
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

/// BlockRadixSort of key/value pairs, 64 threads x 4.
extern "C" __global__ void cub_radix_sort(const unsigned *keys, const int *values, unsigned *keysOut, int *valuesOut) {
  using Sort = cub::BlockRadixSort<unsigned, 64, 4, int>;
  __shared__ typename Sort::TempStorage temp;
  unsigned k[4];
  int v[4];
  int base = (blockIdx.x * 64 + threadIdx.x) * 4;
  for (int j = 0; j < 4; j++) k[j] = keys[base + j], v[j] = values[base + j];
  Sort(temp).Sort(k, v);
  for (int j = 0; j < 4; j++) keysOut[base + j] = k[j], valuesOut[base + j] = v[j];
}

/// BlockRadixSort of floats (keys twiddled), descending, striped output.
extern "C" __global__ void cub_radix_sort_float(const float *in, float *out) {
  using Sort = cub::BlockRadixSort<float, 64, 2>;
  __shared__ typename Sort::TempStorage temp;
  float k[2] = {in[threadIdx.x * 2], in[threadIdx.x * 2 + 1]};
  Sort(temp).SortDescendingBlockedToStriped(k);
  out[threadIdx.x] = k[0];
  out[threadIdx.x + 64] = k[1];
}

/// BlockHistogram by sorting and by atomics, 64 bins.
extern "C" __global__ void cub_histogram(const unsigned char *in, unsigned *sorted, unsigned *counted) {
  using BySort = cub::BlockHistogram<unsigned char, 64, 4, 64, cub::BLOCK_HISTO_SORT>;
  using ByAtomics = cub::BlockHistogram<unsigned char, 64, 4, 64, cub::BLOCK_HISTO_ATOMIC>;
  __shared__ union {
    typename BySort::TempStorage sort;
    typename ByAtomics::TempStorage atomics;
  } temp;
  __shared__ unsigned bins[2][64];
  unsigned char item[4], copy[4];
  for (int j = 0; j < 4; j++) item[j] = copy[j] = in[(blockIdx.x * 64 + threadIdx.x) * 4 + j] & 63;
  BySort(temp.sort).Histogram(copy, bins[0]);
  __syncthreads();
  ByAtomics(temp.atomics).Histogram(item, bins[1]);
  __syncthreads();
  sorted[blockIdx.x * 64 + threadIdx.x] = bins[0][threadIdx.x];
  counted[blockIdx.x * 64 + threadIdx.x] = bins[1][threadIdx.x];
}

struct Differs {
  __device__ bool operator()(int a, int b) const { return a != b; }
};

struct Steps {
  __device__ int operator()(int a, int b) const { return a - b; }
};

/// BlockDiscontinuity (heads and tails), BlockAdjacentDifference, and a rotation of the block's
/// elements.
extern "C" __global__ void cub_neighbours(const int *in, int *flags, int *steps, int *turned) {
  using Heads = cub::BlockDiscontinuity<int, 64>;
  using Adjacent = cub::BlockAdjacentDifference<int, 64>;
  using Turn = cub::BlockShuffle<int, 64>;
  __shared__ typename Heads::TempStorage heads;
  __shared__ typename Adjacent::TempStorage adjacent;
  __shared__ typename Turn::TempStorage turn;
  int base = (blockIdx.x * 64 + threadIdx.x) * 3;
  int item[3] = {in[base], in[base + 1], in[base + 2]}, head[3], tail[3], step[3];
  Heads(heads).FlagHeadsAndTails(head, tail, item, Differs());
  Adjacent(adjacent).SubtractLeft(item, step, Steps());
  for (int j = 0; j < 3; j++) {
    flags[base + j] = head[j] * 2 + tail[j];
    steps[base + j] = step[j];
  }
  int moved;
  Turn(turn).Rotate(item[0], moved, 5);
  turned[blockIdx.x * 64 + threadIdx.x] = moved;
}

struct Greater {
  __device__ bool operator()(int a, int b) const { return a > b; }
};

/// BlockMergeSort, descending, three keys per thread.
extern "C" __global__ void cub_merge_sort(const int *in, int *out) {
  using Sort = cub::BlockMergeSort<int, 64, 3>;
  __shared__ typename Sort::TempStorage temp;
  int base = (blockIdx.x * 64 + threadIdx.x) * 3;
  int k[3] = {in[base], in[base + 1], in[base + 2]};
  Sort(temp).Sort(k, Greater());
  for (int j = 0; j < 3; j++) out[base + j] = k[j];
}

/// BlockExchange (scatter to blocked) of a 2-D block, and BlockLoad/BlockStore by vectors.
extern "C" __global__ void cub_exchange(const int *in, const int *rank, int *out) {
  using Load = cub::BlockLoad<int, 16, 4, cub::BLOCK_LOAD_VECTORIZE, 4>;
  using Exchange = cub::BlockExchange<int, 16, 4, false, 4>;
  using Store = cub::BlockStore<int, 16, 4, cub::BLOCK_STORE_VECTORIZE, 4>;
  __shared__ typename Exchange::TempStorage temp;
  int item[4], to[4];
  Load().Load(const_cast<int *>(in), item);
  Load().Load(const_cast<int *>(rank), to);
  Exchange(temp).ScatterToBlocked(item, to);
  Store().Store(out, item);
}

/// BlockRunLengthDecode: runs of given lengths become items.
extern "C" __global__ void cub_run_length(const unsigned char *value, const unsigned *length, unsigned char *out, unsigned *total) {
  using Decode = cub::BlockRunLengthDecode<unsigned char, 64, 1, 4>;
  __shared__ typename Decode::TempStorage temp;
  unsigned char v[1] = {value[threadIdx.x]};
  unsigned n[1] = {length[threadIdx.x]}, size;
  Decode decode(temp, v, n, size);
  for (unsigned from = 0; from < size; from += 256) {
    unsigned char item[4];
    decode.RunLengthDecode(item, from);
    for (int j = 0; j < 4; j++)
      if (from + threadIdx.x * 4 + j < size) out[from + threadIdx.x * 4 + j] = item[j];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = size;
}
