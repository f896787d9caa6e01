// Graph steps. Frontiers are bitmaps, so no result depends on the order of atomics.

/// One breadth-first step over a CSR graph: unseen neighbors of the frontier get the next level.
extern "C" __global__ void bfs_step(const int *rowStart, const int *column, const unsigned *frontier, unsigned *next, int *level,
                                    unsigned *found, int depth, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool active = v < n && (frontier[v >> 5] >> (v & 31)) & 1;
  if (!__any_sync(0xffffffffu, active)) return;
  unsigned mine = 0;
  if (active)
    for (int e = rowStart[v]; e < rowStart[v + 1]; e++) {
      int w = column[e];
      if (atomicCAS(&level[w], -1, depth) == -1) {
        atomicOr(&next[w >> 5], 1u << (w & 31));
        mine++;
      }
    }
  for (int m = 16; m; m >>= 1) mine += __shfl_xor_sync(0xffffffffu, mine, m);
  if ((threadIdx.x & 31) == 0 && mine) atomicAdd(found, mine);
}

/// The same step with one warp per 32 vertices: the active vertices take turns, with all lanes on
/// their edges.
extern "C" __global__ void bfs_warp_per_vertex(const int *rowStart, const int *column, const unsigned *frontier, unsigned *next,
                                               int *level, int depth, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool active = v < n && (frontier[v >> 5] >> (v & 31)) & 1;
  unsigned queue = __ballot_sync(0xffffffffu, active);
  int begin = active ? rowStart[v] : 0, end = active ? rowStart[v + 1] : 0;
  while (queue) {
    int leader = __ffs(queue) - 1;
    queue &= queue - 1;
    int from = __shfl_sync(0xffffffffu, begin, leader), to = __shfl_sync(0xffffffffu, end, leader);
    for (int e = from + lane; e < to; e += 32) {
      int w = column[e];
      if (atomicCAS(&level[w], -1, depth) == -1) atomicOr(&next[w >> 5], 1u << (w & 31));
    }
  }
}

/// Connected components of n <= blockDim.x vertices: labels sink by atomicMin until __syncthreads_or
/// says no change; then __syncthreads_count counts the vertices that kept their own label.
extern "C" __global__ void components_block(const int2 *edges, int *label, int *components, int edgeCount, int n) {
  __shared__ int least[256];
  int v = threadIdx.x;
  if (v < n) least[v] = v;
  __syncthreads();
  bool changed;
  do {
    changed = false;
    for (int e = v; e < edgeCount; e += blockDim.x) {
      int2 edge = edges[e];
      // Other threads lower the labels concurrently, so these reads are atomic too.
      int a = atomicAdd(&least[edge.x], 0), b = atomicAdd(&least[edge.y], 0);
      if (a == b) continue;
      changed = true;
      if (a < b) atomicMin(&least[edge.y], a);
      else atomicMin(&least[edge.x], b);
    }
  } while (__syncthreads_or(changed));
  int roots = __syncthreads_count(v < n && least[v] == v);
  if (v < n) label[v] = least[v];
  if (v == 0) *components = roots;
}

/// A triangle count by intersecting sorted neighbor lists.
extern "C" __global__ void triangles(const int *rowStart, const int *column, unsigned *count, int n) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mine = 0;
  if (u < n)
    for (int e = rowStart[u]; e < rowStart[u + 1]; e++) {
      int v = column[e];
      if (v <= u) continue;
      int p = rowStart[u], q = rowStart[v];
      while (p < rowStart[u + 1] && q < rowStart[v + 1]) {
        int a = column[p], b = column[q];
        if (a == b && a > v) mine++;
        if (a <= b) p++;
        if (b <= a) q++;
      }
    }
  mine = __reduce_add_sync(0xffffffffu, mine);
  if ((threadIdx.x & 31) == 0) atomicAdd(count, mine);
}
