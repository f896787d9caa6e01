// Copies between the host and the device, and fills.
import { CudaFailure, cudaErrors } from '../../device/program-device.ts';
import type { HostWork } from '../host-work.ts';
import type { Command, HostContext } from './host-context.ts';

/** A block of rows, for copies of two and three dimensions. Distances are in bytes. */
interface Rows {
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

export function transfersOf(context: HostContext) {
  function* copy(to: number, from: number, count: number): HostWork {
    const [target, source, bytes] = [to >>> 0, from >>> 0, count >>> 0];
    if (bytes === 0) return;
    // The host owns managed memory only after the device has finished.
    if (context.managedAt(target) || context.managedAt(source)) yield* context.synchronize();
    const [toHost, fromHost] = [context.isHost(target), context.isHost(source)];
    const { memory } = context;
    if (toHost && fromHost) memory.bytes(target, bytes).set(memory.bytes(source, bytes).slice());
    else if (toHost) {
      const { data } = yield* context.request({ op: 'read', address: source, bytes });
      context.memory.bytes(target, bytes).set(data);
    } else if (fromHost)
      yield* context.request({ op: 'write', address: target, data: memory.bytes(source, bytes).slice() });
    else yield* context.request({ op: 'copy', to: target, from: source, bytes });
  }
  function* fill(to: number, value: number, count: number): HostWork {
    const [address, bytes] = [to >>> 0, count >>> 0];
    if (bytes === 0) return;
    if (context.managedAt(address)) yield* context.synchronize();
    if (context.isHost(address)) context.memory.bytes(address, bytes).fill(value);
    else yield* context.request({ op: 'fill', address, value: value & 0xff, bytes });
  }
  function* eachRow(height: number, depth: number, use: (row: number, slice: number) => HostWork): HostWork {
    for (let slice = 0; slice < depth; slice++) for (let row = 0; row < height; row++) yield* use(row, slice);
  }
  const rowAt = ({ address, pitch, slice }: Rows, row: number, at: number): number =>
    address + slice * at + pitch * row;
  function* copyRows(to: Rows, from: Rows, width: number, height: number, depth = 1): HostWork {
    const isDense = to.pitch === width && from.pitch === width && depth === 1;
    if (isDense) yield* copy(to.address, from.address, width * height);
    else yield* eachRow(height, depth, (row, slice) => copy(rowAt(to, row, slice), rowAt(from, row, slice), width));
  }
  const rowsAt = (pitched: number): Rows & { readonly width: number } => {
    const [address, pitch, width, height] = [0, 4, 8, 12].map((at) => context.memory.u32(pitched + at));
    if (address === undefined || pitch === undefined || width === undefined || height === undefined)
      throw new RangeError('a pitched pointer has four members');
    return { address, pitch, width, slice: pitch * height };
  };

  /** Reads a `cudaMemcpy3DParms`, and returns its copy. */
  const prepareCopy3D = (parameters: number): Command => {
    const { memory } = context;
    if (memory.u32(parameters) !== 0 || memory.u32(parameters + 32) !== 0)
      throw new CudaFailure(cudaErrors.notSupported, 'arrays are not supported');
    const place = (at: number): Rows => {
      const [x, y, z] = memory.triple(parameters + at + 4);
      const { address, pitch, slice } = rowsAt(parameters + at + 16);
      return { address: address + x + y * pitch + z * slice, pitch, slice };
    };
    const [width, height, depth] = memory.triple(parameters + 64);
    const [to, from] = [place(32), place(0)];
    return () => copyRows(to, from, width, height, depth);
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
      const address = (to + index * pitch) >>> 0;
      if (isByte) yield* fill(address, value, width * elementBytes);
      else if (context.isHost(address)) {
        if (context.managedAt(address)) yield* context.synchronize();
        context.memory.bytes(address, row.length).set(row);
      } else yield* context.request({ op: 'write', address, data: row });
    });
  }
  return { copy, copy3D, copyRows, eachRow, fill, fillElements, prepareCopy3D, rowAt, rowsAt };
}
