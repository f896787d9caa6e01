// Chains of dependent fused multiply-adds. Each result is the addend of the next multiply-add. A
// chain contains the code for rare cases only once. Drivers inline every function, so a kernel with
// hundreds of separate exact multiply-adds would compile for minutes.
import { type Helper, helperTable } from './helper.ts';

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/**
 * Returns a helper for a chain that hardware computes if no value or result is subnormal. Otherwise
 * a loop computes the links one by one, except possibly the first. The loop begins at 0 or 1, which
 * prevents drivers from unrolling it.
 */
function guardedChain(count: number, one: string, flushes: boolean): Helper {
  const links = upTo(count);
  const operands = links.map((k) => `a${k}: f32, b${k}: f32`).join(', ');
  const results = links.map((k) => `  let r${k} = fma(a${k}, b${k}, ${k === 0 ? 'c' : `r${k - 1}`});`).join('\n');
  const ordinary = links.map((k) => `f32_is_ordinary(bitcast<u32>(r${k}))`);
  const normal = links.map((k) => `!f32_is_subnormal(bitcast<u32>(a${k})) && !f32_is_subnormal(bitcast<u32>(b${k}))`);
  const checks = flushes ? ordinary : [...ordinary, '!f32_is_subnormal(bitcast<u32>(c))', ...normal];
  const first = [ordinary[0], ...(flushes ? [] : ['!f32_is_subnormal(bitcast<u32>(c))', normal[0]])].join(' && ');
  return {
    uses: [one, 'f32_is_ordinary', ...(flushes ? [] : ['f32_is_subnormal'])],
    code: `
// a0 * b0 + c, then the next product plus the result, ${count} times, each rounded once${flushes ? ', with .ftz, for operands that are flushed already' : ''}.
fn ${one}_chain${count}(${operands}, c: f32) -> f32 {
${results}
  if (${checks.join('\n    && ')}) {
    return r${count - 1};
  }
  var a = array<f32, ${count}>(${links.map((k) => `a${k}`).join(', ')});
  var b = array<f32, ${count}>(${links.map((k) => `b${k}`).join(', ')});
  let is_first_right = ${first};
  var result = select(c, r0, is_first_right);
  for (var k = u32(is_first_right); k < ${count}u; k++) {
    result = ${one}(a[k], b[k], result);
  }
  return result;
}`,
  };
}

export const floatChainHelpers = helperTable({
  f32_fma_chain4: guardedChain(4, 'f32_fma', false),
  f32_fma_chain8: guardedChain(8, 'f32_fma', false),
  f32_fma_ftz_chain4: guardedChain(4, 'f32_fma_ftz', true),
  f32_fma_ftz_chain8: guardedChain(8, 'f32_fma_ftz', true),
});
