// Selects `memcpy`, `memmove` and `memset`.
import { at } from '../../base/invariants.ts';
import { i1, i64, intType, spaces } from '../ir/types.ts';
import { choose } from './choose.ts';
import { accessType } from './memory.ts';
import { constantOf, inRegister, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

/**
 * The maximum number of bytes of a copy that is a sequence of instructions. A longer copy is a
 * loop.
 */
const maxUnrolled = 256;

/** Returns the number of bytes that each access moves. */
const stepOf = (align: number, bytes: number): number =>
  [8, 4, 2, 1].find((size) => align % size === 0 && bytes % size === 0) ?? 1;

/**
 * Copies bytes. All loads of a short copy precede its stores, so the blocks may overlap. A copy of
 * constant size from a parameter is never a loop, because addresses in the space of parameters
 * cannot be computed.
 */
export function copyMemory(writer: Writer, to: Scalar, from: Scalar, count: Scalar, align: number): void {
  const bytes = count.constant === undefined ? undefined : Number(count.constant);
  const isParam = from.type.kind === 'ptr' && from.type.space === spaces.param;
  if (bytes !== undefined && (bytes <= maxUnrolled || isParam)) {
    const step = stepOf(align, bytes);
    const piece = intType(8 * step);
    const offsets = Array.from({ length: bytes / step }, (_, index) => index * step);
    const loaded = offsets.map((offset) => {
      const { space, address } = writer.access(from, offset);
      return writer.compute(`ld${space}.${accessType(piece)}`, piece, address);
    });
    offsets.forEach((offset, index) => {
      store(writer, to, offset, at(loaded, index, 'the loaded piece').text, accessType(piece));
    });
    return;
  }
  forEachByte(writer, count, to, from, (target, source) => {
    if (source === undefined) return;
    const { space, address } = writer.access(source);
    const byte = writer.compute(`ld${space}.u8`, intType(8), address);
    store(writer, target, 0, byte.text, 'u8');
  });
}

export function setMemory(writer: Writer, to: Scalar, value: Scalar, count: Scalar, align: number): void {
  const bytes = count.constant === undefined ? undefined : Number(count.constant);
  if (bytes !== undefined && bytes <= maxUnrolled) {
    const step = value.constant === undefined ? 1 : stepOf(align, bytes);
    const piece = intType(8 * step);
    const repeated =
      value.constant === undefined
        ? value
        : constantOf(piece, value.constant * (0x0101010101010101n & ((1n << BigInt(8 * step)) - 1n)));
    const text = writer.inRegister(repeated);
    for (let offset = 0; offset < bytes; offset += step) store(writer, to, offset, text, accessType(piece));
    return;
  }
  const text = writer.inRegister(value);
  forEachByte(writer, count, to, undefined, (target) => store(writer, target, 0, text, 'u8'));
}

function store(writer: Writer, pointer: Scalar, offset: number, text: string, type: string): void {
  const { space, address } = writer.access(pointer, offset);
  writer.emit(`st${space}.${type} \t${address}, ${text}`);
}

/**
 * Emits a loop over bytes. A block that starts before its source is copied in ascending order, and
 * otherwise in descending order.
 */
function forEachByte(
  writer: Writer,
  count: Scalar,
  to: Scalar,
  from: Scalar | undefined,
  body: (target: Scalar, source: Scalar | undefined) => void,
): void {
  const total = writer.inRegister(writer.resized(count, 64, 'zero'));
  const [target, source] = [to, from].map((pointer) => pointer && inPlain(writer, pointer));
  if (target === undefined) return;
  const [loop, end] = [writer.newLabel(), writer.newLabel()];
  const upward =
    source === undefined
      ? constantOf(i1, 1n)
      : writer.compute(
          'setp.lt.u64',
          i1,
          writer.inRegister(writer.generic(target)),
          writer.inRegister(writer.generic(source)),
        );
  const index = writer.compute('mov.u64', i64, '0').text;
  writer.label(loop);
  const done = writer.compute('setp.ge.u64', i1, index, total);
  writer.emit(`@${done.text} bra \t${end}`);
  const last = writer.compute('sub.s64', i64, total, index);
  const downward = writer.compute('sub.s64', i64, last.text, '1');
  const offset = choose(writer, upward, inRegister(i64, index), downward);
  const moved = (pointer: Scalar): Scalar => writer.compute('add.s64', pointer.type, pointer.text, offset.text);
  body(moved(target), source && moved(source));
  writer.emit(`add.s64 \t${index}, ${index}, 1`);
  writer.emit(`bra \t${loop}`);
  writer.label(end);
}

/** Returns a pointer without an offset: adds the offset to its register. */
function inPlain(writer: Writer, pointer: Scalar): Scalar {
  const { type } = pointer;
  const usable = type.kind === 'ptr' && type.space === spaces.param ? writer.generic(pointer) : pointer;
  return inRegister(usable.type, writer.inRegister(usable));
}
