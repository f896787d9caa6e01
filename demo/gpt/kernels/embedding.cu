// Characters and places to rows of numbers, and the gradients of those.
#include "arithmetic.cuh"

extern "C" __global__ void embed(int width, int context, int tokens_at, int places_at, const int *tokens, const float *params, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = i / width;
  int channel = i % width;
  out[i] = params[tokens_at + tokens[row] * width + channel] + params[places_at + row % context * width + channel];
}

/// A block for a character and 32 channels: each of its eight warps finds the character in an eighth of the rows by votes, and adds what came back
/// there; then the eight sums are added in order.
extern "C" __global__ void embed_back_tokens(int width, int rows, int tokens_at, const int *tokens, const float *back, float *grads) {
  __shared__ float sums[8][32];
  int lane = threadIdx.x;
  int warp = threadIdx.y;
  int character = blockIdx.x;
  int channel = blockIdx.y * 32 + lane;
  float sum = 0.0f;
  for (int base = warp * 32; base < rows; base += 256) {
    unsigned found = __ballot_sync(all_lanes, tokens[base + lane] == character);
    while (found != 0) {
      sum += back[(base + __ffs(found) - 1) * width + channel];
      found &= found - 1;
    }
  }
  sums[warp][lane] = sum;
  __syncthreads();
  if (warp != 0) return;
  for (int other = 1; other < 8; other++) sum += sums[other][lane];
  grads[tokens_at + character * width + channel] = sum;
}

extern "C" __global__ void embed_back_places(int width, int context, int batch, int places_at, const float *back, float *grads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int row = 0; row < batch; row++) sum += back[row * context * width + i];
  grads[places_at + i] = sum;
}
