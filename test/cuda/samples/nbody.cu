__device__ float3 pull(float4 body, float4 other, float3 force) {
  float3 r = make_float3(other.x - body.x, other.y - body.y, other.z - body.z);
  float squared = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
  float inverse = rsqrtf(squared);
  float scale = other.w * inverse * inverse * inverse;
  return make_float3(force.x + r.x * scale, force.y + r.y * scale, force.z + r.z * scale);
}

__global__ void step(const float4 *bodies, float4 *moved, float4 *velocities, float dt, int n) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 body = bodies[i];
  float3 force = make_float3(0, 0, 0);
  for (int start = 0; start < n; start += 64) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 64; k++) force = pull(body, tile[k], force);
    __syncthreads();
  }
  float4 v = velocities[i];
  v.x += force.x * dt;
  v.y += force.y * dt;
  v.z += force.z * dt;
  velocities[i] = v;
  moved[i] = make_float4(body.x + v.x * dt, body.y + v.y * dt, body.z + v.z * dt, body.w);
}
