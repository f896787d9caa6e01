// Every form of every lane instruction: rows combined with the values of their slots and flags.

import { withMarks } from '../../src/harness/suites/rows/marks.ts';
import { type IsaRow, type LaneRowName, laneIsaRows, type Mods, type OperandType } from '../../src/isa/index.ts';
import { objectionTo, operandObjection } from '../../src/ptx/checks/constraints.ts';

export interface Operand {
  readonly name: string;
  /** The PTX type, with the row's slots resolved. */
  readonly type: string;
}

export interface Variant {
  /** The instruction, such as `add.u32` or `cvt.rn.f32.s64`. */
  readonly label: string;
  readonly row: LaneRowName;
  readonly mods: Mods;
  /** The sources; the carry is last. */
  readonly sources: readonly Operand[];
  /** The results; the carry is last. */
  readonly results: readonly Operand[];
}

export const variants: readonly Variant[] = laneIsaRows.flatMap((row) =>
  modsOf(row)
    .filter((mods) => objectionTo(row, mods) === undefined)
    .flatMap((mods, index) => shapesOf(row, withMarks(row, mods, index))),
);

/** Returns one set of modifiers for each combination of slots. Optional slots may be absent. */
function modsOf(row: IsaRow): Mods[] {
  const [mnemonic = ''] = row.syntax.split(' ');
  let all: Mods[] = [{}];
  const multiply = (slot: string, choices: readonly (string | undefined)[]): void => {
    all = all.flatMap((mods) => choices.map((choice) => (choice === undefined ? mods : { ...mods, [slot]: choice })));
  };
  for (const [slot, values] of Object.entries(row.where ?? {})) {
    multiply(slot, mnemonic.includes(`{.${slot}}`) ? [undefined, ...values] : values);
  }
  for (const [, flag = ''] of mnemonic.matchAll(/\{\.(\w+)\}/g)) {
    if (!row.where?.[flag]) multiply(flag, [undefined, flag]);
  }
  return all;
}

/** Returns the instruction with its optional operands and without them. */
function shapesOf(row: IsaRow & { readonly name: LaneRowName }, mods: Mods): Variant[] {
  const operands = row.syntax.slice(row.syntax.indexOf(' ') + 1);
  const [destination = '', ...rest] = operands.replaceAll(/\{[-.!]\w*\}/g, '').split(', ');
  const required = rest.map((name) => name.replace(/\{$/, '')).filter((name) => !name.endsWith('}'));
  const optional = rest.filter((name) => name.endsWith('}')).map((name) => name.slice(0, -1));
  const carry = (is: boolean | undefined): Operand[] => (is ? [{ name: 'carry', type: 'u32' }] : []);
  const operand = (name: string): Operand => ({ name, type: typeOf(row, mods, name) });
  const results = [
    ...destination
      .split(/[[\]|]/)
      .filter(Boolean)
      .map(operand),
  ];
  const carriesOut = row.carry?.out === true || (row.carry?.out === 'cc' && mods.cc !== undefined);
  const order = Object.values(mods).join('.');
  const extras = [[], ...(optional.length > 0 ? [optional] : [])].filter((extra) => {
    const names = [...required, ...extra];
    return operandObjection(row, mods, (name) => names.includes(name)) === undefined;
  });
  return extras.map((extra) => ({
    label: `${row.name}.${order}${extra.length > 0 ? ' (long)' : ''}`,
    row: row.name,
    mods,
    sources: [...[...required, ...extra].map(operand), ...carry(row.carry?.in)],
    results: [...results, ...carry(carriesOut)],
  }));
}

function typeOf(row: IsaRow, mods: Mods, name: string): string {
  const type: OperandType | undefined = row.types[name];
  if (type === undefined) throw new Error(`${row.name} has no operand ${name}`);
  const slot = /^\.(\w+?)(\*2)?$/.exec(type);
  if (!slot) return type;
  const held = mods[slot[1] ?? ''] ?? '';
  return slot[2] === undefined ? held : `${held[0]}${Number(held.slice(1)) * 2}`;
}
