// Predicts Dawn's integer range analysis. Dawn omits the clamp of an access if it proves that the
// index is inside the array. It analyzes sums, products, shifts, quotients, remainders, minima and
// maxima of the thread index and constants. It does not analyze masks, variables (which block
// parameters become) or values from memory.
import { type Definition, type Inst, isDefinition, type Value } from '../ir/nodes.ts';
import type { OpName } from '../ir/operations.ts';
import { anyWord, exactly, type Range } from './range.ts';
import { transfer } from './range-transfer.ts';
import type { SpecialRanges } from './ranges.ts';

const understood: ReadonlySet<OpName> = new Set<OpName>([
  'iadd', 'isub', 'imul', 'shl', 'shlw', 'lshr', 'lshrw', 'udiv', 'urem', 'umin', 'umax', 'special',
]); // biome-ignore format: one line
/** Operations that bound their result even if one operand is unknown. */
const bounding: ReadonlySet<OpName> = new Set<OpName>(['urem', 'umin', 'umax']);

/**
 * Returns a function that computes ranges as Dawn does, on demand; undefined for values without a
 * known range.
 */
export function dawnRanges(special: SpecialRanges): (value: Value) => Range | undefined {
  const known = new Map<Definition, Range>();
  const read = (value: Value): Range => {
    if (isDefinition(value)) return known.get(value) ?? anyWord;
    return value.kind === 'constant' ? exactly(value.type, value.bits) : { min: 0, max: 0 };
  };
  const partsOf = (value: Definition): readonly Value[] =>
    value.kind === 'result' && isUnderstood(value.inst) ? value.inst.args : [];
  const resultOf = (value: Definition): Range => {
    if (value.kind !== 'result' || value.type !== 'i32' || !isUnderstood(value.inst)) return anyWord;
    const { inst } = value;
    if (!bounding.has(inst.op) && inst.args.some((arg) => read(arg) === anyWord)) return anyWord;
    const range = transfer(inst, read, special);
    return range === undefined || range.min < 0 || (range.min === 0 && range.max === anyWord.max) ? anyWord : range;
  };
  return (root) => {
    const stack: Value[] = [root];
    for (let value = stack.at(-1); value !== undefined; value = stack.at(-1)) {
      const missing =
        !isDefinition(value) || known.has(value)
          ? []
          : partsOf(value).filter((part) => isDefinition(part) && !known.has(part));
      if (missing.length > 0) {
        stack.push(...missing);
        continue;
      }
      stack.pop();
      if (isDefinition(value) && !known.has(value)) known.set(value, resultOf(value));
    }
    const range = read(root);
    return range === anyWord ? undefined : range;
  };
}

const isUnderstood = (inst: Inst): boolean => inst.when === undefined && understood.has(inst.op);
