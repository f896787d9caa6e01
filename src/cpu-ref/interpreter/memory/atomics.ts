// Atomic operations: computes the value to store from the old value and the operands.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-atom
import { doubleFunctions } from '../../lane/double.ts';
import { halfFunctions } from '../../lane/half.ts';
import type { Bits, LaneFunction } from '../../types.ts';

/**
 * Computes the value to store. `b` and `c` are the operands of the same names in the manual; only
 * `cas` uses `c`. `isGlobal`: whether the value is in global memory.
 */
export type Update = (old: Bits, b: Bits, c: Bits, isGlobal: boolean) => Bits;

const wrap64 = (value: bigint) => BigInt.asUintN(64, value);

function words(update: (old: number, b: number, c: number) => number): Update {
  return (old, b, c) => update(Number(old), Number(b), Number(c)) >>> 0;
}

function wides(update: (old: bigint, b: bigint, c: bigint) => bigint): Update {
  return (old, b, c) => wrap64(update(BigInt(old), BigInt(b), BigInt(c)));
}

const wordUpdates: Readonly<Record<string, Update>> = {
  add: words((old, b) => old + b),
  and: words((old, b) => old & b),
  or: words((old, b) => old | b),
  xor: words((old, b) => old ^ b),
  exch: words((_old, b) => b),
  cas: words((old, b, c) => (old === b ? c : old)),
  inc: words((old, b) => (old >= b ? 0 : old + 1)),
  dec: words((old, b) => (old === 0 || old > b ? b : old - 1)),
  min: words((old, b) => Math.min(old, b)),
  max: words((old, b) => Math.max(old, b)),
};

const signedWordUpdates: Readonly<Record<string, Update>> = {
  ...wordUpdates,
  min: words((old, b) => Math.min(old | 0, b | 0)),
  max: words((old, b) => Math.max(old | 0, b | 0)),
};

const signed = (value: bigint) => BigInt.asIntN(64, value);

const lesser = (a: bigint, b: bigint) => {
  if (a < b) return a;
  return b;
};

const greater = (a: bigint, b: bigint) => {
  if (a > b) return a;
  return b;
};

const wideUpdates: Readonly<Record<string, Update>> = {
  add: wides((old, b) => old + b),
  and: wides((old, b) => old & b),
  or: wides((old, b) => old | b),
  xor: wides((old, b) => old ^ b),
  exch: wides((_old, b) => b),
  cas: wides((old, b, c) => (old === b ? c : old)),
  inc: wides((old, b) => (old >= b ? 0n : old + 1n)),
  dec: wides((old, b) => (old === 0n || old > b ? b : old - 1n)),
  min: wides((old, b) => lesser(old, b)),
  max: wides((old, b) => greater(old, b)),
};

const signedWideUpdates: Readonly<Record<string, Update>> = {
  ...wideUpdates,
  min: wides((old, b) => lesser(signed(old), signed(b))),
  max: wides((old, b) => greater(signed(old), signed(b))),
};

const floatBits = new Float32Array(1);
const wordBits = new Uint32Array(floatBits.buffer);

function flush(word: number): number {
  return (word & 0x7f80_0000) === 0 ? word & 0x8000_0000 : word;
}

function toFloat(word: number): number {
  wordBits[0] = word;
  return floatBits[0] ?? 0;
}

/**
 * Adds two f32 values and rounds to nearest even. In global memory, subnormal inputs and results
 * become zeros of the same sign; in other memory, they are preserved.
 */
const addFloat: Update = (old, b, _c, isGlobal) => {
  const pass = isGlobal ? flush : (word: number) => word;
  const sum = toFloat(pass(Number(old))) + toFloat(pass(Number(b)));
  if (Number.isNaN(sum)) return 0x7fff_ffff;
  floatBits[0] = sum;
  return pass(wordBits[0] ?? 0) >>> 0;
};

/** Adds two f64 values. The results for NaNs are those of `add.f64`. */
const addDouble: Update = (old, b) => doubleFunctions['add.f64']({}, [old, b])[0] ?? 0n;

const halfRows: Readonly<Record<string, string>> = { add: 'add', min: 'min', max: 'max' };
const halves: Readonly<Record<string, LaneFunction>> = halfFunctions;

/**
 * Returns an update that applies the lane instruction of the same name to a value or to each half
 * of a pair.
 */
function halfUpdate(op: string, type: string): Update | undefined {
  const fn = halves[`${halfRows[op]}.${type.replace('x2', '')}`];
  return fn && ((old, b) => fn({ type }, [old, b])[0] ?? 0);
}

/**
 * Returns the update of `atom.op.type` or `red.op.type`. Throws `RangeError` for a combination that
 * PTX does not have.
 */
export function atomicUpdate(op: string, type: string): Update {
  const update = updateOf(op, type);
  if (update === undefined) throw new RangeError(`unknown atomic ${op}.${type}`);
  return update;
}

function updateOf(op: string, type: string): Update | undefined {
  if (type === 'f32') return op === 'add' ? addFloat : undefined;
  if (type === 'f64') return op === 'add' ? addDouble : undefined;
  if (type.includes('f16')) return halfUpdate(op, type);
  const wide = type.endsWith('64');
  const isSigned = type.startsWith('s');
  const table = wide ? (isSigned ? signedWideUpdates : wideUpdates) : isSigned ? signedWordUpdates : wordUpdates;
  return table[op];
}
