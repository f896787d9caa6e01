// Copies between the host and the device, and fills.
import { texelBytes } from '../../../base/image.ts';
import type { HostWork } from '../host-work.ts';
import { arrayAt, arrayRows } from './cuda-array.ts';
import type { HostContext } from './host-context.ts';

/** A block of rows, for copies of two and three dimensions. Distances are in bytes. */
export interface Rows {
  readonly address: number;
  readonly pitch: number;
  /** The distance between slices. */
  readonly slice: number;
}

/** Rows of equal elements. */
interface Elements {
  /** The distance between rows, in bytes. */
  readonly pitch: number;
  readonly value: number;
  readonly elementBytes: number;
  /** The number of elements in a row. */
  readonly width: number;
  /** The number of rows. */
  readonly height: number;
}

/** The maximum size of a write that is copied, so that the host need not wait, in bytes. */
const maxSentBytes = 1 << 16;

export function transfersOf(context: HostContext) {
  function* copy(to: number, from: number, count: number): HostWork {
    const [target, source, bytes] = [context.hostSide(to >>> 0), context.hostSide(from >>> 0), count >>> 0];
    if (bytes === 0) return;
    // The host owns shared memory only after the device has finished.
    if (context.isShared(target) || context.isShared(source)) yield* context.synchronize();
    const [toHost, fromHost] = [context.isHost(target), context.isHost(source)];
    const { memory } = context;
    if (toHost && fromHost) memory.bytes(target, bytes).set(memory.bytes(source, bytes).slice());
    else if (toHost) yield* context.request({ op: 'read', address: source, to: memory.bytes(target, bytes) });
    else if (fromHost) yield* write(target, memory.bytes(source, bytes));
    else yield* context.sendFor({ op: 'copy', to: target, from: source, bytes }, bytes, target, source);
  }
  function* write(address: number, data: Uint8Array): HostWork {
    if (data.length > maxSentBytes) yield* context.request({ op: 'write', address, data });
    else yield* context.sendFor({ op: 'write', address, data: data.slice() }, data.length, address);
  }
  function* fill(to: number, value: number, count: number): HostWork {
    const [address, bytes] = [context.hostSide(to >>> 0), count >>> 0];
    if (bytes === 0) return;
    if (context.isShared(address)) yield* context.synchronize();
    if (context.isHost(address)) context.memory.bytes(address, bytes).fill(value);
    else yield* context.sendFor({ op: 'fill', address, value: value & 0xff, bytes }, bytes, address);
  }
  function* eachRow(height: number, depth: number, use: (row: number, slice: number) => HostWork): HostWork {
    for (let slice = 0; slice < depth; slice++) for (let row = 0; row < height; row++) yield* use(row, slice);
  }
  const rowAt = ({ address, pitch, slice }: Rows, row: number, at: number): number =>
    address + slice * at + pitch * row;
  function* copyRows(to: Rows, from: Rows, width: number, height: number, depth = 1): HostWork {
    const isDense = [to, from].every(
      ({ pitch, slice }) => pitch === width && (depth === 1 || slice === width * height),
    );
    if (isDense) yield* copy(to.address, from.address, width * height * depth);
    else yield* eachRow(height, depth, (row, slice) => copy(rowAt(to, row, slice), rowAt(from, row, slice), width));
  }
  const rowsAt = (pitched: number): Rows & { readonly width: number } => {
    const [address, pitch, width, height] = [0, 4, 8, 12].map((at) => context.memory.u32(pitched + at));
    if (address === undefined || pitch === undefined || width === undefined || height === undefined)
      throw new RangeError('a pitched pointer has four members');
    return { address, pitch, width, slice: pitch * height };
  };

  /** Reads a `cudaMemcpy3DParms`, and returns its copy. */
  const prepareCopy3D = (parameters: number): (() => HostWork) => {
    const { arrays, memory } = context;
    const [fromArray, toArray] = [memory.u32(parameters), memory.u32(parameters + 32)];
    const array = toArray || fromArray;
    // With an array, the extent and positions in it are in texels.
    const unit = array === 0 ? 1 : texelBytes(arrayAt(arrays, array).image);
    const place = (at: number, handle: number): Rows => {
      const [x, y, z] = memory.triple(parameters + at + 4);
      if (handle !== 0) return arrayRows(arrays, handle, [x * unit, y, z]);
      const { address, pitch, slice } = rowsAt(parameters + at + 16);
      return { address: address + x + y * pitch + z * slice, pitch, slice };
    };
    const [width, height, depth] = memory.triple(parameters + 64);
    const [to, from] = [place(32, toArray), place(0, fromArray)];
    return () => copyRows(to, from, width * unit, height, depth);
  };
  const copy3D = (parameters: number): HostWork => prepareCopy3D(parameters)();
  /** Sets each element of some rows to the lowest bytes of a value. */
  function* fillElements(to: number, { pitch, value, elementBytes, width, height }: Elements): HostWork {
    const bytes = Array.from({ length: elementBytes }, (_, index) => (value >>> (8 * index)) & 0xff);
    const isByte = bytes.every((byte) => byte === bytes[0]);
    const row = Uint8Array.from(
      { length: isByte ? 0 : width * elementBytes },
      (_, at) => (value >>> (8 * (at % elementBytes))) & 0xff,
    );
    yield* eachRow(height, 1, function* (index) {
      const address = context.hostSide((to + index * pitch) >>> 0);
      if (isByte) yield* fill(address, value, width * elementBytes);
      else if (context.isHost(address)) {
        if (context.isShared(address)) yield* context.synchronize();
        context.memory.bytes(address, row.length).set(row);
      } else yield* write(address, row);
    });
  }
  return { copy, copy3D, copyRows, eachRow, fill, fillElements, prepareCopy3D, rowAt, rowsAt };
}
