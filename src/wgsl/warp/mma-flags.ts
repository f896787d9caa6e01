// Votes of a warp on whether any lane has an operand that requires longer code for the products.
import type { MatrixForm } from '../../isa/fragments.ts';
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';
import { anySmall, anySpecial, anyTinyFactor, lostSubnormals } from './mma-subnormals.ts';
import { anyExtreme } from './mma-tensor-core-range.ts';
import { isMetadata } from './mma-tensor-core-words.ts';
import { anyInSubgroup } from './reductions.ts';
import { everywhere, type WarpValue, type WarpWriter } from './warp-writer.ts';

/** For each operand of the products: its words in every lane. */
export type OperandValues = Readonly<Record<'a' | 'b' | 'c', readonly WarpValue[]>>;

const wordsAt = (values: readonly WarpValue[], slot: Expr): readonly Expr[] =>
  values.map((value) => w.bitcast('u32', value.at(slot)));

/** Returns the words of the matrices A that contain elements. */
const elementsOf = (form: MatrixForm, a: readonly WarpValue[]): readonly WarpValue[] =>
  a.filter((_, index) => !isMetadata(form, index));

/** Returns 1 in all lanes if any lane of the subgroup sets its flag, and otherwise 0. */
function flagOf(writer: WarpWriter, hint: string, set: (flag: Expr, slot: Expr) => void): WarpValue {
  const flag = writer.variable('bool', hint);
  writer.eachSlot((slot) => set(flag.at(slot), slot));
  const isAny = w.ne(
    writer.ballot(`any_${hint}`, (slot) => flag.at(slot)),
    w.u32(0),
  );
  return everywhere(w.construct('u32', writer.plan.kind === 'wide' ? anyInSubgroup(writer, isAny) : isAny));
}

/**
 * Returns whether any lane has an operand that is special or extreme, as defined by `anyExtreme`.
 */
export const extremeTerms = (writer: WarpWriter, form: MatrixForm, { a, b, c }: OperandValues): WarpValue =>
  flagOf(writer, 'extreme', (flag, slot) => {
    const words = { a: wordsAt(elementsOf(form, a), slot), b: wordsAt(b, slot), c: wordsAt(c, slot) };
    writer.push(w.assign(flag, anyExtreme(form, words)));
  });

/**
 * Returns whether any lane has a factor or an addend that the adapter's arithmetic would lose.
 * Returns undefined if products of this form do not need a guard on this adapter.
 */
export function lostTerms(writer: WarpWriter, form: MatrixForm, { a, b, c }: OperandValues): WarpValue | undefined {
  const lost = writer.flushes ? lostSubnormals(form) : undefined;
  const unknown = c.filter((value) => value.isOrdinary?.() !== true);
  if (lost === undefined || (lost === 'addends' && unknown.length === 0)) return undefined;
  return flagOf(writer, 'special', (flag, slot) => {
    const own = wordsAt(unknown, slot);
    writer.push(w.assign(flag, own.length === 0 ? w.bool(false) : anySmall(own)));
    // Most lanes do not have a small addend other than +0.
    if (own.length > 0) writer.push(w.when(flag, [w.assign(flag, anySpecial(own))]));
    if (lost === 'terms') {
      const tiny = anyTinyFactor(form.types.a, wordsAt([...elementsOf(form, a), ...b], slot));
      writer.push(w.assign(flag, w.or(flag, tiny)));
    }
  });
}
