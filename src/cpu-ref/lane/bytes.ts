// Instructions on the bytes and halves of a word.
import type { LaneFunction } from '../types.ts';
import { integerType, narrowBits, narrowValue, typeIn, wordAt } from './values.ts';

/**
 * The bytes of `b:a` that each mode selects, from byte 3 of `d` down to byte 0, by `c[1:0]`.
 * https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-prmt
 */
const prmtModes: Readonly<Record<string, readonly string[]>> = {
  f4e: ['3210', '4321', '5432', '6543'],
  b4e: ['5670', '6701', '7012', '0123'],
  rc8: ['0000', '1111', '2222', '3333'],
  ecl: ['3210', '3211', '3222', '3333'],
  ecr: ['0000', '1110', '2210', '3210'],
  rc16: ['1010', '3232', '1010', '3232'],
};

/**
 * Returns bytes of `b:a`. Without a mode, each nibble of `c` selects a byte of `d`: bits 2:0 select
 * a byte of `b:a`, and bit 3 selects the replicated sign of that byte instead of its value.
 */
const prmt: LaneFunction = (mods, sources) => {
  const [a, b, c] = [wordAt(sources, 0), wordAt(sources, 1), wordAt(sources, 2)];
  const selected = mods.mode === undefined ? undefined : prmtModes[mods.mode]?.[c & 3];
  if (mods.mode !== undefined && selected === undefined) throw new Error(`'.${mods.mode}' is not a mode of prmt.`);
  const selectors = selected === undefined ? c : Number.parseInt(selected, 16);
  let d = 0;
  for (let i = 0; i < 4; i++) {
    const selector = (selectors >>> (4 * i)) & 0xf;
    const byte = ((selector & 4 ? b : a) >>> (8 * (selector & 3))) & 0xff;
    const value = selector & 8 ? (byte >= 0x80 ? 0xff : 0) : byte;
    d |= value << (8 * i);
  }
  return [d >>> 0];
};

/** Returns the i-th field of `width` bits of a word, sign- or zero-extended. */
function field(word: number, i: number, width: 8 | 16, signed: boolean): number {
  return narrowValue(word >>> (i * width), { width, signed });
}

/**
 * Adds the dot product of four pairs of bytes to `c`.
 * https://docs.nvidia.com/cuda/parallel-thread-execution/#integer-arithmetic-instructions-dp4a
 */
const dp4a: LaneFunction = (mods, sources) => {
  const [a, b, c] = [wordAt(sources, 0), wordAt(sources, 1), wordAt(sources, 2)];
  const [atype, btype] = [typeIn(mods, 'atype'), typeIn(mods, 'btype')];
  let d = c;
  for (let i = 0; i < 4; i++) d += field(a, i, 8, atype.signed) * field(b, i, 8, btype.signed);
  return [narrowBits(d, integerType('b32'))];
};

/**
 * Adds the dot product of two halves of `a` and two bytes of `b` to `c`.
 * https://docs.nvidia.com/cuda/parallel-thread-execution/#integer-arithmetic-instructions-dp2a
 */
const dp2a: LaneFunction = (mods, sources) => {
  const [a, b, c] = [wordAt(sources, 0), wordAt(sources, 1), wordAt(sources, 2)];
  const [atype, btype] = [typeIn(mods, 'atype'), typeIn(mods, 'btype')];
  const bSelect = mods.half === 'lo' ? 0 : 2;
  let d = c;
  for (let i = 0; i < 2; i++) d += field(a, i, 16, atype.signed) * field(b, bSelect + i, 8, btype.signed);
  return [narrowBits(d, integerType('b32'))];
};

export const byteFunctions = { prmt, dp4a, dp2a } satisfies Record<string, LaneFunction>;
