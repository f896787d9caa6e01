// Computes a table that is indexed by lane from the lane number.
import { at, InternalError } from '../../base/invariants.ts';
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';

const bits = [0, 1, 2, 3, 4] as const;
const bitOf = (value: number, bit: number): number => (value >> bit) & 1;

/**
 * Returns the expression for a table of lane numbers. Each bit of an entry must be a constant or a
 * bit of the lane's own number. Throws an error for other tables.
 */
export function laneExpression(table: readonly number[], lane: Expr): Expr {
  if (table.every((value, own) => value === own)) return lane;
  let constant = 0;
  // For each left shift, the mask of the bits of the lane number that the shift moves.
  const masks = new Map<number, number>();
  for (const bit of bits) {
    const column = table.map((value) => bitOf(value, bit));
    if (column.every((value) => value === column[0])) {
      constant |= at(column, 0, 'a lane') << bit;
      continue;
    }
    const source = bits.find((own) => column.every((value, number) => value === bitOf(number, own)));
    if (source === undefined) throw new InternalError('a lane table that is not composed of bits of the lane number');
    // Absent: the entry does not exist for the first bit with this shift.
    masks.set(bit - source, (masks.get(bit - source) ?? 0) | (1 << source));
  }
  const parts = [...masks].map(([left, mask]): Expr => {
    const kept = w.and(lane, w.u32(mask));
    return left === 0 ? kept : left > 0 ? w.shl(kept, w.u32(left)) : w.shr(kept, w.u32(-left));
  });
  if (constant !== 0 || parts.length === 0) parts.push(w.u32(constant));
  return parts.reduce((all, part) => w.or(all, part));
}

/** Returns the mask of the lanes whose table entry satisfies `holds`. */
export const maskOf = (table: readonly number[], holds: (value: number) => boolean): bigint =>
  table.reduce((mask, value, lane) => (holds(value) ? mask | (1n << BigInt(lane)) : mask), 0n);
