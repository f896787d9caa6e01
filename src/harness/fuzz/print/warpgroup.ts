// Prints products of warpgroups, at places that all threads of a block of four warps reach. Factors
// are 1 or -1 or whole numbers, so every order of the additions has the same sum.
import { get } from '../../../base/invariants.ts';
import { type ElementType, matrixForm } from '../../../isa/fragments.ts';
import { type IsaRow, type Mods, wgmmaRows } from '../../../isa/index.ts';
import { groupWarps } from '../../../isa/limits.ts';
import { vectorType } from '../../../isa/match.ts';
import { columnsOf, partMods } from '../../../isa/wgmma.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { withSelector } from '../../suites/matrix/selectors.ts';
import { descriptorBits, drawLayout, type SharedLayout, sharedSize } from '../../suites/matrix/shared-layout.ts';
import { random } from '../../suites/random.ts';
import { anyInstructionText, modChoices } from '../../suites/rows/instruction-text.ts';
import type { WarpgroupStatement } from '../kernels/tree.ts';
import { allLanes, type Place } from './masks.ts';
import { nth } from './phase.ts';
import type { Printing } from './printing.ts';
import { fillTiles, type Pattern, tilesBytes } from './tile.ts';
import type { Writer } from './writer.ts';

/** A kernel has registers for so many columns. */
const maxColumns = 32;
const rowsOfA = 64;
const room = tilesBytes / 2;

const choices = new Map<string, readonly [row: IsaRow, mods: readonly Mods[]]>(
  wgmmaRows.map((row: IsaRow) => [
    row.name,
    [row, modChoices(row).filter((mods) => columnsOf(mods) <= maxColumns && objectionTo(row, mods) === undefined)],
  ]),
);

/** Words of factors: 1 or -1 for types of floating point, otherwise any bits. */
const patterns: Readonly<Partial<Record<ElementType, Pattern>>> = {
  f16: { and: 0x80008000, or: 0x3c003c00 },
  bf16: { and: 0x80008000, or: 0x3f803f80 },
  tf32: { and: 0x80000000, or: 0x3f800000 },
  e4m3: { and: 0x80808080, or: 0x38383838 },
  e5m2: { and: 0x80808080, or: 0x3c3c3c3c },
};
const patternOf = (type: ElementType): Pattern => patterns[type] ?? { and: -1, or: 0 };
/** The addends that floating-point sums begin with: 2 in every element. */
const addends: Readonly<Partial<Record<ElementType, string>>> = { f32: '0f40000000', f16: '0x40004000' };

export function printWarpgroup(
  printing: Printing,
  { row: name, d, from, form }: WarpgroupStatement,
  { mask }: Place,
): void {
  const { writer, threads, everyLaneLives } = printing;
  if (threads !== 32 * groupWarps || !everyLaneLives || mask.bits !== allLanes) return;
  const [row, possible] = get(choices, name, 'a row');
  const mods = nth(possible, form);
  const rng = random(form, 'warpgroup');
  const part = withSelector(partMods(mods), from);
  const matrix = matrixForm(part);
  const { types } = matrix;
  const isKMajor = () => row.types.transb === undefined || rng.chance(0.5);
  const a = rng.chance(0.5) ? undefined : drawLayout(sharedSize(matrix, 'a', rowsOfA), isKMajor(), room, rng);
  const b = drawLayout(sharedSize(matrix, 'b', columnsOf(mods)), isKMajor(), room, rng);
  fillTiles(printing, 0, room, patternOf(types.a), form);
  fillTiles(printing, room, tilesBytes, patternOf(types.b), form ^ -1);
  const { type, count } = vectorType(row, 'd', mods);
  const sums = Array.from({ length: count }, () => writer.temporary(type === 'f32' ? 'f' : 'r'));
  const addend = addends[types.d];
  for (const [index, sum] of sums.entries())
    writer.line(`mov.b32 ${sum}, ${addend ?? writer.register('r', from + index)}`);
  const factor = a === undefined ? registersOfA(writer, patternOf(types.a), from) : descriptor(writer, a, 0);
  const scaled = writer.temporary('p');
  writer.line(`setp.${rng.chance(0.7) ? 'lt' : 'ge'}.u32 ${scaled}, %thread, ${threads}`);
  const sign = () => (rng.chance(0.3) ? '-1' : '1');
  const order = ({ isKMajor }: SharedLayout) => (isKMajor ? '0' : '1');
  const texts = {
    d: `{${sums.join(', ')}}`,
    a: factor,
    b: descriptor(writer, b, room),
    ...(part.selector === undefined ? {} : { e: metadata(writer, types.a, from + 4), f: part.selector }),
    scaled,
    ...(row.types.signa === undefined ? {} : { signa: sign(), signb: sign() }),
    ...(row.types.transb === undefined || a === undefined ? {} : { transa: order(a) }),
    ...(row.types.transb === undefined ? {} : { transb: order(b) }),
  };
  writer.line('fence.proxy.async');
  writer.line('bar.sync 0');
  writer.line('wgmma.fence.sync.aligned');
  writer.line(anyInstructionText(row, mods, texts));
  writer.line('wgmma.commit_group.sync.aligned');
  writer.line('wgmma.wait_group.sync.aligned 0');
  const [total, word] = [writer.register('r', d), writer.temporary('r')];
  for (const sum of sums) {
    writer.line(`mov.b32 ${word}, ${sum}`);
    writer.line(`mad.lo.u32 ${total}, ${total}, 31, ${word}`);
  }
  writer.line('bar.sync 0');
}

/**
 * Prints code that makes a word of metadata from a register. In each four bits, the first index is 0
 * or 1, and the second 2 or 3. For tf32, they are the indexes of the halves of an element: 4 or 14.
 */
export function metadata(writer: Writer, type: ElementType, from: number): string {
  const word = writer.temporary('r');
  const isTf32 = type === 'tf32';
  writer.line(`and.b32 ${word}, ${writer.register('r', from)}, ${isTf32 ? '0x11111111' : '0x55555555'}`);
  if (isTf32) writer.line(`mul.lo.u32 ${word}, ${word}, 10`);
  writer.line(`or.b32 ${word}, ${word}, ${isTf32 ? '0x44444444' : '0x88888888'}`);
  return word;
}

/** Prints code that makes words of A from registers. */
function registersOfA(writer: Writer, { and, or }: Pattern, from: number): string {
  const words = [0, 1, 2, 3].map((index) => {
    const word = writer.temporary('r');
    writer.line(`and.b32 ${word}, ${writer.register('r', from + index)}, ${and >>> 0}`);
    writer.line(`or.b32 ${word}, ${word}, ${or >>> 0}`);
    return word;
  });
  return `{${words.join(', ')}}`;
}

/** Prints code that makes a descriptor of a matrix at byte `at` of the memory. */
function descriptor(writer: Writer, { descriptor: own }: SharedLayout, at: number): string {
  const [start, bits] = [writer.temporary('r'), writer.temporary('d')];
  writer.line(`add.u32 ${start}, ${writer.provide('tiles')}, ${at + own.start}`);
  writer.line(`bfe.u32 ${start}, ${start}, 4, 14`);
  writer.line(`cvt.u64.u32 ${bits}, ${start}`);
  writer.line(`or.b64 ${bits}, ${bits}, 0x${descriptorBits(own).toString(16)}`);
  return bits;
}
