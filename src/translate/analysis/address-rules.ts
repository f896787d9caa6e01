// The rules of the points-to analysis: the effect of each operation on addresses.
import { constantOf, type Inst, type Value } from '../ir/nodes.ts';
import type { OpName } from '../ir/operations.ts';
import { onesOf, widthOf } from '../ir/types.ts';
import { warpFacts } from '../ir/warp-facts.ts';

/**
 * The effect of an operation on the origins of its arguments:
 * - `copy`: the result has the origins of the first argument.
 * - `select`: the result has the origins of either of the last two arguments.
 * - `sum`: the result is an address moved by a number.
 * - `difference`: like `sum`, but the distance of two addresses in one memory is a number.
 * - `mask`: if one argument is a number, an address of shared or local memory remains an address;
 *   other addresses become numbers.
 * - `compare`: the result is a number; for equality, both arguments may be addresses in one memory.
 * - `test`: the result is a number.
 * - `memory`, `call`: the instruction determines the result.
 * - `exchange`: a shuffle returns an address of shared or local memory from another lane; other
 *   warp instructions use addresses as numbers.
 * - `number`: the result is not an address, and the addresses are used as numbers.
 */
export type AddressRule =
  | 'copy'
  | 'select'
  | 'sum'
  | 'difference'
  | 'mask'
  | 'compare'
  | 'test'
  | 'number'
  | 'memory'
  | 'exchange'
  | 'call';

const rules: Readonly<Partial<Record<OpName, AddressRule>>> = {
  iadd: 'sum',
  isub: 'difference',
  select: 'select',
  cvta: 'copy',
  zext: 'copy',
  sext: 'copy',
  trunc: 'copy',
  bitcast: 'copy',
  and: 'mask',
  or: 'mask',
  xor: 'mask',
  umin: 'mask',
  umax: 'mask',
  smin: 'mask',
  smax: 'mask',
  icmp: 'compare',
  isspacep: 'test',
  load: 'memory',
  store: 'memory',
  atomic: 'memory',
  call: 'call',
  warp: 'exchange',
};

/** Returns the rule of an operation. Absent: the operation uses addresses as numbers. */
export const addressRule = (op: OpName): AddressRule => rules[op] ?? 'number';

/** All bits of an address of shared or local memory. */
const addressBits = onesOf('i32');

/**
 * Whether a mask clears only low bits of an address of shared or local memory. With any other mask,
 * the result may be the address of any shared or local variable.
 */
export function onlyAligns({ args }: Inst): boolean {
  return args.some((arg) => {
    const bits = constantOf(arg);
    const taken = bits === undefined ? undefined : addressBits & ~bits;
    return taken !== undefined && (taken & (taken + 1n)) === 0n;
  });
}

/** Operations whose results may be addresses although no argument is an address. */
export const addressSources: ReadonlySet<OpName> = new Set<OpName>(['symbol', 'load', 'atomic', 'call', 'join']);

/** Whether a value is wide enough for a 64-bit address. */
export const isWide = (value: Value | undefined): boolean => value !== undefined && widthOf(value.type) >= 64;

/**
 * Whether the instruction may move the low word of a 64-bit value into the high word of its result.
 * Programs combine the halves of an address with such instructions.
 */
export function fillsHighWord({ op, args, results }: Inst): boolean {
  if ((op !== 'shl' && op !== 'shlw' && op !== 'imul') || !isWide(results[0])) return false;
  const [value, amount] = args;
  if (value === undefined || amount === undefined || constantOf(value) !== undefined) return false;
  const bits = constantOf(amount);
  if (bits === undefined) return op !== 'imul';
  if (op !== 'imul') return bits >= 32n;
  const factor = BigInt.asIntN(64, bits);
  return factor >= 2n ** 32n || factor <= -(2n ** 32n);
}

/** Whether an instruction is a shuffle: its first result is the first argument of another lane. */
export const isShuffle = (inst: Inst): boolean =>
  inst.op === 'warp' && warpFacts(inst.attrs.row).results[0] === 'source';

export const isEquality = (relation: string): boolean => relation === 'eq' || relation === 'ne';
