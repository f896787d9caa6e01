// Operands of type f16 and bf16: edge values, neighbors of the previous operand, and values that
// nearly cancel or round.

/**
 * The edge values: zeros, subnormals, the least normal numbers and their neighbors, ones, the
 * greatest numbers, infinities, and NaNs.
 */
const F16 = [
  0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x0200, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x0800, 0x1400, 0x1c08,
  0x3800, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x3e00, 0x4000, 0x4200, 0x4248, 0x4800, 0x4c00, 0x57ff, 0x5800, 0x63ff,
  0x6400, 0x77ff, 0x7800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe12, 0x7fff, 0xffff,
];
const BF16 = [
  0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x0040, 0x007f, 0x807f, 0x0080, 0x8080, 0x0081, 0x0100, 0x0d80, 0x33ff,
  0x3400, 0x3b80, 0x3f00, 0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x3fc0, 0x4000, 0x4049, 0x4300, 0x437f, 0x4380, 0x4f00,
  0x5f00, 0x7e80, 0x7f00, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0xffc1, 0x7fff, 0xffff,
];

function element(isBf16: boolean, previous: number | undefined, random: () => number): number {
  const list = isBf16 ? BF16 : F16;
  const dice = random() % 8;
  if (previous !== undefined && dice === 0) return (previous ^ (random() & 0x8003)) & 0xffff;
  // Draw a nearby exponent, so that sums are rounded.
  if (previous !== undefined && dice === 1) {
    const [shift, most] = isBf16 ? [7, 254] : [10, 30];
    const exponent = Math.min(Math.max(((previous & 0x7fff) >> shift) + (random() % 25) - 12, 0), most);
    return (random() & (0x8000 | ((1 << shift) - 1))) | (exponent << shift);
  }
  if (dice < 5) return list[random() % list.length] ?? 0;
  return random() & 0xffff;
}

/** Draws the bits of one value, or of two values packed in a word. */
export function halfValue(type: string, previous: number | undefined, random: () => number): number {
  const isBf16 = type.startsWith('b');
  const low = element(isBf16, previous === undefined ? undefined : previous & 0xffff, random);
  if (!type.endsWith('x2')) return low;
  const high = element(isBf16, previous === undefined ? undefined : previous >>> 16, random);
  return ((high << 16) | low) >>> 0;
}
