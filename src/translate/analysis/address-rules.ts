// What each operation makes of addresses: the rules of the points-to analysis.
import { constantOf, type Inst, type Value } from '../ir/nodes.ts';
import type { OpName } from '../ir/operations.ts';
import { onesOf, widthOf } from '../ir/types.ts';
import { warpFacts } from '../ir/warp-facts.ts';

/**
 * What becomes of the origins of an operation's arguments.
 * - `copy`: the result is an address as the first argument is
 * - `select`: as either of the last two
 * - `sum`: an address moved by a number
 * - `difference`: as `sum`; the distance of two places in one memory is a number
 * - `mask`: of shared and local memory an address still, where one argument is a number; of others a number
 * - `compare`: a number; for equality, both arguments may be addresses in one memory
 * - `test`: a number
 * - `memory`, `call`: by what the instruction says
 * - `exchange`: a shuffle brings an address of shared or local memory from another lane; what else lanes do with addresses uses them as numbers
 * - `number`: what is made of addresses is none, and the addresses are used as numbers
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

/** Absent: what the operation makes of addresses is none. */
export const addressRule = (op: OpName): AddressRule => rules[op] ?? 'number';

/** Bits of an address of shared or local memory. */
const addressBits = onesOf('i32');

/**
 * Whether a mask takes nothing but low bits from an address of shared or local memory that it masks: another one leaves a number that may be an address
 * anywhere.
 */
export function onlyAligns({ args }: Inst): boolean {
  return args.some((arg) => {
    const bits = constantOf(arg);
    const taken = bits === undefined ? undefined : addressBits & ~bits;
    return taken !== undefined && (taken & (taken + 1n)) === 0n;
  });
}

/** Operations that may give addresses without reading one. */
export const addressSources: ReadonlySet<OpName> = new Set<OpName>(['symbol', 'load', 'atomic', 'call', 'join']);

/** Whether a value has room for a 64-bit address. */
export const isWide = (value: Value | undefined): boolean => value !== undefined && widthOf(value.type) >= 64;

/**
 * Whether a 64-bit result may have a word in its upper half that was none of its argument's: the
 * halves of an address are put together so.
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

/** Whether its first result is the first argument of another lane. */
export const isShuffle = (inst: Inst): boolean =>
  inst.op === 'warp' && warpFacts[inst.attrs.row].results[0] === 'source';

export const isEquality = (relation: string): boolean => relation === 'eq' || relation === 'ne';
