// Subgroup matrices, for subgroups of 32. Lane i holds the elements i, i + 32, i + 64 and so on of
// a matrix in row order, one in each register. No builtin depends on that order.
// https://github.com/gpuweb/gpuweb/blob/main/proposals/subgroup-matrix.md

import type { MatrixMode } from '../../src/base/matrix-mode.ts';
import { tensorCorePlan, tensorCoreSum } from '../../src/cpu-ref/matrix/tensor-core.ts';
import { raise } from './error.ts';
import { compileAs, concrete, pointer } from './expressions.ts';
import { floatOfHalf, halfOfFloat, toBits, toFloat } from './float.ts';
import type { Lanes, Machine } from './machine.ts';
import { at, sequence } from './machine.ts';
import type { Builtin, CallNode, Env, Expr, Ref } from './program.ts';
import { elementCount, memoryIndex, readWord } from './references.ts';
import type * as ast from './syntax/ast.ts';
import { type MatrixType, matrixNamed, strideOf, typeName, u32, voidType } from './types.ts';
import { computed, isUniform } from './values.ts';

const lanes = 32;

let mode: MatrixMode = 'ieee';

/** Runs a function as an adapter whose matrices have the float sums of a mode. */
export function withMatrixSums<T>(sums: MatrixMode, run: () => T): T {
  const before = mode;
  mode = sums;
  try {
    return run();
  } finally {
    mode = before;
  }
}

const bytesOf: Readonly<Record<MatrixType['element'], number>> = { f16: 2, f32: 4, i32: 4, u32: 4, i8: 1, u8: 1 };

/** Returns the number that the bits of an element represent. */
function numberOf(element: MatrixType['element'], bits: number): number {
  switch (element) {
    case 'f16':
      return floatOfHalf(bits);
    case 'f32':
      return toFloat(bits);
    case 'i32':
      return bits | 0;
    case 'i8':
      return (bits << 24) >> 24;
    default:
      return bits;
  }
}

function operand(args: readonly ast.Expression[], index: number, node: CallNode): ast.Expression {
  return args[index] ?? raise(node, `${node.name} needs ${index + 1} arguments`);
}

/**
 * Throws unless all lanes of a subgroup of 32 execute a matrix operation, with the same operands.
 */
function check(node: CallNode, m: Machine, active: Lanes, uniform: readonly number[]): void {
  if (m.size !== lanes) raise(node, `${node.name}: the subgroup has ${m.size} invocations`);
  if (active.length !== m.all.length) raise(node, `${node.name} in divergent control flow`);
  if (!uniform.every((register) => isUniform(m, active, register)))
    raise(node, `${node.name}: an operand is not uniform`);
}

function needsFeature(env: Env, node: CallNode): void {
  const { extensions } = env.program;
  if (!extensions.has('chromium_experimental_subgroup_matrix'))
    raise(node, `${node.name} needs enable chromium_experimental_subgroup_matrix;`);
}

function matrixOf({ type }: Expr, node: CallNode): MatrixType {
  return type.kind === 'matrix' ? type : raise(node, `${node.name} does not take ${typeName(type)}`);
}

const elementAt = (m: Machine, register: number, index: number): number =>
  at(m.registers, (register + Math.floor(index / lanes)) * m.size + (index % lanes));

function setElement(m: Machine, register: number, index: number, bits: number): void {
  m.registers[(register + Math.floor(index / lanes)) * m.size + (index % lanes)] = bits;
}

type Order = 'row_major' | 'col_major';

/** A matrix in an array of words or vectors of words. */
interface Place {
  readonly ref: Ref;
  readonly slot: number;
  /** The size of an array element in bytes. */
  readonly unit: number;
}

function placeOf(env: Env, arg: ast.Expression, node: CallNode): Place {
  const ref = pointer(env, arg);
  if (ref.type.kind !== 'array' || ref.root.kind !== 'memory' || ref.type.element.kind === 'atomic')
    return raise(node, `${node.name} does not take a pointer to ${typeName(ref.type)}`);
  return { ref, slot: ref.root.slot, unit: 4 * strideOf(ref.type, false) };
}

/**
 * Visits the elements of a matrix in memory: the element, its word, and the bit at which it begins.
 */
function eachElement(
  m: Machine,
  type: MatrixType,
  order: Order,
  { ref, slot, unit }: Place,
  [offset, stride]: readonly [number, number],
  node: CallNode,
  visit: (index: number, word: number, bit: number) => void,
): void {
  const bytes = bytesOf[type.element];
  const minor = (order === 'row_major' ? type.columns : type.rows) * bytes;
  if (stride * unit < minor) raise(node, `${node.name}: rows of ${minor} bytes with a stride of ${stride * unit}`);
  const aligned = Math.min(16, minor);
  if ((offset * unit) % aligned !== 0 || (stride * unit) % aligned !== 0)
    raise(node, `${node.name}: a row is not aligned to ${aligned} bytes`);
  const start = memoryIndex(m, { ...ref, type: u32 }, slot, 0);
  const end = elementCount(ref)(m) * unit;
  for (let index = 0; index < type.rows * type.columns; index++) {
    const [row, column] = [Math.floor(index / type.columns), index % type.columns];
    const [major, within] = order === 'row_major' ? [row, column] : [column, row];
    const byte = (offset + major * stride) * unit + within * bytes;
    if (byte + bytes > end) raise(node, `${node.name} is out of bounds: byte ${byte} of ${end}`);
    visit(index, start + Math.floor(byte / 4), 8 * (byte % 4));
  }
}

const maskOf = (type: MatrixType): number =>
  bytesOf[type.element] === 4 ? 0xffffffff : 2 ** (8 * bytesOf[type.element]) - 1;

function load(type: MatrixType, order: Order): Builtin {
  return (env, args, node) => {
    needsFeature(env, node);
    const place = placeOf(env, operand(args, 0, node), node);
    const [offset, stride] = [1, 2].map((index) => compileAs(env, operand(args, index, node), u32));
    if (offset === undefined || stride === undefined) return raise(node, `${node.name} needs three arguments`);
    const value = computed(env, type, [offset, stride], (register, [first, step]) => (m, active) => {
      const from = [first?.register ?? 0, step?.register ?? 0] as const;
      check(node, m, active, from);
      const [start, by] = from.map((each) => at(m.registers, each * m.size + (active[0] ?? 0)));
      eachElement(m, type, order, place, [start ?? 0, by ?? 0], node, (index, word, bit) => {
        setElement(m, register, index, (readWord(m, place.slot, word) >>> bit) & maskOf(type));
      });
    });
    return { ...value, constant: false, ...sequence([place.ref.step, value], () => undefined) };
  };
}

function store(order: Order): Builtin {
  return (env, args, node) => {
    needsFeature(env, node);
    const place = placeOf(env, operand(args, 0, node), node);
    if (!place.ref.root.writable) raise(node, `${place.ref.root.name} cannot be assigned`);
    const offset = compileAs(env, operand(args, 1, node), u32);
    const matrix = concrete(env, operand(args, 2, node));
    const stride = compileAs(env, operand(args, 3, node), u32);
    const type = matrixOf(matrix, node);
    const step = sequence([place.ref.step, offset, matrix, stride], (m, active) => {
      check(node, m, active, [offset.register, stride.register]);
      const [start, by] = [offset, stride].map((each) => at(m.registers, each.register * m.size + (active[0] ?? 0)));
      eachElement(m, type, order, place, [start ?? 0, by ?? 0], node, (index, word, bit) => {
        const kept = readWord(m, place.slot, word) & ~(maskOf(type) << bit);
        m.unseen[place.slot]?.set(word, (kept | (elementAt(m, matrix.register, index) << bit)) >>> 0);
      });
    });
    return { type: voidType, register: -1, borrowed: false, constant: false, impure: false, ...step };
  };
}

/**
 * Computes sums of products. Integer sums are exact modulo 2^32. Float sums are rounded from a
 * double, or have the bits of sm_90.
 */
const multiplyAccumulate: Builtin = (env, args, node) => {
  needsFeature(env, node);
  const operands = [0, 1, 2].map((index) => concrete(env, operand(args, index, node)));
  const [a, b, c] = operands.map((each) => matrixOf(each, node));
  if (a === undefined || b === undefined || c === undefined) return raise(node, `${node.name} needs three matrices`);
  const fits = a.role === 'left' && b.role === 'right' && c.role === 'result' && a.element === b.element;
  if (!fits || a.columns !== b.rows || a.rows !== c.rows || b.columns !== c.columns)
    return raise(node, `${node.name} does not take ${[a, b, c].map(typeName).join(', ')}`);
  const value = computed(env, c, operands, (register, [left, right, sums]) => (m, active) => {
    check(node, m, active, []);
    const read = (type: MatrixType, expr: Expr | undefined) =>
      Array.from({ length: type.rows * type.columns }, (_, index) =>
        numberOf(type.element, elementAt(m, expr?.register ?? 0, index)),
      );
    const [x, y, z] = [read(a, left), read(b, right), read(c, sums)];
    if (mode === 'hopper' && a.element === 'f16') {
      for (const [index, bits] of hopperSums(c, a.columns, [x, y, z]).entries()) setElement(m, register, index, bits);
      return;
    }
    for (let row = 0; row < c.rows; row++)
      for (let column = 0; column < c.columns; column++) {
        const index = row * c.columns + column;
        let total = z[index] ?? 0;
        for (let k = 0; k < a.columns; k++) total += (x[row * a.columns + k] ?? 0) * (y[k * b.columns + column] ?? 0);
        setElement(m, register, index, bitsOf(c.element, total));
      }
  });
  return { ...value, constant: false };
};

/** Returns the elements of D on sm_90. The bits of NaNs do not matter. */
function hopperSums(
  { element, rows, columns }: MatrixType,
  k: number,
  [x, y, z]: readonly [readonly number[], readonly number[], readonly number[]],
): readonly number[] {
  const type = element === 'f16' ? 'f16' : 'f32';
  const plan = tensorCorePlan({
    k,
    products: 1,
    types: { a: 'f16', b: 'f16', c: type, d: type },
    wmma: undefined,
    isWarpgroup: false,
  });
  if (plan === undefined) throw new Error('f16 has no model');
  const transposed = Float64Array.from(
    { length: columns * k },
    (_, at) => y[(at % k) * columns + Math.floor(at / k)] ?? Number.NaN,
  );
  const lists = { a: Float64Array.from(x), b: transposed, c: Float64Array.from(z), k };
  const sum = tensorCoreSum(plan, lists);
  return Array.from({ length: rows * columns }, (_, place) =>
    sum({ ...lists, row: Math.floor(place / columns) * k, column: (place % columns) * k, place }),
  );
}

function bitsOf(element: MatrixType['element'], value: number): number {
  if (element === 'f32') return toBits(value);
  return element === 'f16' ? halfOfFloat(value) : value >>> 0;
}

/** A matrix of equal elements, `T(value)`, or of zeros, `T()`. */
export function constructMatrix(env: Env, type: MatrixType, args: readonly ast.Expression[], node: CallNode): Expr {
  needsFeature(env, node);
  const [written] = args;
  const value =
    written && concrete(env, written, type.element === 'f32' ? 'f32' : type.element === 'i32' ? 'i32' : 'u32');
  const expected =
    type.element === 'i32' || type.element === 'f32' || type.element === 'u32' ? type.element : 'a literal';
  if (value && typeName(value.type) !== expected) return raise(node, `${typeName(type)} of ${typeName(value.type)}`);
  const made = computed(env, type, value ? [value] : [], (register, [from]) => (m, active) => {
    check(node, m, active, from ? [from.register] : []);
    const bits = from ? at(m.registers, from.register * m.size + (active[0] ?? 0)) : 0;
    for (let index = 0; index < type.rows * type.columns; index++) setElement(m, register, index, bits);
  });
  return { ...made, constant: false };
}

/**
 * Returns a builtin for subgroup matrices by the name that the parser gives it, which contains its
 * template parameters.
 */
export function matrixBuiltin(name: string): Builtin | undefined {
  if (name === 'subgroupMatrixMultiplyAccumulate') return multiplyAccumulate;
  const [, fn, template, order] = /^subgroupMatrix(Load|Store)_(?:(.*)_)?(row_major|col_major)$/.exec(name) ?? [];
  if (order !== 'row_major' && order !== 'col_major') return undefined;
  if (fn === 'Store') return store(order);
  const type = matrixNamed(template ?? '');
  return type && load(type, order);
}
