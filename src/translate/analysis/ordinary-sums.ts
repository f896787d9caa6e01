// Finds f32 values that are neither subnormal nor -0. A matrix product with such addends needs no
// guard.
import { at, get } from '../../base/invariants.ts';
import { fragmentPart } from '../../isa/fragment-part.ts';
import { isMmaRow } from '../../isa/row-names.ts';
import { incomingEdges } from '../graph/index.ts';
import { constantOf, type Definition, type Func, isDefinition, type Value } from '../ir/nodes.ts';
import type { WarpInst } from '../ir/warp-facts.ts';

/**
 * Types of factors whose products are zero or multiples of 2^-48. A sum of such products and an
 * addend is zero, the addend itself, or at least 2^-72.
 */
const coarseFactors: ReadonlySet<string> = new Set(['f16', 'e4m3', 'e5m2']);

const isOrdinary = (bits: bigint): boolean => (bits & 0x7fff_ffffn) >= 0x80_0000n || bits === 0n;

/**
 * Returns a test whether a value of the function, as an f32, is ordinary: neither subnormal nor -0.
 * A sum that a loop carries is ordinary unless a value that is not ordinary may enter the loop.
 */
export function ordinarySumsIn(func: Func): (value: Value) => boolean {
  let incoming: ReturnType<typeof incomingEdges> | undefined;
  const known = new Set<Definition>();
  /**
   * Returns values that make `value` ordinary if all of them are ordinary; undefined if no such
   * values are known.
   */
  const sourcesOf = (value: Definition): readonly Value[] | undefined => {
    if (value.kind === 'param') {
      if (value.block === func.blocks[0]) return undefined;
      incoming ??= incomingEdges(func);
      const place = value.block.params.indexOf(value);
      return get(incoming, value.block, 'the edges into a block').map(({ args }) =>
        at(args, place, 'an argument of an edge'),
      );
    }
    const { inst } = value;
    const { args, otherwise } = inst;
    if (inst.op === 'bitcast') return [...args, ...otherwise];
    if (inst.op === 'select') return [...args.slice(1), ...otherwise];
    if (inst.op !== 'warp' || !isMmaRow(inst.attrs.row)) return undefined;
    const addends = addendsOf(inst);
    return addends && [...addends, ...otherwise];
  };
  return (value) => {
    const seen = new Set<Definition>();
    const left: Value[] = [value];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const bits = constantOf(next);
      if (bits !== undefined && !isOrdinary(bits)) return false;
      if (!isDefinition(next) || seen.has(next) || known.has(next)) continue;
      seen.add(next);
      const sources = sourcesOf(next);
      if (sources === undefined) return false;
      left.push(...sources);
    }
    for (const definition of seen) known.add(definition);
    return true;
  };
}

/** Returns the words of C if the product has f32 sums and coarse factors. */
function addendsOf({ attrs: { mods, products }, args }: WarpInst): readonly Value[] | undefined {
  const { fragmentWords, matrixForm } = fragmentPart.content;
  const form = matrixForm(mods);
  if (form.types.c !== 'f32' || form.types.d !== 'f32' || !coarseFactors.has(form.types.a)) return undefined;
  const count = products === undefined ? 1 : products.length;
  return args.slice(args.length - 1 - count * fragmentWords(form, 'c'), -1);
}
