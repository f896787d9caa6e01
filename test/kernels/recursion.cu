// Recursive and mutually recursive functions.

__device__ __noinline__ void sort(int *data, int low, int high) {
  while (low < high) {
    int pivot = data[(low + high) / 2];
    int i = low;
    int j = high;
    while (i <= j) {
      while (data[i] < pivot) i++;
      while (data[j] > pivot) j--;
      if (i <= j) {
        int held = data[i];
        data[i++] = data[j];
        data[j--] = held;
      }
    }
    // The shorter part is sorted first, by recursion.
    if (j - low < high - i) {
      sort(data, low, j);
      low = i;
    } else {
      sort(data, i, high);
      high = j;
    }
  }
}

/// Each thread sorts its own piece.
extern "C" __global__ void quicksort(int *data, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sort(data + i * length, 0, length - 1);
}

__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ int isOdd(unsigned n);
__device__ __noinline__ int isEven(unsigned n) { return n == 0 ? 1 : isOdd(n - 1); }
__device__ __noinline__ int isOdd(unsigned n) { return n == 0 ? 0 : isEven(n - 1); }

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recursive_numbers(const unsigned *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned n = in[i];
  out[3 * i] = fibonacci(n);
  out[3 * i + 1] = isEven(n) * 2 + isOdd(n + 3);
  out[3 * i + 2] = ackermann(n & 1, n);
}

/// Collects the words of the tree at `node` in an array that is local to each call.
__device__ __noinline__ int walk(const int *tree, int node, int depth, long long *weight) {
  int gathered[4];
  for (int k = 0; k < 4; k++) gathered[k] = 0;
  if (depth == 0) return tree[node];
  for (int k = 0; k < 2; k++) gathered[(tree[node] + k) & 3] += walk(tree, 2 * node + 1 + k, depth - 1, weight);
  *weight += (long long)tree[node] << depth;
  return gathered[0] + 3 * gathered[1] + 5 * gathered[2] + 7 * gathered[3];
}

extern "C" __global__ void recursive_walk(const int *tree, int *out, long long *weights) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long weight = 0;
  out[i] = walk(tree, i & 3, 3 + (i & 1), &weight);
  weights[i] = weight;
}

/// A sum over a warp at every level of recursion.
__device__ __noinline__ int ladder(int value, int depth) {
  int sum = value;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  return depth == 0 ? sum : value + ladder((sum & 63) + (threadIdx.x & 31) * depth, depth - 1);
}

extern "C" __global__ void recursive_shuffles(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = ladder(in[i], 5);
}

__device__ __noinline__ int endless(int n) { return n == -1 ? 0 : 1 + endless(n + 1) * n; }

/// More nested calls than any stack can hold.
extern "C" __global__ void recursive_endless(int *out, int n) { out[threadIdx.x] = endless(n); }
