// Selectors and signs of operands for generated instructions.
import { type IsaRow, type Mods, selectors } from '../../../isa/index.ts';
import { operandObjection } from '../../../ptx/checks/constraints.ts';

/** Returns a pseudorandom number from two numbers. */
const mixed = (n: number, salt: number): number =>
  (Math.imul(Math.imul(n + 1, 0x9e37_79b1) ^ Math.imul(salt + 1, 0x85eb_ca6b), 0xc2b2_ae35) >>> 12) & 0xffff;

const optionalNames = (row: IsaRow): string[] => [...row.syntax.matchAll(/\{, (\w+)\}/g)].map(([, name = '']) => name);

/**
 * Returns the reason why the instruction requires its optional operands; undefined if it does not.
 */
const objectionWithout = (row: IsaRow, mods: Mods): string | undefined =>
  operandObjection(row, mods, (name) => !optionalNames(row).includes(name));

/** Whether the modifiers are compatible, with or without the optional operands. */
const isPossible = (row: IsaRow, mods: Mods): boolean =>
  objectionWithout(row, mods) === undefined || operandObjection(row, mods, () => true) === undefined;

/**
 * Adds selectors and signs for the row's operands to an opcode's modifiers. For one in three values
 * of `n`, adds none.
 */
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

/** Returns the row with only the optional operands that the modifiers require. */
export function shaped<Row extends IsaRow>(row: Row, mods: Mods): Row {
  const isNeeded = objectionWithout(row, mods) !== undefined;
  return { ...row, syntax: row.syntax.replace(/\{, (\w+)\}/g, isNeeded ? ', $1' : '') };
}
