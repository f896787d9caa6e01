// Memory: allocations, copies, and variables by their names.
import { alignUp } from '../../../base/align.ts';
import { CudaFailure, cudaErrors } from '../../device/program-device.ts';
import type { HostWork } from '../host-work.ts';
import type { HostContext } from './host-context.ts';
import { transfersOf } from './transfers.ts';

/** The alignment of the rows of `cudaMallocPitch`, in bytes. */
const pitchAlignment = 256;
const hostAllocMapped = 2;

export function memoryFunctions(context: HostContext) {
  const { checked } = context;
  const { copy, copy3D, copyRows, eachRow, fill, prepareCopy3D, rowAt, rowsAt } = transfersOf(context);
  function* symbol(address: number): HostWork<{ address: number; bytes: number }> {
    const found = context.variables.get(address >>> 0);
    if (found === undefined) throw new CudaFailure(cudaErrors.invalidSymbol, 'not a variable of the device');
    const { value, second } = yield* context.request({ op: 'symbol', ...found });
    return { address: value, bytes: second };
  }
  function* free(address: number): HostWork {
    if (address === 0) return;
    if (context.graphMemory.has(address >>> 0)) return context.graphMemory.change(address >>> 0, false);
    // Later commands are performed after earlier ones, so they may reuse the memory at once.
    yield* context.release(address >>> 0);
    context.managed.delete(address >>> 0);
  }
  /** Allocates memory that the host and kernels share. */
  function* allocateShared(to: number, bytes: number): HostWork {
    const address = yield* context.allocate(bytes);
    context.managed.set(address, bytes >>> 0);
    yield* context.request({ op: 'read', address, to: new Uint8Array() });
    context.memory.bytes(address, bytes).fill(0);
    context.memory.setU32(to, address);
  }
  function* allocateOnHost(to: number, bytes: number, flags: number): HostWork {
    if ((flags & hostAllocMapped) !== 0) return yield* allocateShared(to, bytes);
    const address = context.guest.malloc(bytes);
    if (address === 0) throw new CudaFailure(cudaErrors.memoryAllocation, 'the program is out of memory');
    pin(address, bytes);
    context.memory.setU32(to, address);
  }
  function pin(address: number, count: number): void {
    const [start, bytes] = [address >>> 0, count >>> 0];
    if (context.pinnedAt(start) !== undefined)
      throw new CudaFailure(cudaErrors.hostMemoryAlreadyRegistered, 'the memory is already registered');
    context.pinned.set(start, { start, bytes, device: undefined });
  }
  function* unpin(start: number): HostWork {
    const address = start >>> 0;
    const found = context.pinned.get(address);
    if (found === undefined) throw new CudaFailure(cudaErrors.hostMemoryNotRegistered, 'not registered memory');
    if (found.device !== undefined) {
      yield* context.synchronize();
      yield* context.release(found.device);
    }
    context.pinned.delete(address);
  }
  /** Returns the address by which kernels access shared or page-locked memory of the host. */
  function* deviceAddress(address: number): HostWork<number> {
    if (context.managedAt(address) !== undefined) return address;
    const found = context.pinnedAt(address);
    if (found === undefined) throw new CudaFailure(cudaErrors.invalidValue, 'not page-locked memory');
    if (found.device === undefined) {
      // The host then owns all shared memory, so the next launch copies it.
      yield* context.synchronize();
      found.device = yield* context.allocate(found.bytes);
    }
    return found.device + address - found.start;
  }
  function* allocateTo(to: number, bytes: number): HostWork {
    context.memory.setU32(to, yield* context.allocate(bytes));
  }
  const malloc = checked(allocateTo);
  // There is one pool: all device memory.
  const thePool = checked((to: number) => context.memory.setU32(to, 1));
  const mallocAsync = checked(function* (to: number, bytes: number) {
    if (context.captured === undefined) return yield* allocateTo(to, bytes);
    context.captured.push(yield* context.reserve(to, bytes));
  });
  const memcpy = checked((to: number, from: number, bytes: number) => copy(to, from, bytes));
  const memcpyAsync = checked((to: number, from: number, bytes: number) =>
    context.enqueue(() => copy(to, from, bytes)),
  );
  const copy2D = (to: number, toPitch: number, from: number, fromPitch: number, width: number, height: number) =>
    copyRows({ address: to, pitch: toPitch, slice: 0 }, { address: from, pitch: fromPitch, slice: 0 }, width, height);
  const memcpy2D = checked(copy2D);
  const memcpy2DAsync = checked((...args: Parameters<typeof copy2D>) => context.enqueue(() => copy2D(...args)));
  const memcpy3D = checked(copy3D);
  const memcpy3DAsync = checked((parameters: number) => context.enqueue(prepareCopy3D(parameters)));
  const memset = checked((to: number, value: number, bytes: number) => fill(to, value, bytes));
  const memsetAsync = checked((to: number, value: number, bytes: number) =>
    context.enqueue(() => fill(to, value, bytes)),
  );
  const fill2D = (to: number, pitch: number, value: number, width: number, height: number) =>
    eachRow(height, 1, (row) => fill(to + row * pitch, value, width));
  const memset2D = checked(fill2D);
  const memset2DAsync = checked((...args: Parameters<typeof fill2D>) => context.enqueue(() => fill2D(...args)));
  function* copyToSymbol(target: number, from: number, bytes: number, offset: number): HostWork {
    const { address } = yield* symbol(target);
    yield* copy(address + offset, from, bytes);
  }
  function* copyFromSymbol(to: number, source: number, bytes: number, offset: number): HostWork {
    const { address } = yield* symbol(source);
    yield* copy(to, address + offset, bytes);
  }
  const nothing = checked(() => undefined);
  const shared = checked((to: number, bytes: number) => allocateShared(to, bytes));

  return {
    cudaMalloc: malloc,
    cudaMallocAsync: mallocAsync,
    cudaMallocFromPoolAsync: mallocAsync,
    cudaMallocManaged: shared,
    cudaMallocHost: checked((to: number, bytes: number) => allocateOnHost(to, bytes, 0)),
    cudaHostAlloc: checked(allocateOnHost),
    cudaMallocPitch: checked(function* (to: number, pitchTo: number, width: number, height: number) {
      const pitch = alignUp(width, pitchAlignment);
      context.memory.setU32(to, yield* context.allocate(pitch * height));
      context.memory.setU32(pitchTo, pitch);
    }),
    cudaMalloc3D: checked(function* (to: number, extent: number) {
      const [width, height, depth] = context.memory.triple(extent);
      const pitch = alignUp(width, pitchAlignment);
      const address = yield* context.allocate(pitch * height * depth);
      for (const [at, value] of [address, pitch, width, height].entries()) context.memory.setU32(to + 4 * at, value);
    }),
    cudaFree: checked(free),
    cudaFreeAsync: checked((address: number) => {
      if (context.captured === undefined) return free(address);
      context.captured.push(() => void context.graphMemory.change(address >>> 0, false));
      return undefined;
    }),
    __lanewiseMemoryFull: (bytes: number): void => {
      context.failedAllocation ??= { memory: 'host', bytes: bytes >>> 0 };
    },
    cudaFreeHost: checked(function* (address: number) {
      if (context.managedAt(address)) return yield* free(address);
      if (address === 0) return;
      yield* unpin(address);
      context.guest.free(address);
    }),
    cudaHostRegister: checked(pin),
    cudaHostUnregister: checked(unpin),
    cudaHostGetDevicePointer: checked(function* (to: number, address: number) {
      context.memory.setU32(to, yield* deviceAddress(address >>> 0));
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
    cudaMemcpyAsync: memcpyAsync,
    cudaMemcpyPeer: checked((to: number, _toDevice: number, from: number, _fromDevice: number, bytes: number) =>
      copy(to, from, bytes),
    ),
    cudaMemcpy2D: memcpy2D,
    cudaMemcpy2DAsync: memcpy2DAsync,
    cudaMemcpy3D: memcpy3D,
    cudaMemcpy3DAsync: memcpy3DAsync,
    cudaMemset: memset,
    cudaMemsetAsync: memsetAsync,
    cudaMemset2D: memset2D,
    cudaMemset2DAsync: memset2DAsync,
    cudaMemset3D: checked((pitched: number, value: number, extent: number) => {
      const block = rowsAt(pitched);
      const [width, height, depth] = context.memory.triple(extent);
      return eachRow(height, depth, (row, slice) => fill(rowAt(block, row, slice), value, width));
    }),
    cudaDeviceGetDefaultMemPool: thePool,
    cudaDeviceGetMemPool: thePool,
    cudaDeviceSetMemPool: nothing,
    cudaMemPoolCreate: thePool,
    cudaMemPoolDestroy: nothing,
    cudaMemPoolSetAttribute: nothing,
    cudaMemPoolSetAccess: nothing,
    cudaMemPoolTrimTo: nothing,
    cudaMemPrefetchAsync: nothing,
    cudaMemPrefetchAsync_v2: nothing,
    cudaMemAdvise: nothing,
    cudaMemAdvise_v2: nothing,
    cudaStreamAttachMemAsync: nothing,
    cudaGetSymbolAddress: checked(function* (to: number, name: number) {
      const { address } = yield* symbol(name);
      context.memory.setU32(to, address);
    }),
    cudaGetSymbolSize: checked(function* (to: number, name: number) {
      const { bytes } = yield* symbol(name);
      context.memory.setU32(to, bytes);
    }),
    cudaMemcpyToSymbol: checked(copyToSymbol),
    cudaMemcpyToSymbolAsync: checked((...args: Parameters<typeof copyToSymbol>) =>
      context.enqueue(() => copyToSymbol(...args)),
    ),
    cudaMemcpyFromSymbol: checked(copyFromSymbol),
    cudaMemcpyFromSymbolAsync: checked((...args: Parameters<typeof copyFromSymbol>) =>
      context.enqueue(() => copyFromSymbol(...args)),
    ),
  };
}
