// Builds wmma.load and wmma.store: each lane loads or stores its own elements of a matrix. PTX
// requires the same address and stride in all lanes, so no lane needs a value from another lane.
import { get, missing } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { Mods, WmmaMemoryName } from '../../isa/index.ts';
import { type Cell, type WmmaLayout, wmmaLayout, wmmaMatrix, wmmaStride } from '../../isa/wmma-fragments.ts';
import type { Instruction } from '../../ptx/ast.ts';
import type { Value } from '../ir/nodes.ts';
import { integerOf, type Type } from '../ir/types.ts';
import { type Location, locate } from './locate.ts';
import { addressOf, elementsOf, spaceOf } from './memory.ts';
import type { Registers } from './registers.ts';
import type { EffectRow } from './row-slots.ts';

/**
 * A distance in memory: `major` counts rows (or columns), `minor` counts elements within a row (or
 * column).
 */
interface Way {
  readonly major: number;
  readonly minor: number;
}

/** A matrix in memory, described by the modifiers. */
interface Matrix {
  readonly layout: WmmaLayout;
  readonly type: string;
  readonly bits: number;
  readonly stride: number;
  wayOf(cell: Cell): Way;
}

function matrixOf({ matrix: name, shape, type = '', layout: order }: Mods): Matrix {
  const matrix = wmmaMatrix(name);
  const own = wmmaLayout(matrix, shape, type);
  return {
    layout: own,
    type,
    bits: own.bits,
    stride: wmmaStride(matrix, shape, order),
    wayOf: ({ row, column }) => (order === 'row' ? { major: row, minor: column } : { major: column, minor: row }),
  };
}

/** Consecutive bits of memory that are together in a register. */
interface Piece {
  readonly way: Way;
  readonly bits: number;
}

/**
 * Returns the pieces of a register: one if its elements are consecutive in memory, otherwise one
 * per element.
 */
function piecesOf({ layout, bits, wayOf }: Matrix, register: number): readonly Piece[] {
  const { packed, positions } = layout;
  const ways = positions.slice(register * packed, (register + 1) * packed).map(wayOf);
  const [first] = ways;
  const follow = ways.every(({ major, minor }, index) => major === first?.major && minor === first.minor + index);
  return first !== undefined && follow ? [{ way: first, bits: bits * packed }] : ways.map((way) => ({ way, bits }));
}

/** Computes the places of the pieces in the current lane. */
class Walk {
  private readonly registers: Registers;
  private readonly matrix: Matrix;
  private readonly start: Location;
  private readonly type: Type;
  /** The number of bytes from one row, or column, to the next. */
  private readonly step: Value;
  private readonly starts = new Map<number, Value>();

  constructor(registers: Registers, instruction: Instruction, mods: Mods, matrix: Matrix) {
    const { b } = registers;
    this.registers = registers;
    this.matrix = matrix;
    this.start = locate(registers, addressOf(instruction), spaceOf(mods));
    const [index] = this.start.index;
    // Absent: the address of a variable has no index.
    this.type = index?.type ?? 'i64';
    const { stride } = instruction.operands;
    const elements = stride === undefined ? b.i32(matrix.stride) : registers.read(stride, 'i32');
    this.step = this.bytes(b.resize(elements, this.type));
    const { group, member } = matrix.layout;
    const lane = b.value('special', { name: '%laneid', type: 'i32' }, [], { hint: 'lane' });
    const own = b.iadd(this.along(b.lshrw(lane, b.i32(2)), group), this.along(b.and(lane, b.i32(3)), member));
    this.starts.set(0, index === undefined ? own : b.iadd(index, own));
  }

  private bytes(elements: Value): Value {
    const { b } = this.registers;
    const { bits } = this.matrix;
    return bits < 8 ? b.lshrw(elements, b.i32(Math.log2(8 / bits))) : b.imul(elements, b.int(this.type, bits / 8));
  }

  /** Builds the byte distance of `cell`, multiplied by a lane-dependent count. */
  private along(count: Value, cell: Cell): Value {
    const { b } = this.registers;
    const { major, minor } = this.matrix.wayOf(cell);
    const times = b.resize(count, this.type);
    const scaled = (by: number): Value => b.imul(times, b.int(this.type, by));
    return b.iadd(b.imul(scaled(major), this.step), scaled((minor * this.matrix.bits) / 8));
  }

  to({ major, minor }: Way): Location {
    const { b } = this.registers;
    const { place } = this.start;
    const offset = place.offset + (minor * this.matrix.bits) / 8;
    const first = get(this.starts, 0, 'the first row of a matrix');
    const jump = b.imul(b.int(this.type, major), this.step);
    if (jump.kind === 'constant') {
      return { place: { ...place, indexed: true, offset: offset + Number(jump.bits) }, index: [first] };
    }
    const start = getOrInsert(this.starts, major, () => b.iadd(first, jump));
    return { place: { ...place, indexed: true, offset }, index: [start] };
  }
}

const weak = { order: 'weak', scope: undefined, count: 1 } as const;

const typeOfPiece = ({ type }: Matrix, bits: number): Type =>
  type === 'f64' || type === 'f32' ? type : integerOf(bits);

/** Joins values into one. The first value is in the low bits. */
function joined(registers: Registers, parts: readonly Value[]): Value | undefined {
  let left = parts;
  while (left.length > 1) {
    left = left.flatMap((low, index) => {
      const high = left[index + 1];
      return index % 2 === 0 && high !== undefined ? [registers.b.join(low, high)] : [];
    });
  }
  return left[0];
}

function split(registers: Registers, value: Value, count: number): readonly Value[] {
  let parts: readonly Value[] = [value];
  while (parts.length < count) parts = parts.flatMap((part) => registers.b.split(part));
  return parts;
}

const load: EffectRow = (mods) => {
  const matrix = matrixOf(mods);
  return (registers, instruction) => {
    const walk = new Walk(registers, instruction, mods, matrix);
    const loaded = new Map<string, Value>();
    const loadPiece = ({ way, bits }: Piece): Value => {
      const key = `${way.major} ${way.minor}`;
      const { place, index } = walk.to(way);
      const value =
        loaded.get(key) ??
        registers.b.emit('load', { ...weak, place, type: typeOfPiece(matrix, bits), aligned: true }, index)[0] ??
        missing('the result of a load');
      loaded.set(key, value);
      return value;
    };
    const operands = elementsOf(instruction.operands.d);
    // Load everything before writing a register, because the address may be in one of the written
    // registers.
    const values = operands.map((_, register) => joined(registers, piecesOf(matrix, register).map(loadPiece)));
    operands.forEach((operand, register) => {
      const value = values[register];
      if (value) registers.write(operand, value, false);
    });
  };
};

const store: EffectRow = (mods) => {
  const matrix = matrixOf(mods);
  return (registers, instruction) => {
    const walk = new Walk(registers, instruction, mods, matrix);
    elementsOf(instruction.operands.b).forEach((operand, register) => {
      if (operand === undefined) return;
      const pieces = piecesOf(matrix, register);
      const whole = registers.read(operand, typeOfPiece(matrix, Math.max(matrix.bits, 32)));
      split(registers, whole, pieces.length).forEach((value, part) => {
        const piece = pieces[part];
        if (piece === undefined) return;
        const { place, index } = walk.to(piece.way);
        registers.b.emit('store', { ...weak, place, type: typeOfPiece(matrix, piece.bits) }, [...index, value]);
      });
    });
  };
};

export const wmmaMemory: Readonly<Record<WmmaMemoryName, EffectRow>> = {
  'wmma.load': load,
  'wmma.store': store,
};
