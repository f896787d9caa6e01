// Sums of `m8n8k4` with f16 factors, with the same bits as NVIDIA's sm_90. Its machine code
// computes these sums with f32 multiply-adds, whose products are exact.
import { at } from '../../base/invariants.ts';
import type { MatrixForm } from '../../isa/fragments.ts';
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';
import type { FragmentReader, Products } from './mma-fragments.ts';
import { productSteps } from './mma-steps.ts';

const bits = (value: Expr): Expr => w.bitcast('u32', value);
const float = (word: Expr): Expr => w.bitcast('f32', word);

/**
 * Returns the elements of D as the bits of f32 values. `addends` contains the addends of each
 * product. `reader` emits the statements that read the factors.
 */
export function quadSums(
  form: MatrixForm,
  reader: FragmentReader,
  { products }: Products,
  addends: readonly (readonly Expr[])[],
): readonly Expr[] {
  const { packed, steps } = productSteps(form);
  return products.flatMap(([a, b], product) =>
    at(addends, product, 'the addends of a product').map((addend, element) => {
      const own = steps.map((step) => at(step, element, 'an element of D'));
      const x = own.flatMap((step) => reader.piece('a', a, step.a, packed));
      const y = own.flatMap((step) => reader.piece('b', b, step.b, packed));
      return sumOf(form, bits(addend), (k) => [at(x, k, 'a factor'), at(y, k, 'a factor')]);
    }),
  );
}

function sumOf({ types }: MatrixForm, addend: Expr, factors: (k: number) => readonly [Expr, Expr]): Expr {
  const multiplyAdd = (k: number, sum: Expr) => w.builtin('fma', 'f32', ...factors(k), sum);
  if (types.d === 'f32') {
    const sum = [0, 1, 2, 3].reduce((before, k) => multiplyAdd(k, before), w.f32(0n));
    return w.helper('f32_add_to_chain', 'u32', addend, sum);
  }
  // WGSL permits a different order of additions. Mesa would add q first in (p + q) + c, unless the
  // inner sum has another use, such as this test for NaNs.
  const pair = (k: number) => w.helper('f32_canonical', 'f32', multiplyAdd(k + 1, w.mul(...factors(k))));
  const [first, second] = [pair(0), pair(2)];
  return bits(w.add(w.add(float(addend), first), second));
}
