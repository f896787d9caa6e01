// Causal attention with heads of 32 channels: a warp for a row of scores. Rows of qkv hold queries, keys and values of all heads.
#include "arithmetic.cuh"

constexpr int head = 32;

struct Place {
  int lane, row, time, channel, batch_row;
};

/// Rows count times within heads within the batch.
__device__ __forceinline__ Place place_of(int context, int heads) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  int time = row % context;
  int pair = row / context;
  return {(int)threadIdx.x, row, time, pair % heads * head, pair / heads * context};
}

extern "C" __global__ void attention(int context, int heads, float scale, const float *qkv, float *shares, float *out) {
  Place at = place_of(context, heads);
  int width = heads * head;
  const float *keys = qkv + at.batch_row * 3 * width + width + at.channel;
  float *share = shares + at.row * context;
  // A lane has a channel of the query, and a key at a time.
  float query = qkv[(at.batch_row + at.time) * 3 * width + at.channel + at.lane];
  float top = -1.0e30f;
  for (int base = 0; base <= at.time; base += 32) {
    float score = 0.0f;
#pragma unroll 1
    for (int d = 0; d < head; d++)
      score = fmaf(__shfl_sync(all_lanes, query, d), keys[(base + at.lane) * 3 * width + d], score);
    score *= scale;
    share[base + at.lane] = score;
    if (base + at.lane <= at.time) top = fmaxf(top, score);
  }
  top = warp_max(top);
  float sum = 0.0f;
  for (int base = 0; base <= at.time; base += 32) {
    float weight = base + at.lane <= at.time ? own_exp(share[base + at.lane] - top) : 0.0f;
    share[base + at.lane] = weight;
    sum += weight;
  }
  float whole = 1.0f / warp_sum(sum);
  float value = 0.0f;
  for (int base = 0; base < context; base += 32) {
    float part = base <= at.time ? share[base + at.lane] * whole : 0.0f;
    share[base + at.lane] = part;
    if (base > at.time) continue;
    // Now a lane has a channel of the values.
    const float *values = keys + base * 3 * width + width + at.lane;
#pragma unroll 1
    for (int j = 0; j < 32; j++) value = fmaf(__shfl_sync(all_lanes, part, j), values[j * 3 * width], value);
  }
  out[(at.batch_row + at.time) * width + at.channel + at.lane] = value;
}

/// What comes back to the scores, and to the queries.
extern "C" __global__ void attention_back_scores(int context, int heads, float scale, const float *qkv, const float *shares, const float *back,
                                                 float *scores_back, float *qkv_back) {
  Place at = place_of(context, heads);
  int width = heads * head;
  const float *keys = qkv + at.batch_row * 3 * width + width + at.channel;
  const float *values = keys + width;
  float own = back[(at.batch_row + at.time) * width + at.channel + at.lane];
  float sum = 0.0f;
  for (int base = 0; base <= at.time; base += 32) {
    float change = 0.0f;
#pragma unroll 1
    for (int d = 0; d < head; d++)
      change = fmaf(__shfl_sync(all_lanes, own, d), values[(base + at.lane) * 3 * width + d], change);
    scores_back[at.row * context + base + at.lane] = change;
    sum = fmaf(shares[at.row * context + base + at.lane], change, sum);
  }
  sum = warp_sum(sum);
  float query = 0.0f;
  for (int base = 0; base < context; base += 32) {
    int i = at.row * context + base + at.lane;
    float change = base <= at.time ? shares[i] * (scores_back[i] - sum) * scale : 0.0f;
    scores_back[i] = change;
    if (base > at.time) continue;
    const float *key = keys + base * 3 * width + at.lane;
#pragma unroll 1
    for (int j = 0; j < 32; j++) query = fmaf(__shfl_sync(all_lanes, change, j), key[j * 3 * width], query);
  }
  qkv_back[(at.batch_row + at.time) * 3 * width + at.channel + at.lane] = query;
}

/// What comes back to keys and values, from all rows that looked at them.
extern "C" __global__ void attention_back_keys(int context, int heads, const float *qkv, const float *shares, const float *scores_back, const float *back,
                                               float *qkv_back) {
  Place at = place_of(context, heads);
  int width = heads * head;
  int first = at.row - at.time;
  float key = 0.0f;
  float value = 0.0f;
#pragma unroll 1
  for (int time = at.time; time < context; time++) {
    int i = (first + time) * context + at.time;
    int row = at.batch_row + time;
    key = fmaf(scores_back[i], qkv[row * 3 * width + at.channel + at.lane], key);
    value = fmaf(shares[i], back[row * width + at.channel + at.lane], value);
  }
  float *to = qkv_back + (at.batch_row + at.time) * 3 * width + width + at.channel + at.lane;
  to[0] = key;
  to[width] = value;
}
