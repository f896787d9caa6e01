// The effects of a copy of a box on shared memory and on the tensor.
import { at } from '../../../base/invariants.ts';
import { elementBytes } from '../../../base/tensor-map-fields.ts';
import { boxUpdate } from '../../../cpu-ref/interpreter/memory/box-update.ts';
import { boxRows, boxShape, swizzled } from '../../../cpu-ref/tensor/box.ts';
import { filled, loadedBytes } from '../../../cpu-ref/tensor/elements.ts';
import type { BoxCopy } from './draw-box.ts';

/** Returns the bytes of shared memory after a load. */
export function loaded(
  { fields, coordinates, offsets, place }: BoxCopy,
  tensor: Uint8Array,
  tile: Uint8Array,
): Uint8Array {
  const after = tile.slice();
  const { rowBytes } = boxShape(fields);
  for (const { shared, global, from, to } of boxRows(fields, coordinates, offsets)) {
    const row = filled(fields, rowBytes);
    if (to > from) row.set(loadedBytes(fields, tensor.slice(global + from, global + to)), from);
    row.forEach((byte, index) => {
      after[swizzled(place + shared + index, fields.swizzle)] = byte;
    });
  }
  return after;
}

/** Returns the bytes of the tensor after a store, or after a reduction with `op`. */
export function stored(
  { fields, coordinates, offsets, place }: BoxCopy,
  tensor: Uint8Array,
  tile: Uint8Array,
  op: string | undefined,
): Uint8Array {
  const after = tensor.slice();
  const size = elementBytes[fields.type];
  const update = op === undefined ? undefined : boxUpdate(op, fields.type);
  const [before, sources] = [new Element(after), new Element(tile)];
  for (const { shared, global, from, to } of boxRows(fields, coordinates, offsets)) {
    for (let byte = from; byte < to; byte += size) {
      const source = sources.read(swizzled(place + shared + byte, fields.swizzle), size);
      const old = before.read(global + byte, size);
      before.write(
        global + byte,
        size,
        update === undefined ? source : BigInt(update(held(old, size), held(source, size), 0, false)),
      );
    }
  }
  return after;
}

/** Atomic operations on up to 32 bits use numbers. */
const held = (bits: bigint, size: number): number | bigint => (size === 8 ? bits : Number(bits));

class Element {
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  read(place: number, size: number): bigint {
    let bits = 0n;
    for (let byte = size - 1; byte >= 0; byte--) bits = (bits << 8n) | BigInt(at(this.bytes, place + byte, 'a byte'));
    return bits;
  }

  write(place: number, size: number, bits: bigint): void {
    for (let byte = 0; byte < size; byte++) this.bytes[place + byte] = Number((bits >> BigInt(8 * byte)) & 0xffn);
  }
}
