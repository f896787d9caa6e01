// A kernel of a loaded module: checks the arguments of a launch, selects a shader for them, and
// launches it.

import { largestSizes } from '../base/dim3.ts';
import type { Dim3 } from '../base/launch.ts';
import type { Module, PtxFunction } from '../ptx/ast.ts';
import type { Compiled } from './compiled.ts';
import {
  checkCount,
  checkPointer,
  type KernelArgument,
  mismatch,
  whyNoPointer,
  writeArgument,
} from './launch/arguments.ts';
import { checkGridBarrier } from './launch/dispatch.ts';
import { maxWorkgroups } from './launch/rows.ts';
import { type ParameterShape, signatureOf } from './launch/signature.ts';
import type { LaunchRequest } from './launch-request.ts';
import type { Launcher } from './launcher.ts';
import type { Allocation, PointerArgument } from './memory/allocation.ts';
import { DevicePointer } from './memory/pointer.ts';
import { areUnnamed, type NamedArgument, valuesOf } from './recorder.ts';
import type { Stream } from './stream.ts';

/** The size of a grid or block: one to three positive integers. Missing dimensions are 1. */
export type Size = number | readonly [x: number, y?: number, z?: number];

/** The configuration of a launch, as between `<<<` and `>>>` in CUDA. */
export interface LaunchConfig {
  /** The size of the grid in blocks. */
  readonly grid: Size;
  /** The size of a block in threads. */
  readonly block: Size;
  /**
   * The size of a cluster in blocks, as `cudaLaunchAttributeClusterDimension`. The default is the
   * size that the kernel declares, or 1.
   */
  readonly cluster?: Size;
  /** The size of dynamic shared memory, in bytes. The default is 0. */
  readonly shared?: number;
  /**
   * Whether the blocks of the grid may wait for each other. The grid must then have one block,
   * because WebGPU does not guarantee that several blocks run at the same time.
   */
  readonly cooperative?: boolean;
  /** The stream of the launch. */
  readonly stream?: Stream;
}

/** The parts of a launch configuration that determine its shader. */
export type LaunchShape = Pick<LaunchConfig, 'block'> &
  Partial<Pick<LaunchConfig, 'grid' | 'cluster' | 'shared' | 'cooperative'>>;

/** The properties of a launch that determine its shader. */
export interface ShaderShape {
  readonly block: Dim3;
  /** The size of a cluster, if the launch sets it. */
  readonly cluster: Dim3 | undefined;
  readonly shared: number;
  readonly cooperative: boolean;
  /** The size of the grid; undefined unless a dimension exceeds the dispatch limit. */
  readonly grid: Dim3 | undefined;
  /** Pointer parameters without a binding of their own. */
  readonly heapParams: ReadonlySet<number>;
  /** Parameters for which the launch passes pointers. */
  readonly pointerParams: ReadonlySet<number>;
}

/** The shape of a launch without its pointers, which the launcher resolves later. */
type FixedShape = Omit<ShaderShape, 'heapParams' | 'pointerParams'>;

/** The part of a loaded module that its kernels use. */
export interface KernelOwner {
  readonly module: Module;
  /** The memory of the module's variables. */
  readonly variables: Allocation | undefined;
  /** Compiles the kernel. Throws `PtxError` if it cannot be translated. */
  compile(entry: PtxFunction, shape: ShaderShape): Compiled;
  /** Throws RangeError if the module is unloaded. */
  check(): void;
}

/** A shader, and the pointer parameters for which it was made. */
interface Variant {
  readonly compiled: Compiled;
  readonly pointerParams: ReadonlySet<number>;
}

const none: ReadonlySet<number> = new Set();

/**
 * The arguments of a launch for a list of argument types. In a recording, each argument may be a
 * named argument. The names of a tuple's members are kept, so that editors show them.
 */
export type LaunchArguments<Args extends readonly KernelArgument[]> = {
  readonly [Index in keyof Args]: Args[Index] | NamedArgument<Args[Index]>;
};

/**
 * A kernel of a loaded module. `LoadedModule.kernel` returns it. `Args` contains the types of its
 * arguments.
 */
export class Kernel<Args extends readonly KernelArgument[] = readonly KernelArgument[]> {
  /** The kernel's name in the PTX. */
  readonly name: string;
  /** The kernel's parameters, in order. */
  readonly parameters: readonly ParameterShape[];
  readonly #launcher: Launcher;
  readonly #entry: PtxFunction;
  readonly #owner: KernelOwner;
  readonly #compiled = new Map<string, Variant[]>();

  /** @internal */
  constructor(entry: PtxFunction, launcher: Launcher, owner: KernelOwner) {
    this.name = entry.name;
    this.parameters = signatureOf(entry);
    this.#entry = entry;
    this.#launcher = launcher;
    this.#owner = owner;
  }

  /**
   * Compiles the shader of a future launch without blocking. Rejects with `PtxError` if the kernel
   * cannot be translated, with `GpuError` 'shader' if the device rejects the shader, with TypeError
   * for an invalid shape, and with RangeError if the module is unloaded.
   */
  async prepare(shape: LaunchShape): Promise<void> {
    await this.#launcher.prepared(this.#shader(this.#shapeOf({ grid: 1, ...shape }), none, none));
  }

  /**
   * Returns the WGSL code for a launch shape. Throws `PtxError` if the kernel cannot be translated,
   * TypeError for an invalid shape, and RangeError if the module is unloaded.
   */
  wgsl(shape: LaunchShape): string {
    return this.#shader(this.#shapeOf({ grid: 1, ...shape }), none, none).program.code;
  }

  /**
   * Throws the errors that a launch with this shape would throw.
   * @internal
   */
  tryShape(shape: LaunchShape): void {
    const { program, source } = this.#shader(this.#shapeOf({ grid: 1, ...shape }), none, none);
    checkGridBarrier(program, source, sizeOf(shape.grid ?? 1, 'grid'), 'unknown');
  }

  /**
   * Launches the kernel after all earlier commands. `args` are in the order of `parameters`. Throws
   * TypeError for an invalid configuration, or for arguments that do not fit the parameters. Throws
   * `PtxError` if the kernel cannot be translated, and RangeError if the module is unloaded. Later
   * errors, such as a trap, reject the next awaited promise.
   */
  launch(config: LaunchConfig, args: LaunchArguments<Args>): void {
    this.#launch(config, args);
  }

  #launch(config: LaunchConfig, args: LaunchArguments<readonly KernelArgument[]>): void {
    if (typeof config !== 'object' || config === null || !Array.isArray(args))
      throw new TypeError(`${this.name}: \`launch\` requires { grid, block } and the list of the kernel's arguments`);
    const shape = this.#shapeOf(config);
    const grid = sizeOf(config.grid, 'grid');
    const requestOf = (given: readonly KernelArgument[]) => this.#request(shape, grid, given);
    const { recorder } = this.#launcher;
    if (recorder) recorder.launch({ parameters: this.parameters, args: [...args], requestOf });
    else this.#launcher.launch(requestOf(areUnnamed(args) ? args : valuesOf(args, new Map())));
  }

  #request(shape: FixedShape, grid: Dim3, args: readonly KernelArgument[]): LaunchRequest {
    const pointers = this.#pointersIn(args);
    // Only pointers count, because a number may happen to equal an address.
    const given = args.flatMap((argument, param) => (argument instanceof DevicePointer ? [param] : []));
    const pointerParams = new Set(given);
    const { block, cluster, shared: sharedBytes, cooperative } = shape;
    const { module, variables } = this.#owner;
    return {
      grid,
      pointers,
      facts: {
        module,
        variables,
        entry: this.#entry,
        parameters: this.parameters,
        args,
        block,
        cluster,
        sharedBytes,
        cooperative,
      },
      shaderFor: (heapParams) => this.#shader(shape, heapParams, pointerParams),
      write: (param, to) => {
        const [parameter, argument] = [this.parameters[param], args[param]];
        if (parameter && argument !== undefined) writeArgument(this.name, parameter, argument, to);
      },
      refuse: (param) => {
        const [parameter, argument] = [this.parameters[param], args[param]];
        if (!parameter) throw new RangeError(`${this.name} has no parameter ${param}`);
        return mismatch(this.name, parameter, argument, whyNoPointer(argument));
      },
    };
  }

  #pointersIn(args: readonly KernelArgument[]): readonly (PointerArgument | null | undefined)[] {
    checkCount(this.name, this.parameters, args);
    return this.parameters.map((parameter, index) => {
      const argument = args[index];
      if (argument === undefined) mismatch(this.name, parameter, argument);
      if (argument instanceof DevicePointer) {
        checkPointer(this.name, parameter, argument, this.#launcher.owner);
        return argument;
      }
      if (parameter.kind !== 'pointer') return undefined;
      if (argument === null || argument === 0n || argument === 0) return null;
      // A number may be an address.
      const isNumber = typeof argument === 'bigint' || typeof argument === 'number';
      return isNumber ? this.#launcher.memory.find(Number(argument)) : undefined;
    });
  }

  #shapeOf({ grid, block, cluster, shared = 0, cooperative = false }: LaunchConfig): FixedShape {
    const threads = sizeOf(block, 'block');
    const blocks = sizeOf(grid, 'grid');
    if (!Number.isSafeInteger(shared) || shared < 0)
      throw new TypeError(`invalid size of shared memory ${shared}: expected a number of bytes`);
    return {
      block: threads,
      cluster: cluster === undefined ? undefined : sizeOf(cluster, 'cluster'),
      shared,
      cooperative,
      grid: blocks.some((size) => size > maxWorkgroups) ? blocks : undefined,
    };
  }

  #shader(shape: FixedShape, heapParams: ReadonlySet<number>, pointerParams: ReadonlySet<number>): Compiled {
    this.#owner.check();
    const { block, cluster, shared, cooperative, grid } = shape;
    const key = `${block.join()}|${cluster?.join() ?? ''}|${shared}|${cooperative}|${grid?.join() ?? ''}|${[...heapParams].join()}`;
    const variants = this.#compiled.get(key) ?? [];
    const known = variants.find((variant) => suits(variant, pointerParams));
    if (known) return known.compiled;
    const compiled = this.#owner.compile(this.#entry, { ...shape, heapParams, pointerParams });
    this.#compiled.set(key, [...variants, { compiled, pointerParams }]);
    return compiled;
  }
}

/**
 * Whether the shader of a variant can run a launch with other pointers. Only the program's unclear
 * parameters matter: each must be a pointer in both launches or in neither.
 */
const suits = ({ compiled, pointerParams }: Variant, given: ReadonlySet<number>): boolean =>
  compiled.program.unclearParams.every((param) => pointerParams.has(param) === given.has(param));

/** Returns the size of a block. Throws TypeError if it is invalid. */
export const blockOf = (block: Size): Dim3 => sizeOf(block, 'block');

function sizeOf(size: Size, name: keyof typeof largestSizes): Dim3 {
  const list: readonly unknown[] = Array.isArray(size) ? size : [size];
  const [x = 0, y = 1, z = 1] = list.map((count) => (Number.isSafeInteger(count) ? Number(count) : 0));
  if (list.length > 3 || Math.min(x, y, z) < 1)
    throw new TypeError(`invalid ${name} size ${JSON.stringify(size)}: expected one to three positive integers`);
  if (name === 'block' && x * y * z > 1024)
    throw new TypeError(`invalid block size: ${x * y * z} threads exceed the maximum of 1024`);
  const most = largestSizes[name];
  for (const [at, count] of [x, y, z].entries())
    if (count > (most[at] ?? 1))
      throw new TypeError(`invalid ${name} size: ${count} in ${'xyz'[at]} exceeds the maximum of ${most[at]}`);
  return [x, y, z];
}
