// Propagates undefined bits through bitwise instructions, in which each result bit depends on at
// most one bit of each data operand. A result bit is undefined if and only if it changes when the
// undefined bits of the operands are set to all 0 or all 1, in some combination of operands. In all
// other instructions, an undefined bit makes the whole result undefined.
import type { Mods } from '../../../isa/index.ts';
import type { Bits, LaneFunction } from '../../types.ts';
import type { Destination, Source } from '../memory/layout.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Exec } from '../state/state.ts';

/**
 * Returns the number of data operands, or 0 if the instruction is not bitwise with these modifiers.
 * The data operands are the first operands; the others select bits of the data operands.
 */
type DataOperands = (mods: Mods) => number;

const isInteger = (type: string | undefined): boolean => type !== undefined && /^[usb]\d+$/.test(type);

const dataOperands: Readonly<Record<string, DataOperands>> = {
  and: ({ type }) => (type === 'pred' ? 0 : 2),
  or: ({ type }) => (type === 'pred' ? 0 : 2),
  xor: ({ type }) => (type === 'pred' ? 0 : 2),
  not: ({ type }) => (type === 'pred' ? 0 : 1),
  lop3: () => 3,
  shl: () => 1,
  shr: () => 1,
  shf: () => 2,
  bfe: () => 1,
  bfi: () => 2,
  brev: () => 1,
  prmt: () => 2,
  selp: () => 2,
  slct: () => 2,
  cvt: ({ dtype, atype, sat, rnd, ftz }) =>
    isInteger(dtype) && isInteger(atype) && sat === undefined && rnd === undefined && ftz === undefined ? 1 : 0,
};

/**
 * Returns the number of first operands of an instruction whose undefined bits propagate separately.
 * Returns 0 if any undefined bit makes the whole result undefined.
 */
export const bitOperands = (row: string, mods: Mods): number => dataOperands[row]?.(mods) ?? 0;

export interface BitWork {
  readonly mods: Mods;
  readonly fn: LaneFunction;
  readonly sources: readonly Source[];
  readonly destination: Destination;
  /** The number of data operands, from `bitOperands`. */
  readonly data: number;
}

/**
 * For some lanes: the undefined bits of a destination, and whether these bits derive from bits that
 * were never written.
 */
export type LaneBits = readonly (readonly [lane: number, bits: bigint, isUnwritten: boolean])[];

const none: LaneBits = [];

/**
 * Returns the undefined bits of the result in each lane in which a source has undefined bits. Must
 * be called before the instruction overwrites its operands.
 */
export function bitsIn(
  frame: Frame,
  sources: readonly Source[],
  lanes: number,
  bitsOf: (lane: number) => bigint,
): LaneBits {
  const touched = frame.undefinedLanes(sources) & lanes;
  if (touched === 0) return none;
  const found: [number, bigint, boolean][] = [];
  for (let m = touched; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    found.push([lane, bitsOf(lane), sources.some((source) => frame.isUnwritten(source, lane))]);
  }
  return found;
}

/** Marks a destination as written and defined, except for `bits`. */
export function markLaneBits(frame: Frame, destination: Destination | undefined, lanes: number, bits: LaneBits): void {
  frame.mark(destination, lanes, 0);
  for (const [lane, own, isUnwritten] of bits) frame.markBits(destination, lane, own, isUnwritten);
}

/** Returns the undefined bits of the result in one lane. */
function undefinedBitsOf({ mods, fn, sources, destination, data }: BitWork, frame: Frame, lane: number): bigint {
  const controls = sources.slice(data);
  if (controls.some((source) => frame.undefinedOf(source, lane) !== 0n)) return BigInt.asUintN(destination.width, -1n);
  const values = sources.map((source) =>
    source.width > 32 ? frame.wideOf(source, lane) : BigInt(frame.wordOf(source, lane)),
  );
  const unknown = sources.slice(0, data).map((source) => frame.undefinedOf(source, lane));
  const resultWith = (ones: number): bigint => {
    const operands = sources.map((source, index): Bits => {
      const bits = unknown[index] ?? 0n;
      const known = (values[index] ?? 0n) & ~bits;
      const value = ((ones >>> index) & 1) !== 0 ? known | bits : known;
      return source.width > 32 ? value : Number(value);
    });
    const [result = 0] = fn(mods, operands);
    return BigInt(result);
  };
  const first = resultWith(0);
  let differing = 0n;
  for (let ones = 1; ones < 2 ** data; ones++) differing |= resultWith(ones) ^ first;
  return differing;
}

/**
 * Returns a function that calls `exec`, which marks its result as defined, and then marks the
 * undefined bits of the result.
 */
export function bitExec(work: BitWork, exec: Exec): Exec {
  const { sources, destination } = work;
  return (warp, frame, lanes) => {
    const bits = bitsIn(frame, sources, lanes, (lane) => undefinedBitsOf(work, frame, lane));
    exec(warp, frame, lanes);
    for (const [lane, own, isUnwritten] of bits) frame.markBits(destination, lane, own, isUnwritten);
  };
}
