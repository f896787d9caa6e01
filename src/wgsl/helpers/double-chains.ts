// Loops over chains of f64 fused multiply-adds. The result of each multiply-add is the addend or
// the first factor of the next. Drivers inline every function, and one multiply-add has over three
// hundred instructions. Without the loop, a kernel with a few dozen multiply-adds would exceed a
// GPU's instruction cache.
import { type Helper, helperTable } from './helper.ts';

/**
 * A chain as a loop. The loop shifts the operands of the next link into place, because indexing
 * would need memory. The loop counter starts at an unknown zero (no square has both tested bits
 * set), so no compiler can unroll the loop.
 */
function chain(count: number, name: string, types: string, next: string, first: string): Helper {
  const links = Array.from({ length: count }, (_, k) => k);
  const [one, two] = [`${types}`.charAt(0), `${types}`.charAt(1)];
  const operands = links.map((k) => `${one}${k}: vec2<u32>, ${two}${k}: vec2<u32>`).join(', ');
  const variables = links.map((k) => `  var p${k} = ${one}${k};\n  var q${k} = ${two}${k};`).join('\n');
  const moves = links
    .slice(1)
    .map((k) => `    p${k - 1} = p${k};\n    q${k - 1} = q${k};`)
    .join('\n');
  return {
    uses: ['f64_fma'],
    code: `
// ${what(first)}, ${count} times, each rounded once.
fn ${name}${count}(${operands}, ${first}: vec2<u32>) -> vec2<u32> {
${variables}
  var result = ${first};
  for (var k = u32(((${first}.x * ${first}.x) & 5u) == 5u); k < ${count}u; k++) {
    result = f64_fma(${next});
${moves}
  }
  return result;
}`,
  };
}

const what = (first: string): string =>
  first === 'c' ? 'a0 * b0 + c, then the next product plus the result' : 'a * b0 + c0, then the result times b plus c';

const sum = (count: number): Helper => chain(count, 'f64_fma_chain', 'ab', 'p0, q0, result', 'c');
const polynomial = (count: number): Helper => chain(count, 'f64_fma_polynomial', 'bc', 'result, p0, q0', 'a');

export const doubleChainHelpers = helperTable({
  f64_fma_chain2: sum(2),
  f64_fma_chain3: sum(3),
  f64_fma_chain4: sum(4),
  f64_fma_polynomial2: polynomial(2),
  f64_fma_polynomial3: polynomial(3),
  f64_fma_polynomial4: polynomial(4),
});
