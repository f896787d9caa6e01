// Video instructions, pairs of 16-bit integers and 8-bit conversions of the reference against the
// results of an H200: digests for drawn operands, or for all 16-bit values. Forms that ptxas
// compiles differently from the manual are excluded (docs/lab-notes/native-compiler.md).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { groupBy } from '../../../../src/base/group-by.ts';
import { laneFunctions } from '../../../../src/cpu-ref/index.ts';
import type { LaneRowName } from '../../../../src/isa/index.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { isLong } from '../../../effort.ts';

interface Recorded {
  /**
   * Keyed by the instruction on `A`, `B`, `C` (words), `AH` (16 bits), `FA`, `FB` (f32) and `D` or
   * `DH`.
   */
  readonly forms: Readonly<Record<string, string>>;
}
const recorded = JSON.parse(readFileSync(new URL('cpu-ref-video-h200.json', import.meta.url), 'utf8')) as Recorded;

type Operands = readonly [a: number, b: number, c: number];

const bytes = [0, 1, 0x7f, 0x80, 0xff, 0x40, 0x81, 0xfe];
const halves = [0, 1, 0x7fff, 0x8000, 0xffff, 0x80, 0x7f, 0xff];
const words = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x10000, 0x80, 31, 32, 33, 0x8000, 0xffff, 0xffff8000, 0xffffff80]; // biome-ignore format: a table

/**
 * Draws edges of words, halves and bytes, shift amounts, and random bits. The digests depend on
 * every bit.
 */
function drawn(): readonly Operands[] {
  let state = 12345;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
  const of = (list: readonly number[]): number => list[random() % list.length] ?? 0;
  const joined = (width: number, element: () => number): number => {
    let word = 0;
    for (let first = 0; first < 32; first += width) word |= element() << first;
    return word >>> 0;
  };
  const word = (operand: number): number => {
    const kind = random() & 7;
    if (kind < 2) return of(words);
    if (kind < 4) return joined(8, () => of(bytes));
    if (kind < 6) return joined(16, () => of(halves));
    if (kind === 6 && operand === 1) return random() % 70;
    return joined(16, () => random() & 0xffff);
  };
  return Array.from({ length: 2048 }, () => [word(0), word(1), word(2)]);
}

const every = Array.from({ length: 65536 }, (_, value) => value);
const other = (value: number): number => (Math.imul(value, 40503) + 7) & 0xffff;
const ends = [0, 1, 0x8000, 0xffff];
const endOf = (value: number): number => ends[value & 3] ?? 0;

const operandsOf = {
  words: drawn(),
  halves: every.map((i): Operands => [(i | (other(i) << 16)) >>> 0, 0, 0]),
  floats: every.map(
    (i): Operands => [((i << 16) | endOf(i ^ (i >> 7))) >>> 0, ((other(i) << 16) | endOf((i ^ (i >> 5)) + 1)) >>> 0, 0],
  ),
};

const kindOf = (form: string): keyof typeof operandsOf =>
  form.includes('FA') ? 'floats' : form.startsWith('cvt') ? 'halves' : 'words';

const isLaneRow = (name: string): name is LaneRowName => Object.hasOwn(laneFunctions, name);

function digestOf(form: string): string {
  const text = form.replace(/(?<=[ ,-])(DH?|[AF]?[ABC]H?)\b/g, (name) => `%${name.toLowerCase()}`);
  const { functions } = parsePtxOrThrow(`.version 9.0
.target sm_90
.address_size 64
.visible .entry k() {
  .reg .b32 %a, %b, %c, %d;
  .reg .f32 %fa, %fb;
  .reg .b16 %ah, %dh;
  ${text};
  ret;
}`);
  const [instruction] = functions[0]?.body ?? [];
  if (instruction?.kind !== 'instruction') throw new Error(`${form} is not an instruction`);
  const { row, mods, operands } = instruction;
  if (!isLaneRow(row.name)) throw new Error(`no lane row takes ${form}`);
  const compute = laneFunctions[row.name];
  const count = Object.keys(operands).length - 1;
  const results = operandsOf[kindOf(form)].map(([a, b, c]) => {
    const first = form.includes('AH') ? a & 0xffff : a;
    return Number(compute(mods, [first, b, c].slice(0, count))[0] ?? 0);
  });
  return createHash('sha256').update(Uint32Array.from(results)).digest('hex').slice(0, 8);
}

const rows = groupBy(Object.keys(recorded.forms), (form) => form.split('.')[0] ?? '');

/** A short run covers one form in twelve of each row. A long run covers all forms. */
test.each([...rows])('%s', (_, forms) => {
  const some = forms.filter((_form, index) => isLong || index % 12 === 0);
  const expected = some.map((form) => `${form}: ${recorded.forms[form]}`);
  expect(some.map((form) => `${form}: ${digestOf(form)}`)).toEqual(expected);
});

test('every instruction has forms', () => expect(rows.size).toBeGreaterThan(24));
