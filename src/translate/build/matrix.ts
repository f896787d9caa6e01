// Matrix instructions. A product is one operation of the whole warp. Loads, stores and
// transpositions become exchanges of words and accesses to words.
import { fragmentVectors, type MatrixOperand } from '../../isa/fragments.ts';
import { eachMma, type MatrixRowName, type MmaRowName, type Mods } from '../../isa/index.ts';
import type { Instruction, Operand } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { Value } from '../ir/nodes.ts';
import type { Type } from '../ir/types.ts';
import { locate } from './locate.ts';
import type { Registers } from './registers.ts';
import type { InstructionBuild } from './row-slots.ts';
import { typeOf } from './types.ts';

type MatrixRow = (mods: Mods, row: MatrixRowName) => InstructionBuild;

/** Returns the registers of an operand in braces. */
function registersOf({ operands, span }: Instruction, name: string): readonly Operand[] {
  const operand = operands[name];
  return operand?.kind === 'vector'
    ? operand.elements
    : refuse(compileDiagnostics.notSupported('a matrix operand that is not a vector'), span);
}

/** Reads the words of a matrix whose registers have the given type. */
export function readWords(registers: Registers, instruction: Instruction, name: string, type: Type): readonly Value[] {
  const { b } = registers;
  return registersOf(instruction, name).flatMap((operand): readonly Value[] => {
    const value = registers.read(operand, type);
    return type === 'f64' ? b.split(b.bitcast(value, 'i64')) : [b.bitcast(value, 'i32')];
  });
}

/** Writes the words of the result matrix D. */
export function writeWords(registers: Registers, instruction: Instruction, type: Type, words: readonly Value[]): void {
  const { b } = registers;
  const wide = type === 'f64';
  registersOf(instruction, 'd').forEach((operand, index) => {
    const [low, high] = wide ? [words[2 * index], words[2 * index + 1]] : [words[index], undefined];
    if (low === undefined) return;
    const value = wide && high !== undefined ? b.join(low, high) : low;
    registers.write(operand, b.bitcast(value, type), false);
  });
}

/** Builds the words of D, from those of A, B and C. */
export const multiplyWords = (
  { b }: Registers,
  row: MmaRowName,
  mods: Mods,
  words: readonly Value[],
): readonly Value[] => b.emit('warp', { row, mods }, [...words, b.i32(-1)]);

/** Returns the types of the registers of A, B, C and D. */
export function registerTypes(mods: Mods): Readonly<Record<MatrixOperand, Type>> {
  const { a, b, c, d } = fragmentVectors(mods);
  return { a: typeOf(a.type), b: typeOf(b.type), c: typeOf(c.type), d: typeOf(d.type) };
}

const multiply =
  (row: MmaRowName) =>
  (mods: Mods): InstructionBuild => {
    const types = registerTypes(mods);
    return (registers, instruction) => {
      const read = (name: 'a' | 'b' | 'c') => readWords(registers, instruction, name, types[name]);
      const { metadata, selected } = sparsity(registers, instruction);
      const words = [...read('a'), ...metadata, ...read('b'), ...read('c')];
      writeWords(registers, instruction, types.d, multiplyWords(registers, row, { ...mods, ...selected }, words));
    };
  };

/** Returns the metadata of a sparse product, and its selector as a modifier. */
export function sparsity(registers: Registers, { operands: { e, f } }: Instruction) {
  if (e === undefined || f?.kind !== 'immediate') return { metadata: [], selected: {} };
  return { metadata: [registers.read(e, 'i32')], selected: { selector: `${f.bits}` } };
}

export const laneOf = ({ b }: Registers): Value =>
  b.value('special', { name: '%laneid', type: 'i32' }, [], { hint: 'lane' });

/** Builds the read of a word of another lane of the warp. */
function fetch({ b }: Registers, value: Value, lane: Value): Value {
  const args = [value, lane, b.i32(31), b.i32(-1)];
  return b.value('warp', { row: 'shfl.sync', mods: { mode: 'idx' } }, args);
}

/**
 * Builds the lane's word of the transposed 8x8 matrix. Lane 4r + t holds columns 2t and 2t + 1 of
 * row r. So it reads one half of each word that holds element r of rows 2t and 2t + 1.
 */
export function transposed(registers: Registers, word: Value): Value {
  const { b } = registers;
  const lane = laneOf(registers);
  const row = b.lshrw(lane, b.i32(2));
  const first = b.or(b.shlw(b.and(lane, b.i32(3)), b.i32(3)), b.lshrw(row, b.i32(1)));
  const shift = b.shlw(b.and(row, b.i32(1)), b.i32(4));
  const half = (source: Value) => b.and(b.lshrw(fetch(registers, word, source), shift), b.i32(0xffff));
  return b.or(half(first), b.shlw(half(b.iadd(first, b.i32(4))), b.i32(16)));
}

/**
 * Returns a shared-memory address as a word, and the place that it indexes. A generic address is
 * assumed to refer to shared memory, as in ldmatrix.
 */
function locateShared(registers: Registers, { operands: { a }, span }: Instruction, space: string | undefined) {
  const { b } = registers;
  if (a?.kind !== 'address') return refuse(compileDiagnostics.notSupported('an access without an address'), span);
  const { place, index } = locate(registers, a, 'shared');
  // Absent: a numeric address needs no index, because it is entirely in the offset.
  const [address = b.i32(0)] = index;
  // The address of a variable is already in shared memory.
  const isGeneric = space === undefined && a.base !== null && !('space' in a.base);
  const own = isGeneric ? b.value('cvta', { space: 'shared', direction: 'from-generic' }, [address]) : address;
  return { place: { ...place, indexed: true }, address: b.resize(own, 'i32') };
}

/**
 * Returns the places of the words that a lane holds, one for each matrix. Eight lanes hold the row
 * addresses of a matrix: lane r of them has the address of row r.
 */
function placesOf(registers: Registers, instruction: Instruction, count: number, space: string | undefined) {
  const { b } = registers;
  const { place, address } = locateShared(registers, instruction, space);
  const lane = laneOf(registers);
  const [row, within] = [b.lshrw(lane, b.i32(2)), b.shlw(b.and(lane, b.i32(3)), b.i32(2))];
  const attrs = { place, type: 'i32', order: 'weak', scope: undefined, count: 1, aligned: true } as const;
  return Array.from({ length: count }, (_, matrix) => {
    const source = matrix === 0 ? row : b.iadd(row, b.i32(8 * matrix));
    return { attrs, index: b.iadd(fetch(registers, address, source), within) };
  });
}

const load: MatrixRow = (mods) => (registers, instruction) => {
  const destinations = registersOf(instruction, 'd');
  const words = placesOf(registers, instruction, destinations.length, mods.space).map(({ attrs, index }) =>
    registers.b.value('load', attrs, [index]),
  );
  const results = mods.trans === undefined ? words : words.map((word) => transposed(registers, word));
  destinations.forEach((operand, index) => {
    const word = results[index];
    if (word) registers.write(operand, word, false);
  });
};

const store: MatrixRow = (mods) => (registers, instruction) => {
  const words = registersOf(instruction, 'b').map((operand) => registers.read(operand, 'i32'));
  const results = mods.trans === undefined ? words : words.map((word) => transposed(registers, word));
  placesOf(registers, instruction, words.length, mods.space).forEach(({ attrs, index }, matrix) => {
    const word = results[matrix];
    if (word) registers.b.emit('store', attrs, [index, word]);
  });
};

const move: MatrixRow =
  () =>
  (registers, { operands }) => {
    const { d, a } = operands;
    if (a !== undefined) registers.write(d, transposed(registers, registers.read(a, 'i32')), false);
  };

const rows: Readonly<Record<MatrixRowName, MatrixRow>> = {
  ...eachMma<MatrixRow>((mods, row) => multiply(row as MmaRowName)(mods)),
  ldmatrix: load,
  stmatrix: store,
  movmatrix: move,
};

export const matrixRow = (row: MatrixRowName, mods: Mods): InstructionBuild => rows[row](mods, row);
