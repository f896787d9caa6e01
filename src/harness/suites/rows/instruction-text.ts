// The PTX text of an instruction, built from its row.

import { getOrInsert } from '../../../base/maps.ts';
import { destinations, type IsaRow, type Mods, type PtxType } from '../../../isa/index.ts';

/**
 * Returns every choice of a row's modifiers: each value of each slot, each optional flag absent and
 * present.
 */
export function modChoices(row: IsaRow): Mods[] {
  return modParts(row).reduce<Mods[]>(
    (choices, part) =>
      choices.flatMap((mods) => part.values.map((value) => (value === '' ? mods : { ...mods, [part.name]: value }))),
    [{}],
  );
}

/**
 * Returns the modifiers in the order of the opcode, then selectors and signs of operands: `up`,
 * `min.abs.NaN`, `a_b0`.
 */
export function modsText(row: IsaRow, mods: Mods): string {
  const marks = Object.keys(row.selectors ?? {}).map((name) => ({ name, before: `${name}_` }));
  return [...modParts(row).map(({ name }) => ({ name, before: '' })), ...marks]
    .flatMap(({ name, before }) => (mods[name] === undefined ? [] : [before + mods[name]]))
    .join('.');
}

/**
 * Returns an instruction's text. `operands` maps the row's operand names to texts, and may omit a
 * destination in brackets (`d[|p]`).
 */
export function instructionText(row: IsaRow, mods: Mods, operands: Readonly<Record<string, string>>): string {
  const [pattern = '', list = ''] = splitSyntax(row.syntax);
  const opcode = pattern.replace(/\{\.(\w+)\}|\.(\w+)/g, (text, flag?: string, part?: string) => {
    const name = flag ?? part ?? '';
    if (flag === undefined && row.where?.[name] === undefined) return text;
    const value = mods[name];
    return value === undefined ? '' : `.${value}`;
  });
  const items = list === '' ? [] : list.split(', ').map((item) => operandText(item, mods, operands));
  return `${opcode} ${items.join(', ')}`.trimEnd();
}

/**
 * Returns an instruction's text for any row. Omits operands in the syntax's brackets that have no
 * text. Address operands already contain their brackets.
 */
export function anyInstructionText(row: IsaRow, mods: Mods, operands: Readonly<Record<string, string>>): string {
  const [, list = ''] = splitSyntax(row.syntax);
  const given = list
    .replace(/\{, (\w+)\}/g, (_, name: string) => (operands[name] === undefined ? '' : `, ${name}`))
    .replace(/\[(\w+)\]/g, '$1');
  return instructionText({ ...row, syntax: `${splitSyntax(row.syntax)[0]} ${given}` }, mods, operands);
}

/** Returns an operand's name without marks: `a` for `{!}a` and `{-aneg}a{.asel}`. */
const nameIn = (item: string): string => item.replace(/\{[-.!]\w*\}/g, '');

/** Returns the required operands that the instruction reads, in order. */
export function sourceNames(row: IsaRow): string[] {
  const [, list = ''] = splitSyntax(row.syntax);
  const names = list
    .replace(/\{, \w+\}/g, '')
    .split(', ')
    .map(nameIn);
  return (list === '' ? [] : names).filter((name) => /^\w+$/.test(name) && !destinations(row).includes(name));
}

export function operandType(row: IsaRow, mods: Mods, name: string): string {
  const type: PtxType | string = row.types[name] ?? 'b32';
  const [, slot, doubled] = /^\.(\w+)(\*2)?$/.exec(type) ?? [];
  if (slot === undefined) return type;
  const held = mods[slot] ?? 'b32';
  return doubled === undefined ? held : `${held[0]}${Number(held.slice(1)) * 2}`;
}

function operandText(item: string, mods: Mods, operands: Readonly<Record<string, string>>): string {
  const text = (name: string): string => {
    const given = operands[name];
    if (given === undefined) throw new RangeError(`no text for operand ${name} of ${item}`);
    return given;
  };
  const pair = /^(\w+)(\[?)\|(\w+)\]?$/.exec(item);
  if (!pair) return `${markOf(item, /\{-(\w+)\}/, mods)}${text(nameIn(item))}${markOf(item, /\{\.(\w+)\}/, mods, '.')}`;
  const [, first = '', optional, second = ''] = pair;
  return optional === '[' && operands[second] === undefined ? text(first) : `${text(first)}|${text(second)}`;
}

/** Returns a sign or a selector; empty if the modifiers include none. */
function markOf(item: string, place: RegExp, mods: Mods, before = ''): string {
  const value = mods[place.exec(item)?.[1] ?? ''];
  return value === undefined ? '' : before + value;
}

export function splitSyntax(syntax: string): [string, string] {
  const space = syntax.indexOf(' ');
  return space < 0 ? [syntax, ''] : [syntax.slice(0, space), syntax.slice(space + 1)];
}

interface ModPart {
  readonly name: string;
  readonly values: readonly string[];
}

/**
 * The parts of each row's opcode. They are cached, because rows have thousands of choices, and each
 * of them needs the parts.
 */
const partsOfRows = new WeakMap<IsaRow, readonly ModPart[]>();

function modParts(row: IsaRow): readonly ModPart[] {
  return getOrInsert(partsOfRows, row, () => readModParts(row));
}

function readModParts(row: IsaRow): ModPart[] {
  const [pattern] = splitSyntax(row.syntax);
  return [...pattern.matchAll(/\{\.(\w+)\}|\.(\w+)/g)].flatMap(([, flag, part]) => {
    const name = flag ?? part ?? '';
    const slot = row.where?.[name];
    if (flag !== undefined) return [{ name, values: ['', ...(slot ?? [name])] }];
    return slot ? [{ name, values: slot }] : [];
  });
}
