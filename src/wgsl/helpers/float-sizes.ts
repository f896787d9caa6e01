// Tests whether several f32 values are all zero or at least a given size, for operations that
// hardware computes correctly only for such values.
import { at } from '../../base/invariants.ts';
import { type Helper, helperTable } from './helper.ts';

/**
 * Returns the test whether `count` values are all zero, large enough or NaN. A float comparison,
 * combined with the previous result, is one instruction per value. But if subnormal numbers are
 * flushed, this comparison cannot distinguish zeros from tiny values, and its result for a NaN is
 * undefined. If it fails, integer comparisons decide.
 */
function sized(count: number): Helper {
  const values = Array.from({ length: count }, (_, index) => `a${index}`);
  const isLarge = values.map((value) => `(abs(${value}) >= least)`).join(' & ');
  const sizes = values.map((value) => `(bitcast<u32>(${value}) << 1u) - 1u`);
  const smallest = sizes.slice(1).reduce((least, size) => `min(${least}, ${size})`, at(sizes, 0, 'a value'));
  return {
    code: `
// Whether each of ${count} values is a NaN, zero, or at least \`least\` in magnitude.
fn f32_sized${count}(${values.map((value) => `${value}: f32`).join(', ')}, least: f32) -> bool {
  if (${isLarge}) {
    return true;
  }
  return ${smallest} >= (bitcast<u32>(least) << 1u) - 1u;
}`,
  };
}

export const floatSizeHelpers = helperTable({
  f32_sized4: sized(4),
  f32_sized8: sized(8),
});
