// Prints matrix instructions of whole warps, at places that all lanes reach. Results are in
// temporaries, because a kernel has too few registers. All results are combined into one register.
import { at, missing } from '../../../base/invariants.ts';
import { elementType } from '../../../isa/element-types.ts';
import { destinations, type IsaRow, type Mods } from '../../../isa/index.ts';
import { vectorType } from '../../../isa/match.ts';
import { wmmaExtent, wmmaLayout, wmmaMatrix } from '../../../isa/wmma-fragments.ts';
import { withSelector } from '../../suites/matrix/selectors.ts';
import { anyInstructionText } from '../../suites/rows/instruction-text.ts';
import { type MatrixTemplate, memoryBytes } from '../kernels/matrix-templates.ts';
import { elementBitsOf, needsHopper, patternOf, type WordPattern } from '../kernels/matrix-values.ts';
import type { MatrixStatement } from '../kernels/tree.ts';
import { allLanes, type Place } from './masks.ts';
import type { Printing } from './printing.ts';
import { metadata } from './warpgroup.ts';
import type { Writer } from './writer.ts';

export function printMatrix(printing: Printing, statement: MatrixStatement, { quiet, mask }: Place): void {
  const { writer, everyLaneLives } = printing;
  if (quiet || mask.bits !== allLanes || !everyLaneLives) return;
  const { template, d } = statement;
  const { row, mods, memory } = template;
  const written = new Set(destinations(row));
  const texts: Record<string, string> = {};
  const results: string[] = [];
  const registers = registersOf(statement, writer);
  let isWide = false;
  // Other lanes use the same memory.
  const isShared = memory === 'cells' || memory === 'buffer';
  if (isShared) writer.line(barrier);
  for (const [name, type] of Object.entries(row.types)) {
    if (type === 'address') texts[name] = `[${addressOf(writer, statement)}]`;
    if (name === 'stride' && statement.from % 2 === 1) texts[name] = strideOf(writer, template, statement.step);
    if (name === 'e') texts.e = metadata(writer, elementType(mods.atype), statement.from);
    if (name === 'f')
      texts.f = withSelector(mods, statement.step).selector ?? missing('the selector of a sparse product');
    if (name === 'stride' || name === 'e' || name === 'f' || type === 'address') continue;
    const vector = type === 'vector' ? vectorType(row, name, mods) : { type: 'b32', count: 1 };
    const register = vector.type === 'f64' ? 'd' : 'r';
    const names = written.has(name)
      ? Array.from({ length: vector.count }, () => writer.temporary(register))
      : sourcesOf(writer, statement, name, vector.count, () => registers(register));
    texts[name] = type === 'vector' ? `{${names.join(', ')}}` : (names[0] ?? '');
    if (!written.has(name)) continue;
    results.push(...names);
    isWide = register === 'd';
  }
  writer.line(anyInstructionText(row, mods, texts));
  if (isShared) writer.line(barrier);
  if (!needsHopper(statement.values)) withoutNegativeZeros(writer, template, results);
  if (results.length === 0) return;
  const sum = writer.register(isWide ? 'd' : 'r', d);
  for (const result of results) writer.line(`mad.lo.u${isWide ? 64 : 32} ${sum}, ${sum}, 31, ${result}`);
}

const barrier = 'bar.warp.sync 0xffffffff';

/**
 * Emits the stride between rows or columns. It is as large as the memory permits, with a gap
 * between rows.
 */
function strideOf(writer: Writer, { mods, memory }: MatrixTemplate, step: number): string {
  const { matrix, shape, type } = mods;
  const { rows, columns } = wmmaExtent(wmmaMatrix(matrix ?? 'd'), shape);
  const [lines, length] = mods.layout === 'row' ? [rows, columns] : [columns, rows];
  const { bits } = wmmaLayout(wmmaMatrix(matrix ?? 'd'), shape, type);
  const hasRoom = memory !== undefined && ((2 * lines - 1) * length * bits) / 8 <= memoryBytes[memory];
  const stride = hasRoom ? 2 * length : length;
  if (step % 2 === 0) return `${stride}`;
  const register = writer.temporary('r');
  writer.line(`mov.u32 ${register}, ${stride}`);
  return register;
}

/** Returns a function that yields the kernel's registers in turn. */
function registersOf({ from, step }: MatrixStatement, writer: Writer): (name: 'r' | 'd') => string {
  let next = from;
  return (name) => {
    next += step;
    return writer.register(name, next);
  };
}

/**
 * Returns the registers of an operand that is read. Floating-point products restrict the values.
 */
function sourcesOf(
  writer: Writer,
  { template: { row, mods }, values }: MatrixStatement,
  name: string,
  count: number,
  next: () => string,
): string[] {
  const type = elementOf(row, mods, name);
  const pattern = patternOf(values, name, type, elementOf(row, mods, 'a'));
  if (pattern === undefined) return Array.from({ length: count }, next);
  const different = Math.min(count, differentRegisters(row, mods, name));
  const isMirrored = pattern.change === 'copied' || pattern.change === 'negated';
  // The patterns of these registers alternate along K, which is the order of the registers' halves.
  const isAlternating = pattern.words.length > 1 && needsHopper(values) && name !== 'c';
  const names: string[] = [];
  for (let index = 0; index < different; index++) {
    const turn = isAlternating ? Math.floor((2 * index) / different) : index;
    const { kept, set } = at(pattern.words, turn % pattern.words.length, 'the pattern of a word');
    const before = isAlternating && isMirrored && turn > 0 ? names[index - Math.floor(different / 2)] : undefined;
    names.push(
      before === undefined
        ? wordOf(writer, { kept, set }, next)
        : changed(writer, `xor.b32 RESULT, ${before}, ${pattern.change === 'negated' ? '0x80000000' : '0'}`),
    );
  }
  const bits = elementBitsOf(type);
  const made = names.map((word) => {
    if (pattern.change === 'specials') return withSpecials(writer, word, next());
    return isMirrored && bits < 32 ? mirrored(writer, word, bits, pattern.change === 'negated') : word;
  });
  return Array.from({ length: count }, (_, index) => at(made, index % made.length, 'a register of an operand'));
}

/** Emits an instruction with a new register as its result. */
function changed(writer: Writer, text: string): string {
  const result = writer.temporary('r');
  writer.line(text.replace('RESULT', result));
  return result;
}

const hex = (value: number): string => `0x${value.toString(16)}`;

function wordOf(writer: Writer, { kept, set }: WordPattern, next: () => string): string {
  const word = changed(writer, `and.b32 RESULT, ${next()}, ${hex(kept)}`);
  if (set !== 0) writer.line(`or.b32 ${word}, ${word}, ${hex(set)}`);
  return word;
}

/**
 * Copies the elements with even numbers to those with odd numbers. With `isNegated`, changes the
 * signs of the copies.
 */
function mirrored(writer: Writer, word: string, bits: number, isNegated: boolean): string {
  const copy = changed(writer, `prmt.b32 RESULT, ${word}, 0, ${bits === 8 ? '0x2200' : '0x1010'}`);
  return isNegated ? changed(writer, `xor.b32 RESULT, ${copy}, ${bits === 8 ? '0x80008000' : '0x80000000'}`) : copy;
}

/** Emits a word that is `raw` in one of sixteen cases, and otherwise `word`. */
function withSpecials(writer: Writer, word: string, raw: string): string {
  const isRaw = changed(writer, `and.b32 RESULT, ${raw}, 15`);
  writer.line(`sub.u32 ${isRaw}, ${isRaw}, 1`);
  writer.line(`shr.s32 ${isRaw}, ${isRaw}, 31`);
  const difference = changed(writer, `xor.b32 RESULT, ${word}, ${raw}`);
  writer.line(`and.b32 ${difference}, ${difference}, ${isRaw}`);
  return changed(writer, `xor.b32 RESULT, ${word}, ${difference}`);
}

/** Returns the type of an operand's elements in a floating-point product. */
function elementOf(row: IsaRow, { atype = 'f16', btype = 'f16', ctype = '', dtype }: Mods, name: string): string {
  if (!/^(?:wmma\.)?mma\./.test(row.name) || (dtype !== 'f16' && dtype !== 'f32')) return '';
  return { a: atype, b: btype, c: ctype }[name] ?? '';
}

/**
 * Returns the number of registers with different elements. f16 factors of wmma have eight
 * registers, some of which contain the same elements.
 */
function differentRegisters(row: IsaRow, { shape, atype = 'f16' }: Mods, name: string): number {
  if (!row.name.startsWith('wmma.') || (name !== 'a' && name !== 'b')) return Number.POSITIVE_INFINITY;
  const { positions, packed } = wmmaLayout(wmmaMatrix(name), shape, atype);
  return new Set(positions.map(({ row: i, column: j }) => `${i} ${j}`)).size / packed;
}

/**
 * Replaces negative zeros in the results, because the sign of a sum of zeros depends on the order
 * of the additions.
 */
function withoutNegativeZeros(writer: Writer, { row, mods }: MatrixTemplate, results: readonly string[]): void {
  if (elementOf(row, mods, 'c') === '') return;
  const zero = writer.temporary('r');
  writer.line(`mov.b32 ${zero}, 0`);
  for (const result of results)
    writer.line(`add.rn.${mods.dtype === 'f16' ? 'f16x2' : 'f32'} ${result}, ${result}, ${zero}`);
}

/** Emits an address: the same in all lanes, or, in each lane, the address of a row of 16 bytes. */
function addressOf(writer: Writer, { template: { row, mods, memory }, from }: MatrixStatement): string {
  if (memory === 'input') return writer.provide('base');
  const lane = writer.provide('lane');
  const isBuffer = memory === 'buffer';
  const address = writer.temporary(isBuffer ? 'd' : 'r');
  const own = writer.provide(isBuffer ? 'mem' : 'cell');
  if (isBuffer) {
    const offset = writer.temporary('d');
    writer.line(`mul.wide.u32 ${offset}, ${lane}, 32`);
    writer.line(`sub.u64 ${address}, ${own}, ${offset}`);
    return address;
  }
  writer.line(`shl.b32 ${address}, ${lane}, 4`);
  writer.line(`sub.u32 ${address}, ${own}, ${address}`);
  if (row.name.startsWith('wmma.')) return address;
  // Each lane stores to a separate row. Loads may use any row.
  const line = writer.temporary('r');
  if (row.name === 'stmatrix') writer.line(`xor.b32 ${line}, ${lane}, ${from % 32}`);
  else writer.line(`and.b32 ${line}, ${writer.register('r', from)}, 31`);
  writer.line(`mad.lo.u32 ${address}, ${line}, 16, ${address}`);
  if (mods.space !== undefined) return address;
  const generic = writer.temporary('d');
  writer.line(`cvt.u64.u32 ${generic}, ${address}`);
  writer.line(`cvta.shared.u64 ${generic}, ${generic}`);
  return generic;
}
