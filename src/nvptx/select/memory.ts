// Selects loads, stores and addresses.
import { at } from '../../base/invariants.ts';
import type { Atomicity, InstructionOf } from '../ir/module.ts';
import {
  alignOf,
  bitsOf,
  memoryBytes as bytesOf,
  i64,
  intType,
  type Leaf,
  leavesOf,
  type ScalarType,
  spaces,
  storeSize,
  type Type,
} from '../ir/types.ts';
import { rebuild } from './bits.ts';
import { stepsOf } from './offsets.ts';
import { classOf, constantOf, inRegister, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

/**
 * Returns PTX's type of an access to a scalar in memory. An access to a pointer of 32 bits extends
 * or truncates the register.
 */
export function accessType(type: ScalarType): string {
  if (type.kind === 'float') return 'f32';
  if (type.kind === 'double') return 'f64';
  const bits = 8 * bytesOf(type);
  if (type.kind === 'ptr' && bits === 32) return 'u32';
  return bits === 8 ? 'u8' : `b${bits}`;
}

/** Whether one access reads or writes the scalar. */
const isWhole = (type: ScalarType): boolean => [1, 2, 4, 8].includes(bytesOf(type));

/** Returns the text between `ld` or `st` and the state space. */
export function orderText(writer: Writer, kind: 'ld' | 'st', atomic: Atomicity | undefined, volatile: boolean): string {
  if (atomic === undefined || atomic.ordering === 'unordered') return volatile ? '.volatile' : '';
  const scope = scopeText(writer, atomic.scope);
  if (atomic.ordering === 'seq_cst') writer.emit(`fence.sc.${scope}`);
  const strong = atomic.ordering !== 'monotonic';
  return `.${strong ? (kind === 'ld' ? 'acquire' : 'release') : 'relaxed'}.${scope}`;
}

/** Returns PTX's name of a scope of LLVM. */
export function scopeText(writer: Writer, scope: string): string {
  const text = new Map([
    ['', 'sys'],
    ['device', 'gpu'],
    ['block', 'cta'],
    ['cluster', 'cluster'],
    ['singlethread', 'cta'],
  ]).get(scope);
  return text ?? writer.unsupported(`the scope \`${scope}\``);
}

export function selectLoad(writer: Writer, instruction: InstructionOf<'load'>): Scalar[] {
  const { pointer, align, atomic, flags, type } = instruction;
  const order = orderText(writer, 'ld', atomic, flags.has('volatile'));
  return loadAll(writer, writer.scalar(pointer), type, align ?? alignOf(type), order);
}

/** Loads a value of `type`. Uses vector accesses where the alignment permits them. */
export function loadAll(writer: Writer, pointer: Scalar, type: Type, align: number, order = ''): Scalar[] {
  if (isPacked(type)) return loadPacked(writer, pointer, type, align);
  const leaves = leavesOf(type);
  const results: Scalar[] = [];
  for (let first = 0; first < leaves.length; ) {
    const leaf = at(leaves, first, 'the leaf');
    const count = vectorLength(leaves, first, align);
    if (!isAligned(leaf, align) || !isWhole(leaf.type)) results.push(loadPieces(writer, pointer, leaf, align));
    else results.push(...loadVector(writer, pointer, leaf, count, order));
    first += isAligned(leaf, align) && isWhole(leaf.type) ? count : 1;
  }
  return results;
}

/** Whether a vector is one integer in memory, because its elements do not fill whole bytes. */
const isPacked = (type: Type): type is Extract<Type, { kind: 'vector' }> =>
  type.kind === 'vector' && bitsOf(type.element) % 8 !== 0;

function loadPacked(writer: Writer, pointer: Scalar, type: Extract<Type, { kind: 'vector' }>, align: number): Scalar[] {
  const bits = type.count * bitsOf(type.element);
  const [whole] = loadAll(writer, pointer, intType(8 * storeSize(type)), align);
  if (whole === undefined) return writer.unsupported('this vector');
  return rebuild(
    writer,
    [writer.resized(whole, bits, 'zero')],
    leavesOf(type).map((leaf) => leaf.type),
  );
}

const isAligned = ({ type, offset }: Leaf, align: number): boolean =>
  offset % bytesOf(type) === 0 && align % bytesOf(type) === 0;

/**
 * Returns the number of leaves, starting with `first`, that one access can transfer: 1, 2 or 4,
 * with at most 16 bytes.
 */
function vectorLength(leaves: readonly Leaf[], first: number, align: number): number {
  const leaf = at(leaves, first, 'the leaf');
  const size = bytesOf(leaf.type);
  for (const count of [4, 2]) {
    const bytes = count * size;
    if (bytes > 16 || align % bytes !== 0 || leaf.offset % bytes !== 0) continue;
    const group = leaves.slice(first, first + count);
    const isRun = group.every(
      ({ type, offset }, index) => sameKind(type, leaf.type) && offset === leaf.offset + index * size,
    );
    if (group.length === count && isRun) return count;
  }
  return 1;
}

const sameKind = (a: ScalarType, b: ScalarType): boolean => a.kind === b.kind && bytesOf(a) === bytesOf(b);

function loadVector(writer: Writer, pointer: Scalar, { type, offset }: Leaf, count: number, order: string): Scalar[] {
  const { space, address } = writer.access(pointer, offset);
  const isBit = registerBits(type) === 1;
  const held = isBit ? intType(8) : type;
  const loaded = Array.from({ length: count }, () => inRegister(held, writer.register(classOf(held)), 'zero'));
  const texts = loaded.map(({ text }) => text).join(', ');
  const target = count === 1 ? texts : `{${texts}}`;
  const vector = count === 1 ? '' : `.v${count}`;
  writer.emit(`ld${order}${space}${vector}.${accessType(type)} \t${target}, ${address}`);
  if (!isBit) return loaded.map((scalar) => asGlobal(scalar, pointer, writer));
  return loaded.map(({ text }) =>
    writer.compute('setp.ne.b32', type, writer.compute('and.b32', held, text, '1').text, '0'),
  );
}

/** Marks a loaded address as global if it comes from a struct that the host passes to a kernel. */
function asGlobal(scalar: Scalar, pointer: Scalar, writer: Writer): Scalar {
  if (scalar.type.kind !== 'ptr' || scalar.type.space !== spaces.generic) return scalar;
  if (pointer.type.kind !== 'ptr' || pointer.type.space !== spaces.param) return scalar;
  return writer.inSpace(scalar, spaces.global);
}

/** Loads a scalar as integers that the alignment permits. */
function loadPieces(writer: Writer, pointer: Scalar, { type, offset }: Leaf, align: number): Scalar {
  const step = pieceSize(type, offset, align);
  const piece = intType(8 * step);
  const pieces = Array.from({ length: bytesOf(type) / step }, (_, index) => {
    const [loaded] = loadVector(writer, pointer, { type: piece, offset: offset + index * step }, 1, '');
    return loaded ?? constantOf(piece, 0n);
  });
  const whole = intType(8 * bytesOf(type));
  const [joined] = rebuild(writer, pieces, [bitsOf(type) === bitsOf(whole) ? type : whole]);
  if (joined === undefined) return writer.unsupported('this access');
  return bitsOf(type) === bitsOf(whole) ? joined : writer.resized(joined, bitsOf(type), 'zero');
}

function pieceSize(type: ScalarType, offset: number, align: number): number {
  const step = [4, 2, 1].find((size) => align % size === 0 && offset % size === 0 && bytesOf(type) % size === 0);
  return step ?? 1;
}

export function selectStore(writer: Writer, instruction: InstructionOf<'store'>): void {
  const { pointer, value, align, atomic, flags } = instruction;
  const order = orderText(writer, 'st', atomic, flags.has('volatile'));
  storeAll(writer, writer.scalar(pointer), value.type, writer.scalars(value), align ?? alignOf(value.type), order);
}

/** Stores the scalars of a value of `type`. */
export function storeAll(
  writer: Writer,
  pointer: Scalar,
  type: Type,
  scalars: readonly Scalar[],
  align: number,
  order = '',
): void {
  if (isPacked(type)) {
    const bits = intType(type.count * bitsOf(type.element));
    const [whole] = rebuild(writer, scalars, [bits]);
    const bytes = intType(8 * storeSize(type));
    if (whole !== undefined) storeAll(writer, pointer, bytes, [writer.resized(whole, bytes.bits, 'zero')], align);
    return;
  }
  const leaves = leavesOf(type);
  for (let first = 0; first < leaves.length; ) {
    const leaf = at(leaves, first, 'the leaf');
    if (!isAligned(leaf, align) || !isWhole(leaf.type)) {
      storePieces(writer, pointer, leaf, at(scalars, first, 'the scalar'), align);
      first += 1;
      continue;
    }
    const count = vectorLength(leaves, first, align);
    storeVector(writer, pointer, leaf, scalars.slice(first, first + count), order);
    first += count;
  }
}

function storeVector(
  writer: Writer,
  pointer: Scalar,
  { type, offset }: Leaf,
  scalars: readonly Scalar[],
  order: string,
): void {
  const texts = scalars.map((scalar) => storable(writer, scalar));
  const { space, address } = writer.access(pointer, offset);
  const vector = texts.length === 1 ? '' : `.v${texts.length}`;
  const source = texts.length === 1 ? texts.join('') : `{${texts.join(', ')}}`;
  writer.emit(`st${order}${space}${vector}.${accessType(type)} \t${address}, ${source}`);
}

/**
 * Returns a register to store. Addresses are stored as generic addresses, and a bit is stored as a
 * byte.
 */
function storable(writer: Writer, scalar: Scalar): string {
  const { type } = scalar;
  if (type.kind === 'ptr') return writer.inRegister(writer.generic(scalar));
  if (registerBits(type) > 1) return writer.inRegister(scalar);
  return writer.inRegister(writer.resized(scalar, 8, 'zero'));
}

function storePieces(writer: Writer, pointer: Scalar, { type, offset }: Leaf, scalar: Scalar, align: number): void {
  const step = pieceSize(type, offset, align);
  const piece = intType(8 * step);
  const whole = intType(8 * bytesOf(type));
  const source = bitsOf(type) === bitsOf(whole) ? scalar : writer.resized(scalar, whole.bits, 'zero');
  const pieces = rebuild(
    writer,
    [source],
    Array.from({ length: bytesOf(type) / step }, () => piece),
  );
  pieces.forEach((part, index) => {
    storeVector(writer, pointer, { type: piece, offset: offset + index * step }, [part], '');
  });
}

/** Selects an address. Constant offsets remain in the scalar until an access adds them. */
export function selectAddress(writer: Writer, { element, pointer, indices }: InstructionOf<'getelementptr'>): Scalar[] {
  let result = writer.scalar(pointer);
  for (const step of stepsOf(element, indices)) {
    if (typeof step === 'number') result = { ...result, offset: result.offset + step };
    else result = plusIndex(writer, result, writer.scalar(step.index), step.size);
  }
  return [result];
}

function plusIndex(writer: Writer, pointer: Scalar, index: Scalar, size: number): Scalar {
  if (size === 0) return pointer;
  const { type, offset } = pointer;
  const base = writer.inRegister({ ...pointer, offset: 0 });
  const bytes = scaledIndex(writer, index, size);
  const sum = writer.compute('add.s64', type, base, bytes);
  return { ...sum, offset };
}

/** Returns the product of an index and a size in bytes as a 64-bit operand. */
function scaledIndex(writer: Writer, index: Scalar, size: number): string {
  if (bitsOf(index.type) < 64 && size > 1) {
    const word = writer.resized(index, 32, 'sign');
    return writer.compute('mul.wide.s32', i64, writer.operand(word), String(size)).text;
  }
  const wide = writer.index(index);
  const origin = writer.widenedFrom(wide.text);
  if (origin !== undefined && size < 2 ** 31)
    return size === 1 ? wide.text : writer.compute(`mul.wide.${origin.sign}32`, i64, origin.text, String(size)).text;
  const shift = Math.log2(size);
  if (shift === 0) return writer.operand(wide);
  if (Number.isInteger(shift)) return writer.compute('shl.b64', i64, writer.operand(wide), String(shift)).text;
  return writer.compute('mul.lo.s64', i64, writer.operand(wide), String(size)).text;
}
