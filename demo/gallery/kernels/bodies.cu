// Bodies that attract each other: every block reads all of them in tiles through shared memory.

constexpr int tile = 256;

/// Each element of `from` is a place and a mass. Moves the bodies by `time`.
extern "C" __global__ void move_bodies(int count, float time, float softening, const float4 *from, float4 *velocities, float4 *to) {
  __shared__ float4 others[tile];
  int i = blockIdx.x * tile + threadIdx.x;
  float4 own = from[i];
  float ax = 0.0f;
  float ay = 0.0f;
  float az = 0.0f;
  for (int base = 0; base < count; base += tile) {
    others[threadIdx.x] = from[base + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < tile; j++) {
      float4 other = others[j];
      float x = other.x - own.x;
      float y = other.y - own.y;
      float z = other.z - own.z;
      float near = 1.0f / sqrtf(x * x + y * y + z * z + softening);
      float pull = other.w * near * near * near;
      ax += x * pull;
      ay += y * pull;
      az += z * pull;
    }
    __syncthreads();
  }
  float4 velocity = velocities[i];
  velocity.x += ax * time;
  velocity.y += ay * time;
  velocity.z += az * time;
  velocities[i] = velocity;
  to[i] = make_float4(own.x + velocity.x * time, own.y + velocity.y * time, own.z + velocity.z * time, own.w);
}
