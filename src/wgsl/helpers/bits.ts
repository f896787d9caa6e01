// Bit fields, permutations and searches in words.
import { type Helper, helperTable } from './helper.ts';

/**
 * Returns a dot product of four bytes, or of two halves and two bytes. Each factor is signed or
 * unsigned.
 */
function dotProduct(name: string, pieces: number, aSigned: boolean, bSigned: boolean): Helper {
  const piece = (source: string, signed: boolean, index: number, bits: number): string => {
    const word = signed ? `bitcast<i32>(${source})` : source;
    const field = `extractBits(${word}, ${index * bits}u, ${bits}u)`;
    return signed ? `bitcast<u32>(${field})` : field;
  };
  const products = Array.from({ length: pieces }, (_, i) => {
    return `${piece('a', aSigned, i, 32 / pieces)} * ${piece('b', bSigned, i, 8)}`;
  });
  const how = `a ${aSigned ? 'signed' : 'unsigned'}, b ${bSigned ? 'signed' : 'unsigned'}`;
  return {
    code: `
// The sum of ${pieces} products of ${pieces === 4 ? 'bytes' : 'halves of a and low bytes of b'}: ${how}.
fn ${name}(a: u32, b: u32) -> u32 {
  return ${products.join('\n    + ')};
}`,
  };
}

/**
 * Returns a helper that compares all elements of 8 or 16 bits at once: by their highest bits and,
 * if these are equal, by a difference of the other bits.
 */
function packedLess(name: string, width: 8 | 16): Helper {
  const [top, rest] = width === 8 ? ['0x80808080u', '0x7f7f7f7fu'] : ['0x80008000u', '0x7fff7fffu'];
  return {
    code: `
// All bits of the ${width === 8 ? 'bytes' : 'halves'} in which a is less than b, unsigned.
fn ${name}(a: u32, b: u32) -> u32 {
  let reaches = (a | ${top}) - (b & ${rest});
  let less = ((~a & b) | (~(a ^ b) & ~reaches)) & ${top};
  return (less >> ${width - 1}u) * ${2 ** width - 1}u;
}`,
  };
}

export const bitHelpers = helperTable({
  leading_zeros: {
    code: `
// countLeadingZeros in four instructions: WebGPU implementations compile the builtin to a search of
// fifteen.
fn leading_zeros(a: u32) -> u32 {
  let turned = reverseBits(a);
  return countOneBits(~turned & (turned - 1u));
}`,
  },
  bfind_shift_u32: {
    uses: ['leading_zeros'],
    code: `
// The left shift that moves the highest one bit to the top; all ones for 0.
fn bfind_shift_u32(a: u32) -> u32 {
  return select(leading_zeros(a), 0xffffffffu, a == 0u);
}`,
  },
  bfind_u64: {
    uses: ['clz64'],
    code: `
// The position of the highest one bit of 64; all ones for 0.
fn bfind_u64(a: vec2<u32>) -> u32 {
  return 63u - clz64(a);
}`,
  },
  bfind_shift_u64: {
    uses: ['clz64'],
    code: `
// The left shift that moves the highest one bit of 64 to the top; all ones for 0.
fn bfind_shift_u64(a: vec2<u32>) -> u32 {
  return select(clz64(a), 0xffffffffu, (a.x | a.y) == 0u);
}`,
  },
  fold_sign_u32: {
    code: `
// The complement of a negative number: its highest one bit is the number's highest non-sign bit.
fn fold_sign_u32(a: u32) -> u32 {
  return a ^ bitcast<u32>(bitcast<i32>(a) >> 31u);
}`,
  },
  fold_sign_u64: {
    code: `
// The complement of a negative number: its highest one bit is the number's highest non-sign bit.
fn fold_sign_u64(a: vec2<u32>) -> vec2<u32> {
  let sign = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
  return vec2<u32>(a.x ^ sign, a.y ^ sign);
}`,
  },
  clz64: {
    uses: ['leading_zeros'],
    code: `
// The number of leading zeros of a 64-bit value.
fn clz64(a: vec2<u32>) -> u32 {
  return select(leading_zeros(a.y), 32u + leading_zeros(a.x), a.y == 0u);
}`,
  },
  find_nth_set: {
    code: `
// The position of the n-th one bit of the mask from bit \`base\` on, upwards or, for n < 0,
// downwards; all ones if there is none.
fn find_nth_set(mask: u32, base: u32, n: i32) -> u32 {
  if (base > 31u) {
    return 0xffffffffu;
  }
  // n = 0 selects the base bit itself.
  if (n == 0) {
    return select(0xffffffffu, base, ((mask >> base) & 1u) == 1u);
  }
  let down = n < 0;
  let start = select(base, 31u - base, down);
  var rest = select(mask, reverseBits(mask), down) & (0xffffffffu << start);
  // At most 32 bits can be skipped.
  let skip = min(select(bitcast<u32>(n), 0u - bitcast<u32>(n), down) - 1u, 32u);
  for (var i = 0u; i < skip; i++) {
    rest &= rest - 1u;
  }
  let position = countOneBits(~rest & (rest - 1u));
  return select(select(position, 31u - position, down), 0xffffffffu, rest == 0u);
}`,
  },
  // The form for the workaround `shift-before-extract`: no `extractBits` at an offset that differs
  // by lane.
  bfe_u32: {
    uses: ['low_mask'],
    code: `
// The bit field at \`position\`; both numbers have 8 bits. Bits beyond the word are 0.
fn bfe_u32(a: u32, position: u32, length: u32) -> u32 {
  let start = position & 0xffu;
  return select(0u, a >> (start & 31u), start < 32u) & low_mask(length & 0xffu);
}`,
  },
  bfe_s32: {
    code: `
// The signed bit field at \`position\`; both numbers have 8 bits. Bits beyond the word are its
// sign.
fn bfe_s32(a: i32, position: u32, length: u32) -> i32 {
  return extractBits(a >> min(position & 0xffu, 31u), 0u, min(length & 0xffu, 32u));
}`,
  },
  bfe_u32_plain: {
    code: `
// The bit field at \`position\`; both numbers have 8 bits. Bits beyond the word are 0.
fn bfe_u32_plain(a: u32, position: u32, length: u32) -> u32 {
  return extractBits(a, min(position & 0xffu, 32u), min(length & 0xffu, 32u));
}`,
  },
  bfe_s32_plain: {
    code: `
// The signed bit field at \`position\`; both numbers have 8 bits. Bits beyond the word are its
// sign.
fn bfe_s32_plain(a: i32, position: u32, length: u32) -> i32 {
  return extractBits(a, min(position & 0xffu, 31u), min(length & 0xffu, 32u));
}`,
  },
  bfe_u64: {
    uses: ['shr_u64', 'low_mask64'],
    code: `
// The bit field at a position in 64 bits.
fn bfe_u64(a: vec2<u32>, position: u32, length: u32) -> vec2<u32> {
  return shr_u64(a, position & 0xffu) & low_mask64(length & 0xffu);
}`,
  },
  bfe_s64: {
    uses: ['shl64', 'shr_s64'],
    code: `
// The signed bit field at a position in 64 bits. Bits beyond them are the sign.
fn bfe_s64(a: vec2<u32>, position: u32, length: u32) -> vec2<u32> {
  let count = min(length & 0xffu, 64u);
  return shr_s64(shl64(shr_s64(a, position & 0xffu), 64u - count), 64u - count);
}`,
  },
  bfi_b32: {
    code: `
// Inserts the field into the word; position and length have 8 bits. Bits beyond the word are lost.
fn bfi_b32(field: u32, word: u32, position: u32, length: u32) -> u32 {
  return insertBits(word, field, min(position & 0xffu, 32u), min(length & 0xffu, 32u));
}`,
  },
  bfi_b64: {
    uses: ['shl64', 'low_mask64'],
    code: `
// Inserts the field into 64 bits.
fn bfi_b64(field: vec2<u32>, word: vec2<u32>, position: u32, length: u32) -> vec2<u32> {
  let hole = shl64(low_mask64(length & 0xffu), position & 0xffu);
  return (word & ~hole) | (shl64(field, position & 0xffu) & hole);
}`,
  },
  low_mask64: {
    uses: ['shl64'],
    code: `
// A mask of the lowest \`count\` bits of 64.
fn low_mask64(count: u32) -> vec2<u32> {
  return ~shl64(vec2<u32>(0xffffffffu, 0xffffffffu), count);
}`,
  },
  low_mask: {
    code: `
// A mask of the lowest \`count\` bits: all bits for 32 and more.
fn low_mask(count: u32) -> u32 {
  return select((1u << (count & 31u)) - 1u, 0xffffffffu, count > 31u);
}`,
  },
  sign_extend_low: {
    code: `
// The lowest \`count\` bits as a signed number; 0 if \`count\` is 0.
fn sign_extend_low(a: i32, count: u32) -> i32 {
  return extractBits(a, 0u, min(count, 32u));
}`,
  },
  bit_mask_clamp: {
    uses: ['low_mask', 'shl_clamp'],
    code: `
// A mask of \`count\` bits from \`position\` on, cut at the top of the word.
fn bit_mask_clamp(position: u32, count: u32) -> u32 {
  return shl_clamp(low_mask(count), position);
}`,
  },
  dp4a_uu: dotProduct('dp4a_uu', 4, false, false),
  dp4a_us: dotProduct('dp4a_us', 4, false, true),
  dp4a_su: dotProduct('dp4a_su', 4, true, false),
  dp4a_ss: dotProduct('dp4a_ss', 4, true, true),
  dp2a_uu: dotProduct('dp2a_uu', 2, false, false),
  dp2a_us: dotProduct('dp2a_us', 2, false, true),
  dp2a_su: dotProduct('dp2a_su', 2, true, false),
  dp2a_ss: dotProduct('dp2a_ss', 2, true, true),
  bytes_less: packedLess('bytes_less', 8),
  halves_less: packedLess('halves_less', 16),
  funnel_left: {
    code: `
// The high word of high:low shifted left by up to 32.
fn funnel_left(low: u32, high: u32, amount: u32) -> u32 {
  let n = amount & 31u;
  return select((high << n) | ((low >> 1u) >> (31u - n)), low, amount > 31u);
}`,
  },
  funnel_right: {
    code: `
// The low word of high:low shifted right by up to 32.
fn funnel_right(low: u32, high: u32, amount: u32) -> u32 {
  let n = amount & 31u;
  return select((low >> n) | ((high << 1u) << (31u - n)), high, amount > 31u);
}`,
  },
  permute_bytes: {
    code: `
// Four of the eight bytes of high:low, selected by the nibbles of the selector. A nibble's top bit
// replicates the sign of its byte.
fn permute_bytes(low: u32, high: u32, selector: u32) -> u32 {
  var result = 0u;
  for (var i = 0u; i < 4u; i++) {
    let pick = selector >> (4u * i);
    let word = select(low, high, (pick & 4u) != 0u);
    let byte = (word >> (8u * (pick & 3u))) & 0xffu;
    let sign = select(0u, 0xffu, byte > 127u);
    result |= select(byte, sign, (pick & 8u) != 0u) << (8u * i);
  }
  return result;
}`,
  },
});
