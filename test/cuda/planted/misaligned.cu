// Rows of three floats do not start at multiples of sixteen bytes.
__global__ void pack(const float *in, float4 *out) {
  const float *row = in + 3 * threadIdx.x;
  out[threadIdx.x] = *reinterpret_cast<const float4 *>(row);  // fault
}
