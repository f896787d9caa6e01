// A PTX module on a device: its kernels, compiled at launch, and its variables.

import type { Driver } from '../base/adapter-facts.ts';
import type { FloatProfile } from '../base/float-profile.ts';
import type { LanePlan } from '../base/lane-plan.ts';
import type { MatrixConfig } from '../base/matrix-config.ts';
import type { Workarounds } from '../base/workarounds.ts';
import type { Module, PtxFunction } from '../ptx/ast.ts';
import { PtxError } from '../ptx/diagnostics/error.ts';
import { nearest } from '../ptx/diagnostics/suggest.ts';
import { parseModuleInPage } from '../ptx/parts/load.ts';
import { layOutHeap } from '../translate/layout.ts';
import type { TranslateOptions } from '../translate/options.ts';
import { loadParts, type PartsTarget } from '../translate/parts/load.ts';
import type { WgslProgram } from '../translate/program.ts';
import { type Tools, translateWith } from '../translate/translate.ts';
import type { ModuleCache } from './cache/module-cache.ts';
import { type KernelProblem, problemsOf } from './check/check-module.ts';
import { exceededLimits } from './check/limits.ts';
import { Compiled } from './compiled.ts';
import type { Engine } from './device/engine.ts';
import { blockOf, Kernel, type LaunchShape, type ShaderShape } from './kernel.ts';
import { type KernelArgument, shown } from './launch/arguments.ts';
import type { Launcher } from './launcher.ts';
import type { Allocation } from './memory/allocation.ts';
import { DevicePointer } from './memory/pointer.ts';
import type { Transfers } from './memory/transfers.ts';

/**
 * Parses a module, and loads the parts of the compiler that it needs on a device. Rejects with
 * `PtxError` for invalid PTX, and with TypeError for a value that cannot be PTX.
 */
export async function parseModule(text: string, file: string, target: PartsTarget): Promise<Module> {
  checkText(text, file);
  await loadParts(text, target);
  return await parseModuleInPage({ file, text });
}

/** The parts of the runtime that a module uses. */
export interface ModuleHost {
  readonly engine: Engine;
  readonly launcher: Launcher;
  readonly transfers: Transfers;
  readonly plan: LanePlan;
  readonly workarounds: Workarounds;
  readonly driver: Driver | undefined;
  readonly float: FloatProfile;
  /** The products of subgroup matrices that the device computes. */
  readonly matrices: readonly MatrixConfig[];
  /** The tools that lower textures and surfaces; undefined if the module must not contain them. */
  readonly tools: Tools | undefined;
}

/** A launch shape of a kernel to compile in advance. */
export interface Preparation extends LaunchShape {
  /** The name of the kernel. */
  readonly kernel: string;
}

/** A PTX module on a device. `Runtime.load` returns it. */
export class LoadedModule {
  /** The names of the module's kernels. */
  readonly kernels: readonly string[];
  readonly #host: ModuleHost;
  readonly #module: Module;
  readonly #kernels = new Map<string, Kernel>();
  readonly #globals = new Map<string, { readonly offset: number; readonly bytes: number }>();
  readonly #memory: Allocation | undefined;
  readonly #cache: ModuleCache | undefined;
  readonly #compiled: Compiled[] = [];
  #isUnloaded = false;

  /**
   * Loads a module. Throws TypeError for 32-bit addresses, and `GpuError` 'out-of-memory' if the
   * variables do not fit.
   * @internal
   */
  constructor(host: ModuleHost, module: Module, cache?: ModuleCache) {
    this.#host = host;
    this.#cache = cache;
    this.#module = module;
    const { functions, addressSize, variables } = module;
    const { file } = module.source;
    if (addressSize !== 64) throw new TypeError(`${file} has ${addressSize}-bit addresses: compile it for 64 bits`);
    this.kernels = functions.filter(({ kind }) => kind === 'entry').map(({ name }) => name);
    const { memory } = host.launcher;
    // Lay out the variables at address 0 first, because the real address is known only after the
    // size.
    const first = layOutHeap(variables, 0);
    if (first.addressOf.size === 0) return;
    this.#memory = memory.inHeap(first.image.length, `variables of ${file}`);
    const { addressOf, image } = layOutHeap(variables, this.#start);
    for (const [{ name, bytes }, address] of addressOf)
      this.#globals.set(name, { offset: address - this.#start, bytes });
    host.transfers.write(this.#memory, 0, image);
  }

  /**
   * Returns a kernel by name. Throws RangeError for an unknown name or after `unload`. In
   * TypeScript, pass a tuple of the argument types: then `launch` checks the arguments, and editors
   * show their names. Example: `kernel<[n: number, a: number, x: Ptr, y: Ptr]>('saxpy')`.
   */
  kernel<Args extends readonly KernelArgument[] = readonly KernelArgument[]>(name: string): Kernel<Args> {
    this.#check();
    const known = this.#kernels.get(name);
    if (known) return known;
    const entry = this.#entry(name);
    const made = new Kernel(entry, this.#host.launcher, {
      module: this.#module,
      variables: this.#memory,
      compile: (fn, shape) => this.#compile(fn, shape),
      check: () => this.#check(),
    });
    this.#kernels.set(name, made);
    return made;
  }

  /**
   * Returns a pointer to a variable in global or constant memory. The kernels of this module share
   * the variable. Throws RangeError for an unknown name or after `unload`.
   */
  global(name: string): DevicePointer {
    this.#check();
    const place = this.#globals.get(name);
    if (!place || !this.#memory)
      throw new RangeError(`the module has no variable \`${name}\`: it has ${listed([...this.#globals.keys()], name)}`);
    return new DevicePointer(this.#host.launcher.owner, this.#memory, place.offset, place.bytes);
  }

  /**
   * Compiles the shaders of future launches, several at a time, without blocking. `onProgress`
   * receives the number of compiled shaders and the total. Rejects as `Kernel.prepare` does.
   */
  async prepare(
    list: readonly Preparation[],
    onProgress: (done: number, total: number) => void = () => undefined,
  ): Promise<void> {
    let done = 0;
    const prepared = list.map(async ({ kernel, ...shape }) => {
      await this.kernel(kernel).prepare(shape);
      done += 1;
      onProgress(done, list.length);
    });
    await Promise.all(prepared);
  }

  /**
   * Checks whether kernels can run on this device, without running them. Resolves with the
   * problems: unsupported instructions, and limits of the device that a kernel exceeds (threads of
   * a block, shared memory, buffers). An empty list means that all kernels can run. Without `list`,
   * checks every kernel with the block that the kernel declares, or that its code suggests. Rejects
   * with RangeError for an unknown kernel or after `unload`, and with TypeError for an invalid
   * shape.
   */
  async check(list?: readonly Preparation[]): Promise<readonly KernelProblem[]> {
    this.#check();
    const found: KernelProblem[] = [];
    for (const { kernel: name, ...shape } of list ?? (await this.#defaultShapes())) {
      const kernel = this.kernel(name);
      const block = blockOf(shape.block);
      found.push(...problemsOf(this.#module, this.#entry(name), block, () => kernel.tryShape(shape)));
      // Yield to other work, because a module may have hundreds of kernels.
      await new Promise((resolve) => setTimeout(resolve));
    }
    return found;
  }

  async #defaultShapes(): Promise<readonly Preparation[]> {
    const { defaultBlock } = await import('./check/default-block.ts');
    const { maxComputeInvocationsPerWorkgroup } = this.#host.engine.device.limits;
    return this.kernels.map((kernel) => ({
      kernel,
      block: defaultBlock(this.#module, this.#entry(kernel), maxComputeInvocationsPerWorkgroup),
    }));
  }

  /** Frees the memory of the module. Its kernels cannot be launched afterwards. */
  unload(): void {
    if (this.#isUnloaded) throw new RangeError('the module is unloaded');
    this.#isUnloaded = true;
    const { launcher } = this.#host;
    if (this.#memory) launcher.memory.free(this.#memory);
    for (const compiled of this.#compiled) launcher.free(compiled);
  }

  /** Unloads the module. */
  [Symbol.dispose](): void {
    if (!this.#isUnloaded) this.unload();
  }

  get #start(): number {
    return this.#memory?.address ?? 0;
  }

  #check(): void {
    if (this.#isUnloaded) throw new RangeError('the module is unloaded');
    this.#memory?.check();
  }

  #entry(name: string): PtxFunction {
    const entry = this.#module.functions.find((fn) => fn.kind === 'entry' && fn.name === name);
    if (!entry) throw new RangeError(`the module has no kernel \`${name}\`: it has ${listed(this.kernels, name)}`);
    return entry;
  }

  #compile(entry: PtxFunction, shape: ShaderShape): Compiled {
    this.#check();
    const { engine } = this.#host;
    const { source } = this.#module;
    const options = this.#optionsOf(entry, shape);
    const translated = () => this.#translate(options);
    const program = this.#cache?.program(options, translated) ?? translated();
    const exceeded = exceededLimits(program, entry, engine.device.limits);
    if (exceeded.length > 0) throw new PtxError(source, exceeded);
    const compiled = new Compiled(engine.shaders, program, source, {
      span: entry.span,
      isFast: this.#host.float.mode === 'fast',
    });
    this.#compiled.push(compiled);
    return compiled;
  }

  #optionsOf(
    entry: PtxFunction,
    { block, cluster, shared, cooperative, grid, heapParams, pointerParams }: ShaderShape,
  ): TranslateOptions {
    const { engine, plan, workarounds, driver, float, matrices } = this.#host;
    const { limits } = engine.device;
    return {
      entry: entry.name,
      block,
      ...(cluster ? { cluster } : {}),
      sharedBytes: shared,
      cooperative,
      heapParams,
      pointerParams: [...pointerParams],
      heapStart: this.#start,
      plan,
      workarounds,
      driver,
      float,
      matrices,
      images: this.#host.tools !== undefined,
      reportTraps: true,
      maxWorkgroups: limits.maxComputeWorkgroupsPerDimension,
      maxInvocations: limits.maxComputeInvocationsPerWorkgroup,
      maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize,
      maxStorageBuffers: limits.maxStorageBuffersPerShaderStage,
      ...(grid ? { grid } : {}),
    };
  }

  #translate(options: TranslateOptions): WgslProgram {
    const { program, diagnostics } = translateWith(this.#module, { ...options, tools: this.#host.tools });
    if (!program) throw new PtxError(this.#module.source, diagnostics);
    return program;
  }
}

/** Throws TypeError for a value that cannot be PTX. */
function checkText(text: string, file: string): void {
  if (typeof text !== 'string') throw new TypeError(`expected PTX text, got ${shown(text)}`);
  if (/\.version\b/.test(text)) return;
  const begin = text.trimStart().slice(0, 30).split('\n')[0];
  const hint = hints.find(([looks]) => looks.test(text))?.[1] ?? 'bare instructions are not a module';
  throw new TypeError(`${file} lacks \`.version\` and begins with ${JSON.stringify(begin)}: ${hint}`);
}

const hints: readonly (readonly [RegExp, string])[] = [
  [/^\s*<(!|html)/i, 'an HTML page; the web server may not have found the file'],
  [/__global__|#include/, 'CUDA C++: `nvcc -ptx` makes PTX of it'],
  [/^(\x7f|.?)ELF|^P\xed\x55\xba/, 'machine code: compile with `nvcc -ptx`'],
];

/** Returns a list of the available names, for the message about an unknown name. */
function listed(names: readonly string[], asked: string): string {
  if (names.length === 0) return 'none';
  const shownNames = names.slice(0, 12).map((name) => `\`${name}\``);
  const more = names.length > 12 ? ` and ${names.length - 12} more` : '';
  // The mangled C++ name of a function without `extern "C"`.
  const mangled = names.find((name) => name.includes(`${asked.length}${asked}`));
  const near = nearest(asked, names);
  const hint = mangled
    ? ` (its mangled C++ name is \`${mangled}\`; declare it \`extern "C"\` to avoid that)`
    : near && ` (did you mean \`${near}\`?)`;
  return `${shownNames.join(', ')}${more}${hint ?? ''}`;
}
