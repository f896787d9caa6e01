// Memory: allocations, copies, and variables by their names.
import { alignUp } from '../../../base/align.ts';
import { CudaFailure, cudaErrors } from '../../device/program-device.ts';
import type { HostContext } from './host-context.ts';

/** The alignment of the rows of `cudaMallocPitch`, in bytes. */
const pitchAlignment = 256;
const hostAllocMapped = 2;

/** A block of rows, for copies of two and three dimensions. Distances are in bytes. */
interface Rows {
  readonly address: number;
  readonly pitch: number;
  /** The distance between slices. */
  readonly slice: number;
}

export function memoryFunctions(context: HostContext) {
  const { checked } = context;
  const allocate = (bytes: number): number => context.request({ op: 'alloc', bytes: bytes >>> 0 }).value;

  const copy = (to: number, from: number, count: number): void => {
    const [target, source, bytes] = [to >>> 0, from >>> 0, count >>> 0];
    if (bytes === 0) return;
    // The host owns managed memory only after the device has finished.
    if (context.managedAt(target) || context.managedAt(source)) context.synchronize();
    const [toHost, fromHost] = [context.isHost(target), context.isHost(source)];
    const { memory } = context;
    if (toHost && fromHost) memory.bytes(target, bytes).set(memory.bytes(source, bytes).slice());
    else if (toHost) {
      const { data } = context.request({ op: 'read', address: source, bytes }, bytes);
      context.memory.bytes(target, bytes).set(data);
    } else if (fromHost) context.request({ op: 'write', address: target, data: memory.bytes(source, bytes).slice() });
    else context.request({ op: 'copy', to: target, from: source, bytes });
  };
  const fill = (to: number, value: number, count: number): void => {
    const [address, bytes] = [to >>> 0, count >>> 0];
    if (bytes === 0) return;
    if (context.managedAt(address)) context.synchronize();
    if (context.isHost(address)) context.memory.bytes(address, bytes).fill(value);
    else context.request({ op: 'fill', address, value: value & 0xff, bytes });
  };
  const eachRow = (height: number, depth: number, use: (row: number, slice: number) => void): void => {
    for (let slice = 0; slice < depth; slice++) for (let row = 0; row < height; row++) use(row, slice);
  };
  const rowAt = ({ address, pitch, slice }: Rows, row: number, at: number): number =>
    address + slice * at + pitch * row;
  const copyRows = (to: Rows, from: Rows, width: number, height: number, depth = 1): void => {
    const isDense = to.pitch === width && from.pitch === width && depth === 1;
    if (isDense) copy(to.address, from.address, width * height);
    else eachRow(height, depth, (row, slice) => copy(rowAt(to, row, slice), rowAt(from, row, slice), width));
  };
  const symbol = (address: number): { address: number; bytes: number } => {
    const found = context.variables.get(address >>> 0);
    if (found === undefined) throw new CudaFailure(cudaErrors.invalidSymbol, 'not a variable of the device');
    const { value, second } = context.request({ op: 'symbol', ...found });
    return { address: value, bytes: second };
  };
  const free = (address: number): void => {
    if (address === 0) return;
    context.synchronize();
    context.request({ op: 'free', address: address >>> 0 });
    context.managed.delete(address >>> 0);
  };
  /** Allocates memory that the host and kernels share. */
  const allocateShared = (to: number, bytes: number): void => {
    const address = allocate(bytes);
    context.managed.set(address, bytes >>> 0);
    context.request({ op: 'read', address, bytes: 0 });
    context.memory.bytes(address, bytes).fill(0);
    context.memory.setU32(to, address);
  };
  const allocateOnHost = (to: number, bytes: number, flags: number): void => {
    if ((flags & hostAllocMapped) !== 0) return allocateShared(to, bytes);
    const address = context.guest.malloc(bytes);
    if (address === 0) throw new CudaFailure(cudaErrors.memoryAllocation, 'the program is out of memory');
    context.memory.setU32(to, address);
  };
  const rows = (pitched: number): Rows & { readonly width: number } => {
    const [address, pitch, width, height] = [0, 4, 8, 12].map((at) => context.memory.u32(pitched + at));
    if (address === undefined || pitch === undefined || width === undefined || height === undefined)
      throw new RangeError('a pitched pointer has four members');
    return { address, pitch, width, slice: pitch * height };
  };

  const malloc = checked((to: number, bytes: number) => context.memory.setU32(to, allocate(bytes)));
  const memcpy = checked((to: number, from: number, bytes: number) => copy(to, from, bytes));
  const memcpy2D = checked(
    (to: number, toPitch: number, from: number, fromPitch: number, width: number, height: number) =>
      copyRows({ address: to, pitch: toPitch, slice: 0 }, { address: from, pitch: fromPitch, slice: 0 }, width, height),
  );
  const memcpy3D = checked((parameters: number) => {
    const { memory } = context;
    if (memory.u32(parameters) !== 0 || memory.u32(parameters + 32) !== 0)
      throw new CudaFailure(cudaErrors.notSupported, 'arrays are not supported');
    const place = (at: number): Rows => {
      const [x, y, z] = memory.triple(parameters + at + 4);
      const { address, pitch, slice } = rows(parameters + at + 16);
      return { address: address + x + y * pitch + z * slice, pitch, slice };
    };
    const [width, height, depth] = memory.triple(parameters + 64);
    copyRows(place(32), place(0), width, height, depth);
  });
  const memset = checked((to: number, value: number, bytes: number) => fill(to, value, bytes));
  const memset2D = checked((to: number, pitch: number, value: number, width: number, height: number) =>
    eachRow(height, 1, (row) => fill(to + row * pitch, value, width)),
  );
  const toSymbol = checked((target: number, from: number, bytes: number, offset: number) =>
    copy(symbol(target).address + offset, from, bytes),
  );
  const fromSymbol = checked((to: number, source: number, bytes: number, offset: number) =>
    copy(to, symbol(source).address + offset, bytes),
  );
  const nothing = checked(() => undefined);
  const shared = checked((to: number, bytes: number) => allocateShared(to, bytes));

  return {
    cudaMalloc: malloc,
    cudaMallocAsync: malloc,
    cudaMallocFromPoolAsync: malloc,
    cudaMallocManaged: shared,
    cudaMallocHost: checked((to: number, bytes: number) => allocateOnHost(to, bytes, 0)),
    cudaHostAlloc: checked(allocateOnHost),
    cudaMallocPitch: checked((to: number, pitchTo: number, width: number, height: number) => {
      const pitch = alignUp(width, pitchAlignment);
      context.memory.setU32(to, allocate(pitch * height));
      context.memory.setU32(pitchTo, pitch);
    }),
    cudaMalloc3D: checked((to: number, extent: number) => {
      const [width, height, depth] = context.memory.triple(extent);
      const pitch = alignUp(width, pitchAlignment);
      for (const [at, value] of [allocate(pitch * height * depth), pitch, width, height].entries())
        context.memory.setU32(to + 4 * at, value);
    }),
    cudaFree: checked(free),
    cudaFreeAsync: checked(free),
    cudaFreeHost: checked((address: number) => {
      if (context.managedAt(address)) free(address);
      else context.guest.free(address);
    }),
    cudaHostRegister: nothing,
    cudaHostUnregister: nothing,
    cudaHostGetDevicePointer: checked((to: number, address: number) => {
      if (context.managedAt(address) === undefined)
        throw new CudaFailure(cudaErrors.notSupported, 'kernels cannot access memory that is not mapped');
      context.memory.setU32(to, address);
    }),
    cudaMemGetInfo: checked((free: number, total: number) => {
      context.memory.setU32(free, context.facts.totalBytes);
      context.memory.setU32(total, context.facts.totalBytes);
    }),
    cudaPointerGetAttributes: checked((to: number, address: number) => {
      const { memory } = context;
      const kind = context.managedAt(address) ? 3 : context.isHost(address) ? 0 : 2;
      memory.setU32(to, kind);
      memory.setU32(to + 4, 0);
      memory.setU32(to + 8, kind === 0 ? 0 : address);
      memory.setU32(to + 12, kind === 2 ? 0 : address);
    }),
    cudaMemcpy: memcpy,
    cudaMemcpyAsync: memcpy,
    cudaMemcpyPeer: checked((to: number, _toDevice: number, from: number, _fromDevice: number, bytes: number) =>
      copy(to, from, bytes),
    ),
    cudaMemcpy2D: memcpy2D,
    cudaMemcpy2DAsync: memcpy2D,
    cudaMemcpy3D: memcpy3D,
    cudaMemcpy3DAsync: memcpy3D,
    cudaMemset: memset,
    cudaMemsetAsync: memset,
    cudaMemset2D: memset2D,
    cudaMemset2DAsync: memset2D,
    cudaMemset3D: checked((pitched: number, value: number, extent: number) => {
      const block = rows(pitched);
      const [width, height, depth] = context.memory.triple(extent);
      eachRow(height, depth, (row, slice) => fill(rowAt(block, row, slice), value, width));
    }),
    cudaMemPrefetchAsync: nothing,
    cudaMemPrefetchAsync_v2: nothing,
    cudaMemAdvise: nothing,
    cudaMemAdvise_v2: nothing,
    cudaStreamAttachMemAsync: nothing,
    cudaGetSymbolAddress: checked((to: number, name: number) => context.memory.setU32(to, symbol(name).address)),
    cudaGetSymbolSize: checked((to: number, name: number) => context.memory.setU32(to, symbol(name).bytes)),
    cudaMemcpyToSymbol: toSymbol,
    cudaMemcpyToSymbolAsync: toSymbol,
    cudaMemcpyFromSymbol: fromSymbol,
    cudaMemcpyFromSymbolAsync: fromSymbol,
  };
}
