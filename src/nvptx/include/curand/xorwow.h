// The generator XORWOW (Marsaglia, "Xorshift RNGs", 2003): a linear register of 160 bits and a counter.
#pragma once

namespace lanewise {

// 160 bits: those of the register, or the coefficients of a polynomial over GF(2) from x^0 on.
struct XorwowBits {
  unsigned words[5];
};

}  // namespace lanewise

struct curandStateXORWOW : lanewise::KeptNumbers {
  unsigned d;
  lanewise::XorwowBits v;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

namespace lanewise {

__device__ inline XorwowBits xorwow_step(XorwowBits v) {
  const unsigned t = v.words[0] ^ (v.words[0] >> 2), last = v.words[4];
  return {{v.words[1], v.words[2], v.words[3], last, last ^ (last << 4) ^ t ^ (t << 1)}};
}
// x times a polynomial, modulo the characteristic polynomial of the register.
__device__ inline XorwowBits xorwow_shift(XorwowBits a) {
  const unsigned *w = a.words, over = 0 - (w[4] >> 31);
  return {{(w[0] << 1) ^ (over & 0x60001), ((w[1] << 1) | (w[0] >> 31)) ^ (over & 0x8610030),
           ((w[2] << 1) | (w[1] >> 31)) ^ (over & 0x62121), ((w[3] << 1) | (w[2] >> 31)) ^ (over & 0xf3c0035),
           ((w[4] << 1) | (w[3] >> 31)) ^ (over & 0xf0e)}};
}
// The sum of next^i(a) for each term x^i of the polynomial.
template <class Next> __device__ inline XorwowBits xorwow_sum(XorwowBits polynomial, XorwowBits a, Next next) {
  XorwowBits sum = {};
#pragma nounroll
  for (int bit = 0; bit < 160; bit++) {
    const unsigned term = 0 - (polynomial.words[0] & 1);
    for (int w = 0; w < 5; w++) sum.words[w] ^= a.words[w] & term;
    for (int w = 0; w < 5; w++)
      polynomial.words[w] = (polynomial.words[w] >> 1) | (w < 4 ? polynomial.words[w + 1] << 31 : 0);
    a = next(a);
  }
  return sum;
}
// x^(2^67 2^i) modulo the characteristic polynomial.
__device__ const XorwowBits xorwow_sequences[32] = {
    {{0x26294934, 0x77bbc248, 0x1a87dad0, 0x930052d4, 0x947e6dd2}},
    {{0x5f39c379, 0x95e20ba6, 0x20e9ff72, 0x1244ce5e, 0xe8fd228f}},
    {{0xa7474d19, 0x37c549e0, 0x140877d2, 0x24c43924, 0xcd52ebec}},
    {{0xe0360ec5, 0xb1c96c24, 0xdbb91766, 0x666ff5dc, 0xf19a7e52}},
    {{0xfcc8f692, 0x35aa698a, 0x04ebbf85, 0x448304b0, 0x082f3fd5}},
    {{0x48c289bd, 0xe851cf98, 0x845ad581, 0xfd70752a, 0x2c3e63f6}},
    {{0xe502f5b3, 0x77859d31, 0x97e1cbb3, 0xea09047a, 0x61d5f37e}},
    {{0xb89326d0, 0x5a8655a9, 0xfb6e98f5, 0x02102162, 0x7e6fcf6f}},
    {{0xb3a15db4, 0xc6df3330, 0x1a8be751, 0xf1e4b221, 0x6bb61c05}},
    {{0x133de1d0, 0x361e4422, 0xc6131fcf, 0xd9719f45, 0x9658a164}},
    {{0x19e2bee8, 0xf8974218, 0x4e65536a, 0xa2570336, 0xe9b88082}},
    {{0x7863644b, 0x2a21ce84, 0x112e86f1, 0xed01ce0e, 0xba143e84}},
    {{0x0e2cae2e, 0xd1011279, 0x58923768, 0x2bf650ba, 0xc985bcda}},
    {{0x213a286a, 0x6596b510, 0x6fc10eae, 0x38a13547, 0x11c7749e}},
    {{0x146281e7, 0xa45b4452, 0xafa8c695, 0x74a0ac94, 0x4b250e0a}},
    {{0x2306bc52, 0x790f3b4c, 0x2fe473b9, 0xbc81d7c0, 0x093efe98}},
    {{0x89658c8b, 0xf3914315, 0xa73fe84b, 0x3c5fadb6, 0xadba8dd6}},
    {{0x09e49814, 0x09caf5ed, 0x6b2460d9, 0x1b9981c1, 0x2d1fefc3}},
    {{0x82161afc, 0x9bb13c55, 0xfd20d7fb, 0x306d90b9, 0x92bf386f}},
    {{0x96d32350, 0x0e081864, 0x69faa798, 0xe7faecf5, 0xf1f951be}},
    {{0x3e9058c1, 0x71da9705, 0xe2cb1f2b, 0x73456536, 0xbd6501b6}},
    {{0x990ffc6e, 0xbfdd1b5d, 0xc83e520b, 0xe972936a, 0xac79abb9}},
    {{0xb1321eb5, 0xb06d01a2, 0x51532012, 0x8fb59962, 0x141d3b0b}},
    {{0x3257dfe1, 0xd8a3d601, 0x3a58c735, 0x845f36e4, 0x0112c611}},
    {{0xa0ffe9a4, 0xf57be00e, 0xe706880c, 0x191211ef, 0xee5664fb}},
    {{0x9a3385b8, 0xc540c30a, 0xb241d1e0, 0x00626569, 0x6b355fe9}},
    {{0xe129d45d, 0xac3e698b, 0xd61f79fd, 0x7a72a28b, 0x7f4942be}},
    {{0x612501bb, 0xae7b767d, 0xaa66c165, 0x09bfaf8e, 0x3e55c16d}},
    {{0x874e26a7, 0x33bc5a47, 0xad95cba5, 0x67651c39, 0xf1f07dca}},
    {{0xb5ed0732, 0x30e7a573, 0x5c056714, 0x2304f8fa, 0xebc584e1}},
    {{0x4b324c2e, 0x2bdcc5a0, 0x53eb4240, 0xcac4fbc1, 0x13e529e7}},
    {{0xe1683e38, 0xa2339994, 0x7308a647, 0xc7c3f0b1, 0x4a3dcd33}},
};
// The register after `n` steps, or after `n` sequences of 2^67 steps.
__device__ inline XorwowBits xorwow_skip(XorwowBits v, unsigned long long n, bool sequences) {
  XorwowBits power = sequences ? xorwow_sequences[0] : XorwowBits{{2}};
#pragma nounroll
  for (int i = 1; n != 0; n >>= 1, i++) {
    if (n & 1) v = xorwow_sum(power, v, xorwow_step);
    power = sequences && i < 32 ? xorwow_sequences[i] : xorwow_sum(power, power, xorwow_shift);
  }
  return v;
}

}  // namespace lanewise

static __device__ inline unsigned curand(curandStateXORWOW *state) {
  state->v = lanewise::xorwow_step(state->v);
  return state->v.words[4] + (state->d += 362437);
}
static __device__ inline void skipahead(unsigned long long n, curandStateXORWOW *state) {
  state->v = lanewise::xorwow_skip(state->v, n, false);
  state->d += 362437 * (unsigned)n;
}
// A sequence has 2^67 numbers.
static __device__ inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *state) {
  state->v = lanewise::xorwow_skip(state->v, n, true);
}
static __device__ inline void curand_init(unsigned long long seed, unsigned long long sequence,
                                          unsigned long long offset, curandStateXORWOW *state) {
  const unsigned low = 1099087573 * ((unsigned)seed ^ 0xaad26b49);
  const unsigned high = 2591861531 * ((unsigned)(seed >> 32) ^ 0xf7dcefdd);
  *state = {{},
            6615241 + high + low,
            {{123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low}}};
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}
