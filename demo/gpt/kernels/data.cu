// What a step begins with: parameters, the clock of the training, and characters of the text.
#include "arithmetic.cuh"

/// Parameters between -scale and scale, evenly.
extern "C" __global__ void start_uniform(int first, int count, unsigned seed, float scale, float *params) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int whole = (int)(mix(seed ^ mix(first + i)) >> 8) - (1 << 23);
  params[first + i] = (float)whole * 1.1920929e-7f * scale;
}

extern "C" __global__ void start_constant(int first, int count, float value, float *params) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) params[first + i] = value;
}

/// The next step: its number, and what AdamW needs of it. rates: the learning rate asked for, powers of beta1 and beta2, their corrections,
/// the learning rate of this step.
extern "C" __global__ void advance(int warmup, float beta1, float beta2, int *clock, float *rates) {
  int step = clock[0] + 1;
  clock[0] = step;
  float power1 = rates[1] * beta1;
  float power2 = rates[2] * beta2;
  rates[1] = power1;
  rates[2] = power2;
  rates[3] = 1.0f / (1.0f - power1);
  rates[4] = 1.0f / (1.0f - power2);
  rates[5] = rates[0] * (step < warmup ? (float)step / (float)warmup : 1.0f);
}

/// A piece of the text for each row of the batch, and the characters that come next.
extern "C" __global__ void take_batch(int context, int length, unsigned seed, const int *text, const int *clock, int *tokens, int *targets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = i / context;
  unsigned drawn = mix(seed + mix((unsigned)clock[0] * 4096u + row));
  int start = drawn % (unsigned)(length - context) + i % context;
  tokens[i] = text[start];
  targets[i] = text[start + 1];
}

/// The next character, drawn by one warp as its probability is, behind the one at `place`.
extern "C" __global__ void pick(int place, int drawn, int vocabulary, int stride, unsigned seed, float sharpness, const float *logits, const int *clock,
                                int *tokens, int *text) {
  int lane = threadIdx.x;
  const float *row = logits + place * stride;
  float top = -1.0e30f;
  for (int c = lane; c < vocabulary; c += 32) top = fmaxf(top, row[c] * sharpness);
  top = warp_max(top);
  float sum = 0.0f;
  for (int c = lane; c < vocabulary; c += 32) sum += own_exp(row[c] * sharpness - top);
  unsigned random = mix(seed + mix((unsigned)clock[0] * 4096u + drawn)) >> 8;
  float goal = (float)random * 5.9604645e-8f * warp_sum(sum);
  // The first character up to which the probabilities add up to more than the goal: a scan of each 32, and a vote.
  float before = 0.0f;
  int chosen = vocabulary - 1;
  for (int base = 0; base < vocabulary; base += 32) {
    int c = base + lane;
    float until = c < vocabulary ? own_exp(row[c] * sharpness - top) : 0.0f;
    for (int step = 1; step < 32; step <<= 1) {
      float other = __shfl_up_sync(all_lanes, until, step);
      if (lane >= step) until += other;
    }
    unsigned reached = __ballot_sync(all_lanes, c < vocabulary && before + until > goal);
    if (reached != 0) {
      chosen = base + __ffs(reached) - 1;
      break;
    }
    before += __shfl_sync(all_lanes, until, 31);
  }
  if (lane == 0) {
    text[drawn] = chosen;
    tokens[place + 1] = chosen;
  }
}

/// The second half of the context becomes the first.
extern "C" __global__ void slide(int *tokens) {
  int kept = tokens[blockDim.x + threadIdx.x];
  __syncthreads();
  tokens[threadIdx.x] = kept;
}
