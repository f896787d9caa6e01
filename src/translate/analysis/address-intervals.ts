// Computes the interval of an address as the exact sum of its parts, before the sum wraps around.
import { IdMap } from '../ir/id-map.ts';
import { type Definition, type Inst, isDefinition, type Value } from '../ir/nodes.ts';
import { addsBits, isAddressType, isFollowed, shiftAmount, signedConstant } from './address-parts.ts';
import { allBitsOf, type Range, signed, unsigned } from './range.ts';

const anyInterval: Range = { min: -Infinity, max: Infinity };

/**
 * Returns a function that computes intervals on demand. `leaf` returns the range of a value that is
 * not followed. Block parameters are not followed, so intervals do not go around loops.
 */
export function intervals(leaf: (value: Value) => Range): (value: Value) => Range {
  const known = new IdMap<Definition, Range>();
  const read = (value: Value | undefined): Range => {
    if (value === undefined) return anyInterval;
    if (isDefinition(value)) return known.get(value) ?? leaf(value);
    const number = value.kind === 'undef' ? 0 : signedConstant(value);
    return number === undefined ? anyInterval : { min: number, max: number };
  };
  const partsOf = (value: Definition): readonly Value[] =>
    value.kind === 'result' && isFollowed(value.inst) ? value.inst.args : [];
  return (root) => {
    if (!isDefinition(root)) return read(root);
    const stack: Definition[] = [root];
    for (let value = stack.at(-1); value !== undefined; value = stack.at(-1)) {
      if (known.has(value)) {
        stack.pop();
        continue;
      }
      const missing = partsOf(value).filter(
        (part): part is Definition => isDefinition(part) && isAddressType(part.type) && !known.has(part),
      );
      if (missing.length > 0) {
        for (const part of missing) stack.push(part);
        continue;
      }
      stack.pop();
      known.set(value, (value.kind === 'result' ? intervalOf(value.inst, read) : undefined) ?? leaf(value));
    }
    return read(root);
  };
}

const finite = (min: number, max: number): Range =>
  Number.isSafeInteger(min) && Number.isSafeInteger(max) ? { min, max } : anyInterval;

function productOf(a: Range, b: Range): Range {
  const corners = [a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max];
  return finite(Math.min(...corners), Math.max(...corners));
}

/**
 * Returns the interval of an instruction's result; undefined if the analysis does not follow the
 * instruction.
 */
function intervalOf(inst: Inst, read: (value: Value | undefined) => Range): Range | undefined {
  if (!isFollowed(inst)) return undefined;
  const [a, b, c] = inst.args;
  switch (inst.op) {
    case 'iadd':
      return finite(read(a).min + read(b).min, read(a).max + read(b).max);
    case 'isub':
      return finite(read(a).min - read(b).max, read(a).max - read(b).min);
    case 'imul':
      return productOf(read(a), read(b));
    case 'shl':
    case 'shlw': {
      const bits = shiftAmount(inst);
      return bits === undefined ? undefined : productOf(read(a), { min: 2 ** bits, max: 2 ** bits });
    }
    case 'and':
      return maskInterval(b) ?? maskInterval(a);
    case 'or':
    case 'xor': {
      const [x, y] = [read(a), read(b)];
      if (inst.op === 'or' && addsBits(inst)) return finite(x.min + y.min, x.max + y.max);
      if (x.min < 0 || y.min < 0) return undefined;
      return finite(0, allBitsOf(Math.max(x.max, y.max)));
    }
    case 'select':
      return { min: Math.min(read(b).min, read(c).min), max: Math.max(read(b).max, read(c).max) };
    case 'zext':
    case 'sext': {
      if (a === undefined || a.type !== 'i32') return undefined;
      return isExtendedExactly(inst, read(a))
        ? read(a)
        : (inst.op === 'zext' ? unsigned : signed)(a.type, wordRange(read(a)));
    }
    case 'trunc':
      return a?.type === 'i64' && inst.results[0]?.type === 'i32' ? read(a) : undefined;
    default:
      return undefined;
  }
}

/** Returns the range of a word whose exact sum is in an interval. */
const wordRange = (interval: Range): Range =>
  interval.min >= -(2 ** 31) && interval.max < 2 ** 32 ? interval : { min: 0, max: 2 ** 32 - 1 };

function maskInterval(mask: Value | undefined): Range | undefined {
  if (mask?.kind !== 'constant') return undefined;
  const bits = Number(mask.bits);
  return Number.isSafeInteger(bits) ? { min: 0, max: bits } : undefined;
}

/** Whether an extended word equals its exact sum, because the sum did not wrap around. */
export function isExtendedExactly(inst: Inst, sum: Range): boolean {
  return inst.op === 'zext' ? sum.min >= 0 && sum.max < 2 ** 32 : sum.min >= -(2 ** 31) && sum.max < 2 ** 31;
}
