// Operations on bytes.

/// The positions of a pattern as a bitmap from ballots, and the number of its occurrences.
extern "C" __global__ void find_pattern(const char *text, int n, const char *pattern, int m, unsigned *bitmap, unsigned *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool match = i + m <= n;
  for (int k = 0; match && k < m; k++) match = text[i + k] == pattern[k];
  unsigned found = __ballot_sync(0xffffffffu, match);
  if ((threadIdx.x & 31) == 0) {
    bitmap[i >> 5] = found;
    if (found) atomicAdd(count, __popc(found));
  }
}

/// The first place of a byte per warp, found by a ballot; -1 if it does not occur.
extern "C" __global__ void find_byte(const unsigned char *text, int *where, int perWarp, int wanted) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  const unsigned char *from = text + warp * perWarp;
  int at = -1;
  for (int base = 0; base < perWarp; base += 32) {
    bool hit = base + lane < perWarp && from[base + lane] == wanted;
    unsigned hits = __ballot_sync(0xffffffffu, hit);
    if (hits) {
      at = base + __ffs(hits) - 1;
      break;
    }
  }
  if (lane == 0) where[warp] = at;
}

/// ASCII to upper case, four bytes per thread without branches. The tail is done byte by byte.
extern "C" __global__ void to_upper(const unsigned char *in, unsigned char *out, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 4 <= n) {
    unsigned v = *(const unsigned *)(in + i);
    unsigned lower = 0;
    for (int b = 0; b < 4; b++) {
      unsigned c = (v >> (8 * b)) & 255;
      if (c >= 'a' && c <= 'z') lower |= 0x20u << (8 * b);
    }
    *(unsigned *)(out + i) = v ^ lower;
  } else {
    for (; i < n; i++) {
      unsigned char c = in[i];
      out[i] = c >= 'a' && c <= 'z' ? c - 32 : c;
    }
  }
}

/// Decimal numbers in fixed fields, with sign and padding, to s32. The s8 flag marks an invalid
/// field.
extern "C" __global__ void parse_decimal(const char *text, int *value, signed char *bad, int width, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char *s = text + i * width;
  int k = 0, sign = 1, v = 0, digits = 0;
  while (k < width && s[k] == ' ') k++;
  if (k < width && (s[k] == '-' || s[k] == '+')) sign = s[k++] == '-' ? -1 : 1;
  for (; k < width && s[k] >= '0' && s[k] <= '9'; k++, digits++) v = v * 10 + (s[k] - '0');
  bool ok = digits > 0 && k == width;
  value[i] = ok ? sign * v : 0;
  bad[i] = ok ? 0 : -1;
}

/// The edit distance of each pair of 12-byte words, with one row of the table in local memory.
extern "C" __global__ void edit_distance(const char *a, const char *b, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char *s = a + i * 12, *t = b + i * 12;
  unsigned char row[13];
  for (int j = 0; j <= 12; j++) row[j] = j;
#pragma unroll 1
  for (int y = 1; y <= 12; y++) {
    unsigned char diagonal = row[0];
    row[0] = y;
#pragma unroll 1
    for (int x = 1; x <= 12; x++) {
      unsigned char up = row[x];
      int best = min(min(up, row[x - 1]) + 1, diagonal + (s[y - 1] != t[x - 1]));
      row[x] = best;
      diagonal = up;
    }
  }
  out[i] = row[12];
}
