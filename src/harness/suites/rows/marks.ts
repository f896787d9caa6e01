// Selectors and signs of operands for instructions that are made up.
import { type IsaRow, type Mods, selectors } from '../../../isa/index.ts';
import { operandObjection } from '../../../ptx/checks/constraints.ts';

/** A number that looks random, of two. */
const mixed = (n: number, salt: number): number =>
  (Math.imul(Math.imul(n + 1, 0x9e37_79b1) ^ Math.imul(salt + 1, 0x85eb_ca6b), 0xc2b2_ae35) >>> 12) & 0xffff;

const optionalNames = (row: IsaRow): string[] => [...row.syntax.matchAll(/\{, (\w+)\}/g)].map(([, name = '']) => name);

/** Why the instruction cannot be without its optional operands, if it cannot. */
const objectionWithout = (row: IsaRow, mods: Mods): string | undefined =>
  operandObjection(row, mods, (name) => !optionalNames(row).includes(name));

/** Whether the modifiers go together, with optional operands or without. */
const isPossible = (row: IsaRow, mods: Mods): boolean =>
  objectionWithout(row, mods) === undefined || operandObjection(row, mods, () => true) === undefined;

/** An opcode's modifiers with selectors and signs for its row's operands: of the numbers from 0 on, each third has none. */
export function withMarks(row: IsaRow, mods: Mods, n: number): Mods {
  if (row.selectors === undefined || n % 3 === 2) return mods;
  let all = mods;
  for (const [index, [name, kind]] of Object.entries(row.selectors).entries()) {
    const draw = mixed(n, index);
    const marked = { ...all, [name]: selectors[kind].nth(mixed(n, index + 100)) };
    if (draw % 3 !== 0 && isPossible(row, marked)) all = marked;
  }
  return all;
}

/** The row with those of its optional operands that the modifiers ask for, and without the others. */
export function shaped<Row extends IsaRow>(row: Row, mods: Mods): Row {
  const isNeeded = objectionWithout(row, mods) !== undefined;
  return { ...row, syntax: row.syntax.replace(/\{, (\w+)\}/g, isNeeded ? ', $1' : '') };
}
