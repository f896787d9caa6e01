// The parts of the compiler that a page loads on use.
import { expect, test } from 'vitest';
import { Part } from '../../../src/base/part.ts';
import { isaRows } from '../../../src/isa/index.ts';
import { rareLaneRows } from '../../../src/translate/build/lane/rare.ts';
import { partsOnUse } from '../../../src/translate/parts/load.ts';

/** Returns the parts that a text needs. */
const partsFor = (ptx: string): readonly string[] =>
  partsOnUse.flatMap(({ name, needs }) => (needs.test(ptx) ? [name] : []));

test.each([
  ['add.rn.f64', ['helpers', 'doubles']],
  ['tanh.approx.f16x2', ['helpers', 'lanes']],
  ['wmma.load.a.sync.aligned.row.m16n16k16.f16', ['helpers', 'matrices', 'lanes']],
  ['ldmatrix.sync.aligned.m8n8.x4.shared.b16', ['matrices']],
  ['vadd.s32.s32.s32', ['lanes']],
  ['add.rn.f32', []],
  ['shfl.sync.bfly.b32', []],
  ['ld.global.b64', []],
])('a module with %s loads %j', (opcode, parts) => {
  expect(partsFor(`${opcode} d, a;`)).toEqual(parts);
});

/** Returns an opcode for each value of each slot of a row, with the first values of the others. */
function opcodesOf({ syntax, where = {} }: (typeof isaRows)[number]): readonly string[] {
  const opcode = syntax.split(' ')[0] ?? '';
  const written = (chosen: string, value: string) =>
    opcode
      .replace(/\{[^}]*\}/g, '')
      .replace(/\.(\w+)/g, (_, name: string) => `.${name === chosen ? value : (where[name]?.[0] ?? name)}`);
  return [
    written('', ''),
    ...Object.entries(where).flatMap(([name, values]) => values.map((value) => written(name, value))),
  ];
}

test.each(isaRows.filter(({ name }) => Object.hasOwn(rareLaneRows, name)))(
  'every form of $name loads its builder',
  (row) => {
    const missed = opcodesOf(row).filter((opcode) => !partsFor(opcode).includes('lanes'));
    expect(missed).toEqual([]);
  },
);

test('every matrix row loads the matrices', () => {
  const missed = isaRows.filter(({ kind, syntax }) => kind === 'matrix' && !partsFor(syntax).includes('matrices'));
  expect(missed.map(({ name }) => name)).toEqual([]);
});

test('a part that is not loaded is an internal error', () => {
  expect(() => new Part<object>('matrices').content).toThrow('the part `matrices` of the compiler is not loaded');
});
