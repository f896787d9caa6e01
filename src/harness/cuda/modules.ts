// Compiles and loads PTX text with the driver.
import { GpuError } from '../../runtime/device/gpu-error.ts';
import { results } from './cuda-error.ts';
import type { CudaDriver } from './driver.ts';
import { declaresGlobals, joinModules } from './join-modules.ts';

/** Values of the driver's CUjit_option. */
const jitOptions = { infoLog: 3, infoLogBytes: 4, errorLog: 5, errorLogBytes: 6, optimizationLevel: 7 } as const;
const LOG_BYTES = 16 * 1024;
const maxModules = 256;

export interface LoadedModule {
  readonly handle: bigint;
  readonly log: string;
  /** The kernel's name in the joined module, if it differs from the name in its own text. */
  readonly entry?: string;
  /** Whether the module is cached for later launches with the same text. */
  readonly shared: boolean;
}

/**
 * The loaded modules. A module that declares `.global` variables is loaded again for each launch,
 * to reset the variables.
 */
export class Modules {
  readonly #driver: CudaDriver;
  readonly #shared = new Map<string, LoadedModule>();

  constructor(driver: CudaDriver) {
    this.#driver = driver;
  }

  /**
   * Loads a module. Throws `CudaError` 'shader' with the compiler's log. `soon` lists texts of
   * later launches, which may be compiled together with this text. Without `optimize`, the driver
   * chooses the level. With an explicit level, even its default, the driver rejects modules with
   * debug sections.
   */
  load(ptx: string, optimize?: number, soon: readonly string[] = []): LoadedModule {
    const key = keyOf(ptx, optimize);
    const known = this.#shared.get(key) ?? this.#loadTogether(ptx, soon, optimize);
    if (known) return known;
    const module = { ...this.#compile(ptx, optimize), shared: !declaresGlobals(ptx) };
    if (module.shared) {
      if (this.#shared.size >= maxModules) this.#unloadAll();
      this.#shared.set(key, module);
    }
    return module;
  }

  /**
   * Loads a text together with later texts. Returns undefined if no text can be joined, or if the
   * driver rejects the joined module. Then the caller compiles each text by itself, so that an
   * error concerns only its own text.
   */
  #loadTogether(ptx: string, soon: readonly string[], optimize: number | undefined): LoadedModule | undefined {
    const joined = joinModules(
      ptx,
      soon.filter((text) => !this.#shared.has(keyOf(text, optimize))),
    );
    if (joined === undefined) return undefined;
    try {
      const module = { ...this.#compile(joined.text, optimize), shared: true };
      if (this.#shared.size + joined.entries.size > maxModules) this.#unloadAll();
      for (const [text, entry] of joined.entries) this.#shared.set(keyOf(text, optimize), { ...module, entry });
      return this.#shared.get(keyOf(ptx, optimize));
    } catch {
      return undefined;
    }
  }

  /** Releases a module. Must be called after each launch. */
  release({ handle, shared }: LoadedModule): void {
    if (!shared) this.#driver.query('cuModuleUnload', handle);
  }

  /**
   * Returns the handle of a kernel. Throws `GpuError` 'shader' if the module contains no kernel of
   * that name.
   */
  kernel({ handle, entry: known }: LoadedModule, entry: string, file: string): bigint {
    const found = new BigUint64Array(1);
    const code = this.#driver.query('cuModuleGetFunction', found, handle, cString(known ?? entry));
    if (code === results.notFound) throw new GpuError('shader', `${file} has no kernel named \`${entry}\``);
    if (code !== results.success) throw this.#driver.error('cuModuleGetFunction', code);
    return found[0] ?? 0n;
  }

  #compile(ptx: string, optimize: number | undefined): { handle: bigint; log: string } {
    const infoLog = new Uint8Array(LOG_BYTES);
    const errorLog = new Uint8Array(LOG_BYTES);
    // An option's value is a pointer, or a number that is stored as a pointer.
    const size = BigInt(LOG_BYTES);
    const chosen: readonly (readonly [number, bigint])[] = [
      [jitOptions.infoLog, this.#driver.addressOf(infoLog)],
      [jitOptions.infoLogBytes, size],
      [jitOptions.errorLog, this.#driver.addressOf(errorLog)],
      [jitOptions.errorLogBytes, size],
      ...(optimize === undefined ? [] : [[jitOptions.optimizationLevel, BigInt(optimize)] as const]),
    ];
    const options = Int32Array.from(chosen, ([option]) => option);
    const values = BigUint64Array.from(chosen, ([, value]) => value);
    const module = new BigUint64Array(1);
    const code = this.#driver.query('cuModuleLoadDataEx', module, cString(ptx), options.length, options, values);
    if (code !== results.success) throw this.#driver.error('cuModuleLoadDataEx', code, textOf(errorLog));
    return { handle: module[0] ?? 0n, log: textOf(infoLog) };
  }

  #unloadAll(): void {
    const handles = new Set([...this.#shared.values()].map(({ handle }) => handle));
    for (const handle of handles) this.#driver.query('cuModuleUnload', handle);
    this.#shared.clear();
  }
}

const keyOf = (ptx: string, optimize?: number): string => `${optimize ?? ''} ${ptx}`;

export function cString(text: string): Uint8Array {
  return new TextEncoder().encode(`${text}\0`);
}

/** Returns the text of a log before its NUL character. */
function textOf(log: Uint8Array): string {
  const end = log.indexOf(0);
  return new TextDecoder().decode(end < 0 ? log : log.subarray(0, end)).trim();
}
