// The interpolator of NVIDIA's special function units in integers: what it looks up, and its squarer.
import { exponentialSegments, reciprocalSegments, rootSegments } from '../../base/interpolator-tables.ts';
import type { Helper } from './helper.ts';
import { helperTable } from './helper.ts';

function lookup(name: string, what: string, table: readonly number[]): Helper {
  const words = table.map((word) => `0x${word.toString(16)}`).join(',');
  return {
    code: `
// Of a segment of ${what}: the value, and the sizes of slope (16 bits) and curve (10 bits).
fn ${name}(segment: u32) -> vec2<u32> {
  const table = array<u32, ${table.length}>(${words});
  return vec2<u32>(table[2u * segment], table[2u * segment + 1u]);
}`,
  };
}

export const interpolatorHelpers = helperTable({
  reciprocal_segment: lookup('reciprocal_segment', '1/x', reciprocalSegments),
  root_segment: lookup('root_segment', '1/sqrt(x)', rootSegments),
  exponential_segment: lookup('exponential_segment', '2^x', exponentialSegments),
  interpolator_square: {
    code: `
// x^2 / 2^19 of 17 bits, each partial product cut to whole places.
fn interpolator_square(x: u32) -> u32 {
  var sum = 0u;
  for (var bit = 2u; bit < 17u; bit++) {
    sum += (0u - ((x >> bit) & 1u)) & (x >> (18u - bit));
  }
  return sum >> 1u;
}`,
  },
});
