// Which f32 values are never subnormal. Products of matrices that start from such sums need no guard.
import { at, get } from '../../base/invariants.ts';
import { fragmentWords, matrixForm } from '../../isa/fragments.ts';
import { isMmaRow } from '../../isa/index.ts';
import { incomingEdges } from '../graph/index.ts';
import { constantOf, type Definition, type Func, isDefinition, type Value } from '../ir/nodes.ts';
import type { WarpInst } from '../ir/warp-facts.ts';

/**
 * Factors whose products are multiples of 2^-48 at least: a sum of them and an addend is zero, the
 * addend itself, or at least 2^-72.
 */
const coarseFactors: ReadonlySet<string> = new Set(['f16', 'e4m3', 'e5m2']);

const isSubnormal = (bits: bigint): boolean => {
  const size = bits & 0x7fff_ffffn;
  return size !== 0n && size < 0x80_0000n;
};

/**
 * Whether a value of a function is never subnormal as an f32. A sum that a loop carries is not, unless
 * something subnormal may enter the loop.
 */
export function neverSubnormalIn(func: Func): (value: Value) => boolean {
  let incoming: ReturnType<typeof incomingEdges> | undefined;
  const known = new Set<Definition>();
  /**
   * The values that a value is one of, or is subnormal only if one of them is; undefined if that is not
   * known.
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
      if (bits !== undefined && isSubnormal(bits)) return false;
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

/** The words of C of a product that has f32 sums and coarse factors. */
function addendsOf({ attrs: { mods, products }, args }: WarpInst): readonly Value[] | undefined {
  const form = matrixForm(mods);
  if (form.types.c !== 'f32' || form.types.d !== 'f32' || !coarseFactors.has(form.types.a)) return undefined;
  const count = products === undefined ? 1 : products.length;
  return args.slice(args.length - 1 - count * fragmentWords(form, 'c'), -1);
}
