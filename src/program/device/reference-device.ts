// The reference interpreter as the device of a program.
import type { Image } from '../../base/image.ts';
import type { Launch } from '../../base/launch.ts';
import { findingDiagnostic } from '../../cpu-ref/executor.ts';
import { type InterpretResult, interpret } from '../../cpu-ref/interpreter/interpret.ts';
import { keptPlan } from '../../cpu-ref/interpreter/memory/address-space.ts';
import { Region } from '../../cpu-ref/interpreter/memory/region.ts';
import {
  type BoundImage,
  type KeptMemory,
  type PlacedVariables,
  placeVariables,
  staticsOf,
} from '../../cpu-ref/interpreter/memory/variables.ts';
import { LaunchError } from '../../cpu-ref/launch-error.ts';
import type { Module } from '../../ptx/ast.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { AddressSpace } from '../../runtime/memory/address-space.ts';
import { headerBytes } from '../../translate/image/header.ts';
import type { DeviceFacts, ProgramLaunch } from '../protocol.ts';
import { CudaFailure, cudaErrors, hostBase, type ProgramDevice } from './program-device.ts';

const alignment = 256;
/** The size of a module's constant memory. */
const constantBytes = 65_536;

/**
 * Returns the address by which the host names the constant memory of a module. Kernels have one
 * window for this memory, so only the address for the first module is also valid in kernels.
 */
const constantStart = (module: number): number => keptPlan.windows.const + constantBytes * module;

interface Loaded {
  readonly module: Module;
  readonly variables: PlacedVariables;
}

/** CUDA's errors for findings that end a kernel. The error for others is a failed launch. */
const failures: ReadonlyMap<string, number> = new Map([
  ['RUN009', cudaErrors.misalignedAddress],
  ['RUN008', cudaErrors.illegalAddress],
  ['RUN018', cudaErrors.assert],
]);

export class ReferenceDevice implements ProgramDevice {
  readonly facts: DeviceFacts = {
    name: 'Lanewise reference interpreter',
    maxThreads: 1024,
    maxSharedBytes: 49_152,
    totalBytes: hostBase,
    maxCooperativeBlocks: 2 ** 31 - 1,
  };
  readonly #space = new AddressSpace(alignment, hostBase, alignment);
  readonly #allocations = new Map<number, Region>();
  readonly #images = new Map<number, BoundImage>();
  #modules: readonly Loaded[] = [];
  readonly #print: (text: string) => void;
  readonly #warn: (text: string) => void;
  #launches = 0;

  /** `print` receives what kernels print, and `warn` the findings about a failed launch. */
  constructor(print: (text: string) => void, warn: (text: string) => void) {
    this.#print = print;
    this.#warn = warn;
  }

  async load(modules: readonly Module[]): Promise<void> {
    this.#modules = modules.map((module) => {
      const variables = placeVariables(staticsOf(module), module, {
        addGlobal: ({ name, bytes }) => new Region(name, 'global', this.#reserve(bytes), bytes),
        toGeneric: (space, address) => (space === 'const' ? keptPlan.windows.const + address : address),
      });
      return { module, variables };
    });
  }

  #reserve(bytes: number): number {
    const address = this.#space.reserve(bytes);
    if (address === undefined) throw new CudaFailure(cudaErrors.memoryAllocation, 'out of memory');
    return address;
  }

  alloc(bytes: number): number {
    const address = this.#reserve(bytes);
    this.#allocations.set(address, new Region(`allocation of ${bytes} bytes`, 'global', address, bytes));
    return address;
  }

  free(address: number): void {
    const region = this.#allocations.get(address);
    if (region === undefined) throw new CudaFailure(cudaErrors.invalidValue, 'not an allocation');
    this.#allocations.delete(address);
    const texels = this.#images.get(address)?.region;
    if (texels !== undefined) this.#allocations.delete(texels.base);
    this.#images.delete(address);
    this.#space.release(address, region.size + (texels?.size ?? 0)); // Absent: not an image.
  }

  /** Divides the allocation into two regions, the header and the texels, because images have a region. */
  bindImage(handle: number, image: Image): void {
    const whole = this.#allocations.get(handle);
    if (whole === undefined) throw new CudaFailure(cudaErrors.invalidValue, 'not an allocation');
    const known = this.#images.get(handle)?.region;
    const region = known ?? new Region('texels', 'global', handle + headerBytes, whole.size - headerBytes);
    this.#images.set(handle, { image, region });
    if (known !== undefined) return;
    region.bytes.set(whole.bytes.subarray(headerBytes, whole.size));
    this.#allocations.set(handle, new Region('header of an image', 'global', handle, headerBytes));
    this.#allocations.set(region.base, region);
  }

  /** Returns the bytes of a range within an allocation or variable. */
  #bytes(address: number, count: number): Uint8Array {
    const { region, offset } = this.#place(address);
    if (region === undefined || offset + count > region.size)
      throw new CudaFailure(cudaErrors.invalidValue, `no memory of ${count} bytes at 0x${address.toString(16)}`);
    return region.bytes.subarray(offset, offset + count);
  }

  #place(address: number): { readonly region: Region | undefined; readonly offset: number } {
    const inConstant = address - keptPlan.windows.const;
    if (inConstant >= 0) {
      const module = this.#modules[Math.floor(inConstant / constantBytes)];
      return { region: module?.variables.constant, offset: inConstant % constantBytes };
    }
    const globals = [...this.#allocations.values(), ...this.#modules.flatMap(({ variables }) => variables.globals)];
    const region = globals.find(({ base, size }) => address >= base && address < base + Math.max(size, 1));
    return { region, offset: region === undefined ? 0 : address - region.base };
  }

  write(address: number, data: Uint8Array): void {
    this.#bytes(address, data.length).set(data);
  }

  async read(address: number, to: Uint8Array): Promise<void> {
    to.set(this.#bytes(address, to.length));
  }

  copy(to: number, from: number, bytes: number): void {
    this.#bytes(to, bytes).set(this.#bytes(from, bytes).slice());
  }

  fill(address: number, value: number, bytes: number): void {
    this.#bytes(address, bytes).fill(value);
  }

  symbol(module: number, name: string): { readonly address: number; readonly bytes: number } {
    for (const [variable, address] of this.#loaded(module).variables.addresses)
      if (variable.name === name)
        return {
          address: variable.space === 'const' ? constantStart(module) + address : address,
          bytes: variable.bytes,
        };
    throw new CudaFailure(cudaErrors.invalidSymbol, `no variable ${name}`);
  }

  #loaded(module: number): Loaded {
    const found = this.#modules[module];
    if (found === undefined) throw new CudaFailure(cudaErrors.invalidDeviceFunction, `no module ${module}`);
    return found;
  }

  launch({ module: number, kernel, grid, block, sharedBytes, cooperative, cluster, parameters }: ProgramLaunch): void {
    const { module, variables } = this.#loaded(number);
    const launch: Launch = {
      id: `launch${++this.#launches}`,
      group: '',
      ptx: module.source.text,
      ptxFile: module.source.file,
      entry: kernel,
      grid,
      block,
      sharedBytes,
      cooperative,
      ...(cluster && { cluster }),
      params: parameters.map((data, index) => ({ name: `parameter ${index}`, kind: 'bytes', data })),
    };
    const result = this.#interpret(module, launch, {
      allocations: [...this.#allocations.values()],
      variables,
      images: this.#images,
    });
    for (const text of result.printed.texts) this.#print(text);
    if (result.status === 'unsupported') throw new KernelError('unsupported', module.source, result.diagnostics);
    if (result.failure === undefined) return;
    const { code } = result.failure;
    const causes = result.findings.filter((finding) => finding.code === code).map(findingDiagnostic);
    this.#warn(new KernelError('failed', module.source, causes).render(false));
    throw new CudaFailure(failures.get(code) ?? cudaErrors.launchFailure, result.failure.message);
  }

  #interpret(module: Module, launch: Launch, memory: KeptMemory): InterpretResult {
    try {
      return interpret(module, launch, {
        memory,
        maxSteps: Number.POSITIVE_INFINITY,
        endsAt: (code) => failures.has(code),
      });
    } catch (error) {
      if (error instanceof LaunchError) throw new CudaFailure(cudaErrors.invalidConfiguration, error.message);
      throw error;
    }
  }

  async synchronize(): Promise<void> {}

  async close(): Promise<void> {}
}
