// Structs passed by value, with dynamic indexing and address-taken members.
#include <cstdint>

struct Table {
  int32_t weights[12];
  uint8_t order[8];
  float scale;
  int64_t wide[3];
};

// The table stays in parameter memory, because the index depends on the thread.
extern "C" __global__ void parameter_table(const __grid_constant__ Table table, const int32_t *in, int64_t *out, int32_t n) {
  const int32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t key = static_cast<uint32_t>(in[i]);
  int64_t sum = table.wide[key % 3];
  for (uint32_t k = 0; k < key % 7 + 1; k++) sum = sum * 3 + table.weights[(table.order[k] + key) % 12];
  out[i] = sum + static_cast<int32_t>(table.scale * 4.0f);
}

struct Shape {
  float corners[8];
  int32_t count;
};

__device__ __noinline__ float widest(const Shape *shape, int32_t from) {
  float most = shape->corners[from];
  for (int32_t k = from + 1; k < shape->count; k++) most = fmaxf(most, shape->corners[k]);
  return most;
}

// One function receives a pointer to a parameter or to a local copy that the thread has changed.
extern "C" __global__ void parameter_pointer(const __grid_constant__ Shape shape, const int32_t *in, float *out, int32_t n) {
  const int32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int32_t key = in[i];
  Shape own = shape;
  own.corners[key & 7] = static_cast<float>(key);
  const Shape *chosen = (key & 8) != 0 ? &shape : &own;
  out[i] = widest(chosen, (key >> 4) & 3) + __shfl_xor_sync(0xffffffffu, static_cast<float>(key), 1);
}
