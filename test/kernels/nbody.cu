// N-body: float4 bodies, one block's tile at a time in shared memory, or broadcast within a warp.

__device__ float3 pull(float4 me, float4 other, float3 sum, float softening) {
  float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
  float square = dx * dx + dy * dy + dz * dz + softening;
  float inverse = rsqrtf(square);
  float scale = other.w * inverse * inverse * inverse;
  sum.x += dx * scale;
  sum.y += dy * scale;
  sum.z += dz * scale;
  return sum;
}

/// Accelerations from tiles in shared memory. n is arbitrary, so the last tile may be partial.
extern "C" __global__ void nbody_tiled(const float4 *bodies, float4 *acceleration, float softening, int n) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int base = 0; base < n; base += blockDim.x) {
    if (base + threadIdx.x < n) tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
    int count = min((int)blockDim.x, n - base);
    for (int j = 0; j < count; j++) sum = pull(me, tile[j], sum, softening);
    __syncthreads();
  }
  if (i < n) acceleration[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

/// The same inside a warp of 32 bodies: each body is broadcast by shfl.idx.
extern "C" __global__ void nbody_warp(const float4 *bodies, float4 *acceleration, float softening) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = bodies[i];
  float3 sum = make_float3(0, 0, 0);
  for (int j = 0; j < 32; j++) {
    float4 other;
    other.x = __shfl_sync(0xffffffffu, me.x, j);
    other.y = __shfl_sync(0xffffffffu, me.y, j);
    other.z = __shfl_sync(0xffffffffu, me.z, j);
    other.w = __shfl_sync(0xffffffffu, me.w, j);
    sum = pull(me, other, sum, softening);
  }
  acceleration[i] = make_float4(sum.x, sum.y, sum.z, 0);
}
