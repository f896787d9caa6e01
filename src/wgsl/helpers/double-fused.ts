// a * b + c of f64 values: the sum of the whole product and the addend in 128 bits, as vec4<u32>, the lowest word first.
import { eachRounding } from './double-round.ts';
import { helperTable } from './helper.ts';

export const doubleFusedHelpers = helperTable({
  add128: {
    code: `
// The 128-bit sum, and \`carry\`, which is 0 or 1.
fn add128(a: vec4<u32>, b: vec4<u32>, carry: u32) -> vec4<u32> {
  let sum = a + b;
  let x = sum.x + carry;
  let y = sum.y + (u32(sum.x < a.x) | u32(x < carry));
  let z = sum.z + (u32(sum.y < a.y) | u32(y < sum.y));
  return vec4<u32>(x, y, z, sum.w + (u32(sum.z < a.z) | u32(z < sum.z)));
}`,
  },
  shift_right_sticky128: {
    code: `
// A 128-bit right shift that keeps in the lowest bit whether ones were lost.
fn shift_right_sticky128(a: vec4<u32>, amount: u32) -> vec4<u32> {
  let n = min(amount, 127u);
  let two = (n & 64u) != 0u;
  let one = (n & 32u) != 0u;
  let far = select(a, vec4<u32>(a.zw, 0u, 0u), two);
  let near = select(far, vec4<u32>(far.yzw, 0u), one);
  let bits = n & 31u;
  // In two steps, as a shift by 32 - bits would be one by 0 where bits is 0.
  let carried = (vec4<u32>(near.yzw, 0u) << vec4<u32>(1u)) << vec4<u32>(31u - bits);
  let lost = select(0u, a.x | a.y, two) | select(0u, far.x, one) | ((near.x << 1u) << (31u - bits));
  return ((near >> vec4<u32>(bits)) | carried) | vec4<u32>(u32(lost != 0u), 0u, 0u, 0u);
}`,
  },
  top_of_128: {
    code: `
// The upper half of a 128-bit number after a left shift, its lowest bit set if there are ones in the lower half.
fn top_of_128(a: vec4<u32>, amount: u32) -> vec2<u32> {
  let far = select(a, vec4<u32>(0u, 0u, a.xy), (amount & 64u) != 0u);
  let near = select(far, vec4<u32>(0u, far.xyz), (amount & 32u) != 0u);
  let bits = amount & 31u;
  let carried = (near.xyz >> vec3<u32>(1u)) >> vec3<u32>(31u - bits);
  let rest = (near.x << bits) | (near.y << bits) | carried.x;
  let top = (near.zw << vec2<u32>(bits)) | carried.yz;
  return vec2<u32>(top.x | u32(rest != 0u), top.y);
}`,
  },
  f64_fma_special: {
    uses: ['f64_is_nan', 'f64_quiet', 'f64_invalid'],
    code: `
// a * b + c where one of them is an infinity or a NaN. Of several NaNs, NVIDIA's hardware takes b's before c's before a's.
fn f64_fma_special(a: vec2<u32>, b: vec2<u32>, c: vec2<u32>) -> vec2<u32> {
  let larger = max(a.y & 0x7fffffffu, b.y & 0x7fffffffu);
  let is_zero = (a.x | (a.y << 1u)) == 0u || (b.x | (b.y << 1u)) == 0u;
  if (f64_is_nan(b)) {
    return f64_quiet(b);
  }
  if (f64_is_nan(a) || f64_is_nan(c)) {
    return f64_invalid(a, c);
  }
  let infinite = vec2<u32>(0u, ((a.y ^ b.y) & 0x80000000u) | 0x7ff00000u);
  if (larger < 0x7ff00000u) {
    return c;
  }
  let opposite = (c.y ^ infinite.y) == 0x80000000u;
  return select(infinite, vec2<u32>(0u, 0xfff80000u), is_zero || opposite);
}`,
  },
  ...eachRounding('f64_fma', (suffix, how) => ({
    uses: [
      ...['f64_fma_special', 'f64_exponent', 'f64_significand', 'shl64', 'mul_wide_u64', 'shift_right_sticky128'],
      ...['add128', 'clz64', 'top_of_128', `f64_pack${suffix}`],
    ],
    code: `
// a * b + c, rounded ${how}.
fn f64_fma${suffix}(a: vec2<u32>, b: vec2<u32>, c: vec2<u32>) -> vec2<u32> {
  if (max(max(a.y & 0x7ff00000u, b.y & 0x7ff00000u), c.y & 0x7ff00000u) == 0x7ff00000u) {
    return f64_fma_special(a, b, c);
  }
  // The places before the fractions are at bit 126. A product of zero has no exponent of its own.
  let product = mul_wide_u64(f64_significand(a), shl64(f64_significand(b), 1u));
  let own_exponent = i32(f64_exponent(a) + f64_exponent(b)) - 1022;
  let product_exponent = select(0, own_exponent, any(product != vec4<u32>()));
  let addend = vec4<u32>(0u, 0u, f64_significand(c));
  let addend_exponent = i32(f64_exponent(c));
  let distance = product_exponent - addend_exponent;
  let product_leads = distance >= 0;
  let first = select(addend, product, product_leads);
  let second = shift_right_sticky128(select(product, addend, product_leads), u32(abs(distance)));
  let product_sign = (a.y ^ b.y) & 0x80000000u;
  let first_sign = select(c.y & 0x80000000u, product_sign, product_leads);
  // A difference is the sum with the complement, and one.
  let differ = product_sign != (c.y & 0x80000000u);
  let complement = vec4<u32>(select(0u, 0xffffffffu, differ));
  let sum = add128(first, second ^ complement, u32(differ));
  let is_negative = differ && sum.w >= 0x80000000u;
  let turned = vec4<u32>(select(0u, 0xffffffffu, is_negative));
  let total = add128(sum ^ turned, vec4<u32>(), u32(is_negative));
  if (all(total == vec4<u32>())) {
    return vec2<u32>(0u, select(first_sign, ${suffix === '_rm' ? '0x80000000u' : '0u'}, differ));
  }
  // Subnormal results keep the least exponent, and leading zeros.
  let leading = select(clz64(total.zw), 64u + clz64(total.xy), (total.z | total.w) == 0u);
  let exponent = u32(max(product_exponent, addend_exponent));
  let zeros = min(leading, exponent);
  let sign = first_sign ^ select(0u, 0x80000000u, is_negative);
  return f64_pack${suffix}(sign, exponent + 1u - zeros, top_of_128(total, zeros));
}`,
  })),
});
