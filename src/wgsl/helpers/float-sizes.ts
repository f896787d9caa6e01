// Whether several f32 values are all zero or at least so large: the guard of what hardware does only with such values.
import { at } from '../../base/invariants.ts';
import { type Helper, helperTable } from './helper.ts';

/**
 * Comparisons of floats take one instruction a value, and join the last one's answer, but do not know zeros from tiny values where those are flushed, and
 * may say anything of NaNs: where they say no, integers tell.
 */
function sized(count: number): Helper {
  const values = Array.from({ length: count }, (_, index) => `a${index}`);
  const isLarge = values.map((value) => `(abs(${value}) >= least)`).join(' & ');
  const sizes = values.map((value) => `(bitcast<u32>(${value}) << 1u) - 1u`);
  const smallest = sizes.slice(1).reduce((least, size) => `min(${least}, ${size})`, at(sizes, 0, 'a value'));
  return {
    code: `
// Whether ${count} values are NaNs, zeros, or have a magnitude of \`least\` or more.
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
