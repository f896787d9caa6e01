// A WebGPU device as the device of a program.
import type { Image } from '../../base/image.ts';
import type { Module } from '../../ptx/ast.ts';
import { PtxError } from '../../ptx/diagnostics/error.ts';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import type { DevicePointer } from '../../runtime/memory/pointer.ts';
import type { LoadedModule } from '../../runtime/module.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { imageHeader } from '../../translate/image/header.ts';
import { imageIn } from '../../translate/image/image-instructions.ts';
import type { DeviceFacts, ProgramLaunch } from '../protocol.ts';
import { CudaFailure, cudaErrors, hostBase, type ProgramDevice } from './program-device.ts';

/** The maximum size of the kept memory for copies, in bytes. */
const maxScratchBytes = 64 << 20;
/** The size from which Firefox rejects the memory that contains the data of a write, in bytes. */
const maxMemoryBytes = 2 ** 31;

/** The memory of a runtime by address. All memory is in the runtime's heap. */
export class WebgpuDevice implements ProgramDevice {
  readonly facts: DeviceFacts;
  readonly #runtime: Runtime;
  readonly #warn: (text: string) => void;
  /** The allocations and modules' variables, by their first address. */
  readonly #places = new Map<number, DevicePointer>();
  #modules: readonly LoadedModule[] = [];
  /** The message of the last lack of memory. It is shown once. */
  #lastShortage: string | undefined;
  /** Memory for copies of such data, which is kept because new memory is slow. */
  #scratch = new Uint8Array();

  /** `warn` receives the reasons for which kernels failed. The runtime prints what they print. */
  constructor(runtime: Runtime, warn: (text: string) => void) {
    this.#runtime = runtime;
    this.#warn = warn;
    const { limits } = runtime.device;
    const { device, description, vendor, architecture } = runtime.device.adapterInfo;
    this.facts = {
      name: [description, device, `${vendor} ${architecture}`.trim()].find((text) => text !== '') ?? 'WebGPU',
      maxThreads: Math.min(limits.maxComputeInvocationsPerWorkgroup, 1024),
      maxSharedBytes: Math.min(limits.maxComputeWorkgroupStorageSize, 49_152),
      totalBytes: Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize, hostBase),
      maxCooperativeBlocks: 1,
    };
  }

  async load(modules: readonly Module[]): Promise<void> {
    const hasImages = modules.some(({ functions }) => functions.some((fn) => imageIn(fn) !== undefined));
    const { tools } = hasImages ? await import('../../translate/tools.ts') : { tools: undefined };
    this.#modules = await Promise.all(
      modules.map(({ source }) => this.#runtime.load(source.text, { file: source.file, tools })),
    );
  }

  alloc(bytes: number): number {
    const pointer = this.#attempt(() => this.#runtime.alloc(bytes));
    const address = Number(this.#attempt(() => pointer.address));
    if (address + bytes > hostBase) {
      pointer.free();
      throw new CudaFailure(cudaErrors.memoryAllocation, 'out of memory');
    }
    this.#places.set(address, pointer);
    return address;
  }

  free(address: number): void {
    const pointer = this.#places.get(address);
    if (pointer === undefined) throw new CudaFailure(cudaErrors.invalidValue, 'not an allocation');
    this.#places.delete(address);
    pointer.free();
  }

  /** Returns the pointer to an address; undefined if there is no memory. */
  #find(address: number): DevicePointer | undefined {
    for (const [start, pointer] of this.#places)
      if (address >= start && address < start + Math.max(pointer.bytes, 1)) return pointer.at(address - start);
    return undefined;
  }

  #at(address: number, bytes: number): DevicePointer {
    const pointer = this.#find(address);
    if (pointer === undefined || pointer.bytes < bytes)
      throw new CudaFailure(cudaErrors.invalidValue, `no memory of ${bytes} bytes at 0x${address.toString(16)}`);
    return pointer;
  }

  write(address: number, data: Uint8Array): void {
    this.#at(address, data.length).write(this.#accepted(data));
  }

  /** Returns data that WebGPU accepts: implementations reject shared memory and large memory. */
  #accepted(data: Uint8Array): Uint8Array {
    if (data.buffer instanceof ArrayBuffer && data.buffer.byteLength < maxMemoryBytes) return data;
    if (data.length > maxScratchBytes) return data.slice();
    if (data.length > this.#scratch.length) this.#scratch = new Uint8Array(data.length);
    const copy = this.#scratch.subarray(0, data.length);
    copy.set(data);
    return copy;
  }

  async read(address: number, to: Uint8Array): Promise<void> {
    const pointer = this.#at(address, to.length);
    await this.#wait(() => pointer.readInto(to));
  }

  copy(to: number, from: number, bytes: number): void {
    this.#runtime.memcpy(this.#at(to, bytes), this.#at(from, bytes), bytes);
  }

  fill(address: number, value: number, bytes: number): void {
    this.#runtime.memset(this.#at(address, bytes), value, bytes);
  }

  bindImage(handle: number, image: Image): void {
    this.write(handle, imageHeader(image));
  }

  symbol(module: number, name: string): { readonly address: number; readonly bytes: number } {
    const loaded = this.#loaded(module);
    const pointer = this.#attempt(() => loaded.global(name));
    const address = Number(pointer.address);
    this.#places.set(address, pointer);
    return { address, bytes: pointer.bytes };
  }

  #loaded(module: number): LoadedModule {
    const found = this.#modules[module];
    if (found === undefined) throw new CudaFailure(cudaErrors.invalidDeviceFunction, `no module ${module}`);
    return found;
  }

  launch({ module, kernel: name, grid, block, sharedBytes, cooperative, cluster, parameters }: ProgramLaunch): void {
    const kernel = this.#loaded(module).kernel(name);
    const args = parameters.map((data, index) => {
      if (kernel.parameters[index]?.kind !== 'pointer') return data;
      const value = new DataView(data.buffer, data.byteOffset).getBigUint64(0, true);
      return value < BigInt(hostBase) ? (this.#find(Number(value)) ?? value) : value;
    });
    try {
      kernel.launch({ grid, block, shared: sharedBytes, cooperative, ...(cluster && { cluster }) }, args);
    } catch (error) {
      throw this.#reported(error);
    }
  }

  async synchronize(): Promise<void> {
    await this.#wait(() => this.#runtime.synchronize());
  }

  async close(): Promise<void> {
    this.#runtime.close();
  }

  /** Calls the runtime, and converts its errors. */
  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#converted(error);
    }
  }

  async #wait<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#reported(error);
    }
  }

  /**
   * Converts an error of a launch, and warns of a lack of memory: CUDA needs less memory for a launch,
   * and a program that ignores the error prints wrong results.
   */
  #reported(error: unknown): unknown {
    const isShortage = error instanceof GpuError && error.kind === 'out-of-memory';
    if (isShortage && error.message !== this.#lastShortage) this.#warn(`a launch failed: ${error.message}`);
    if (isShortage) this.#lastShortage = error.message;
    return this.#converted(error);
  }

  #converted(error: unknown): unknown {
    if (error instanceof GpuError && error.kind === 'out-of-memory')
      return new CudaFailure(cudaErrors.memoryAllocation, error.message);
    if (error instanceof KernelError) {
      this.#warn(error.message);
      const isAssertion = error.diagnostics.some(({ code }) => code === 'RUN018');
      return new CudaFailure(isAssertion ? cudaErrors.assert : cudaErrors.launchFailure, error.message);
    }
    if (error instanceof PtxError) return new KernelError('unsupported', error.source, error.diagnostics);
    if (error instanceof TypeError) return new CudaFailure(cudaErrors.invalidConfiguration, error.message);
    return error instanceof RangeError ? new CudaFailure(cudaErrors.invalidValue, error.message) : error;
  }
}
