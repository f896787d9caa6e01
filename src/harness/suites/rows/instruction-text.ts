// PTX text of an instruction, from its row.
import { destinations, type IsaRow, type Mods, type PtxType } from '../../../isa/index.ts';

/// Every choice of a row's modifiers: each value of each slot, each optional flag absent and present.
export function modChoices(row: IsaRow): Mods[] {
  return modParts(row).reduce<Mods[]>(
    (choices, part) =>
      choices.flatMap((mods) => part.values.map((value) => (value === '' ? mods : { ...mods, [part.name]: value }))),
    [{}],
  );
}

/// `up`, `min.abs.NaN`: the modifiers as they stand in the opcode.
export function modsText(row: IsaRow, mods: Mods): string {
  return modParts(row)
    .map(({ name }) => mods[name])
    .filter((value) => value !== undefined)
    .join('.');
}

/// `operands` are texts by the row's operand names; a destination in brackets (`d[|p]`) may be left out.
export function instructionText(row: IsaRow, mods: Mods, operands: Readonly<Record<string, string>>): string {
  const [pattern = '', list = ''] = splitSyntax(row.syntax);
  const opcode = pattern.replace(/\{\.(\w+)\}|\.(\w+)/g, (text, flag?: string, part?: string) => {
    const name = flag ?? part ?? '';
    if (flag === undefined && row.where?.[name] === undefined) return text;
    const value = mods[name];
    return value === undefined ? '' : `.${value}`;
  });
  const items = list.split(', ').map((item) => operandText(item, operands));
  return `${opcode} ${items.join(', ')}`.trimEnd();
}

/// As `instructionText`, for any row: operands that the syntax has in brackets are left out where there is no text for them, and what
/// is an address stands in its brackets already.
export function anyInstructionText(row: IsaRow, mods: Mods, operands: Readonly<Record<string, string>>): string {
  const [, list = ''] = splitSyntax(row.syntax);
  const given = list
    .replace(/\{, (\w+)\}/g, (_, name: string) => (operands[name] === undefined ? '' : `, ${name}`))
    .replace(/\[(\w+)\]/g, '$1');
  return instructionText({ ...row, syntax: `${splitSyntax(row.syntax)[0]} ${given}` }, mods, operands);
}

/// The operands that the instruction reads, in order.
export function sourceNames(row: IsaRow): string[] {
  const [, list = ''] = splitSyntax(row.syntax);
  const names = list.split(', ').map((item) => item.replace('{!}', ''));
  return (list === '' ? [] : names).filter((name) => /^\w+$/.test(name) && !destinations(row).includes(name));
}

export function operandType(row: IsaRow, mods: Mods, name: string): string {
  const type: PtxType | string = row.types[name] ?? 'b32';
  return type.startsWith('.') ? (mods[type.slice(1)] ?? 'b32') : type;
}

function operandText(item: string, operands: Readonly<Record<string, string>>): string {
  const text = (name: string): string => {
    const given = operands[name];
    if (given === undefined) throw new RangeError(`no text for operand ${name} of ${item}`);
    return given;
  };
  const pair = /^(\w+)(\[?)\|(\w+)\]?$/.exec(item);
  if (!pair) return text(item.replace('{!}', ''));
  const [, first = '', optional, second = ''] = pair;
  return optional === '[' && operands[second] === undefined ? text(first) : `${text(first)}|${text(second)}`;
}

function splitSyntax(syntax: string): [string, string] {
  const space = syntax.indexOf(' ');
  return space < 0 ? [syntax, ''] : [syntax.slice(0, space), syntax.slice(space + 1)];
}

function modParts(row: IsaRow): { name: string; values: readonly string[] }[] {
  const [pattern] = splitSyntax(row.syntax);
  return [...pattern.matchAll(/\{\.(\w+)\}|\.(\w+)/g)].flatMap(([, flag, part]) => {
    const name = flag ?? part ?? '';
    const slot = row.where?.[name];
    if (flag !== undefined) return [{ name, values: ['', ...(slot ?? [name])] }];
    return slot ? [{ name, values: slot }] : [];
  });
}
