// The shared memory of copies of boxes and of products of warpgroups.
import type { Printing } from './printing.ts';

/** The size of the memory in bytes. */
export const tilesBytes = 8192;

export interface Pattern {
  /** The bits of each word that vary. */
  readonly and: number;
  /** The bits of each word that are 1. */
  readonly or: number;
}

const hex = (bits: number): string => `0x${(bits >>> 0).toString(16)}`;

/**
 * Fills the bytes from `from` to `to`. The words depend only on their places and the seed, so that
 * all blocks store equal boxes.
 */
export function fillTiles(
  { writer, threads }: Printing,
  from: number,
  to: number,
  { and, or }: Pattern,
  seed: number,
): void {
  const tiles = writer.provide('tiles');
  const [at, word, place, more] = [
    writer.temporary('r'),
    writer.temporary('r'),
    writer.temporary('r'),
    writer.temporary('p'),
  ];
  const again = writer.label();
  writer.line(`mad.lo.u32 ${at}, %thread, 4, ${from}`);
  writer.place(again);
  writer.line(`mad.lo.u32 ${word}, ${at}, 0x9e3779b1, ${hex(seed)}`);
  writer.line(`shr.u32 ${place}, ${word}, 15`);
  writer.line(`xor.b32 ${word}, ${word}, ${place}`);
  writer.line(`mul.lo.u32 ${word}, ${word}, 0x2c1b3c6d`);
  writer.line(`and.b32 ${word}, ${word}, ${hex(and)}`);
  writer.line(`or.b32 ${word}, ${word}, ${hex(or)}`);
  writer.line(`add.u32 ${place}, ${tiles}, ${at}`);
  writer.line(`st.shared.b32 [${place}], ${word}`);
  writer.line(`add.u32 ${at}, ${at}, ${4 * threads}`);
  writer.line(`setp.lt.u32 ${more}, ${at}, ${to}`);
  writer.line(`@${more} bra ${again}`);
}
