// CUDA's host runtime in a page: memory that stays on a device, modules, and ordered launches.

import { buildStamp } from '../base/build-stamp.ts';
import { matrixModes } from '../base/matrix-mode.ts';
import type { TensorMap } from '../base/tensor-map.ts';
import { ModuleCache } from './cache/module-cache.ts';
import { writeCompilations } from './device/compilations.ts';
import type { DeviceReport } from './device/device.ts';
import type { Engine } from './device/engine.ts';
import { Event } from './events.ts';
import { bytesOf, type KernelArgument, shown } from './launch/arguments.ts';
import { Launcher } from './launcher.ts';
import { type AllocOptions, DeviceMemory } from './memory/device-memory.ts';
import { DevicePointer, type PointerOwner } from './memory/pointer.ts';
import { Transfers } from './memory/transfers.ts';
import type { LoadedModule } from './module.ts';
import type { Capture, CaptureOptions } from './observe/capture.ts';
import { Observers } from './observe/observers.ts';
import type { SanitizerReport } from './observe/reports.ts';
import { endEngine, type MeasuredDevice, openMeasured } from './open-device.ts';
import { floatProfile } from './preflight/profile.ts';
import { type NamedArgument, Recorder } from './recorder.ts';
import type { AdoptOptions, Leak, LoadOptions, RuntimeOptions } from './runtime-options.ts';
import { Sequence } from './sequence.ts';
import { StatusBoard } from './status-board.ts';
import { Stream } from './stream.ts';

function checkChoice<T>(name: string, value: T, choices: readonly T[]): void {
  if (!choices.includes(value))
    throw new TypeError(`invalid ${name} ${shown(value)}: expected '${choices.join("' or '")}'`);
}

/** Loads the compiler, which is most of the code. Bundlers put it into a separate file. */
const loadCompiler = () => import('./module.ts');

/**
 * CUDA's runtime on one WebGPU device: memory, modules, launches, streams and events. Commands run
 * in the order of the calls, and the program need not await them. An error on the device rejects
 * the next promise that is awaited.
 *
 * @example
 * ```js
 * import { Runtime } from 'lanewise/runtime';
 *
 * using rt = await Runtime.open();
 * const module = await rt.load(ptx);
 * const x = rt.alloc(4096);
 * x.write(new Float32Array(1024).fill(1));
 * module.kernel('scale').launch({ grid: 4, block: 256 }, [x, 2.5, 1024]);
 * console.log(await x.read(Float32Array));
 * ```
 */
export class Runtime {
  /** The WebGPU device that was passed to `open`, or that `open` requested. */
  readonly device: GPUDevice;
  /** The identity, features and limits of the device. */
  readonly adapter: DeviceReport;
  readonly #opened: MeasuredDevice;
  readonly #options: RuntimeOptions;
  readonly #engine: Engine;
  readonly #memory: DeviceMemory;
  readonly #transfers: Transfers;
  readonly #status: StatusBoard;
  readonly #launcher: Launcher;
  readonly #owner: PointerOwner;
  readonly #observers: Observers;
  #isClosed = false;

  /**
   * Opens a device with all features and limits of the adapter that kernels use, or uses
   * `options.device`. Rejects with `GpuError` 'unavailable' if WebGPU or an adapter is missing, or
   * if the lane plan is not possible. Rejects with TypeError for an invalid `float`, `matrix` or
   * `compileTimeout`.
   */
  static async open(options: RuntimeOptions = {}): Promise<Runtime> {
    const { float = 'exact', matrix = 'ieee', compileTimeout } = options;
    checkChoice('float', float, ['exact', 'fast']);
    checkChoice('matrix', matrix, matrixModes);
    if (compileTimeout !== undefined && !(compileTimeout > 0))
      throw new TypeError(`invalid compileTimeout ${shown(compileTimeout)}: expected milliseconds above 0`);
    // Load the compiler while the device opens.
    loadCompiler().catch(() => undefined);
    const opened = await openMeasured(options);
    const runtime = new Runtime(opened, options);
    if (options.sanitize) await runtime.#observers.sanitize(options.sanitize === true ? {} : options.sanitize);
    return runtime;
  }

  private constructor(opened: MeasuredDevice, options: RuntimeOptions) {
    this.#opened = opened;
    this.#options = options;
    const { engine } = opened;
    this.device = engine.device;
    this.adapter = opened.report;
    this.#engine = engine;
    engine.compilations.onCompile = options.onCompile ?? writeCompilations((line) => console.info(`lanewise: ${line}`));
    engine.compilations.timeoutMs = options.compileTimeout;
    const groups = new Map<string, GPUBindGroup>();
    const drop = (keys: Iterable<string>) => {
      for (const key of keys) groups.delete(key);
    };
    this.#memory = new DeviceMemory(engine, drop);
    this.#transfers = new Transfers(engine, this.#memory);
    const onPrint = options.onPrint ?? ((text) => console.log(text.replace(/\n$/, '')));
    this.#status = new StatusBoard(engine, onPrint);
    this.#owner = this.#pointerOwner();
    this.#launcher = new Launcher(this.#owner, this.#memory, engine, this.#status, groups);
    this.#observers = new Observers(engine, this.#memory, this.#launcher.observers, options.float === 'fast');
  }

  /**
   * Allocates `bytes` bytes of device memory, filled with zeros. Throws RangeError for an invalid
   * size, and `GpuError` 'out-of-memory' for a size above the limits of the device. If the device
   * has no memory left, the next awaited promise rejects with `GpuError` 'out-of-memory', and other
   * memory stays valid.
   */
  alloc(bytes: number, options?: AllocOptions): DevicePointer {
    this.#check();
    return new DevicePointer(this.#owner, this.#memory.allocate(bytes, options), 0);
  }

  /**
   * Returns a pointer to a buffer of the caller, which is neither copied nor destroyed. Throws
   * TypeError for a value that is not a GPUBuffer. Throws RangeError if the buffer lacks
   * GPUBufferUsage.STORAGE, or if the part is misaligned, overlaps an adopted part or exceeds the
   * buffer.
   */
  adopt(buffer: GPUBuffer, { offset = 0, bytes, label }: AdoptOptions = {}): DevicePointer {
    this.#check();
    if (typeof buffer !== 'object' || buffer === null || !('mapAsync' in buffer))
      throw new TypeError(`\`adopt\` requires a GPUBuffer, got ${shown(buffer)}`);
    const size = bytes ?? buffer.size - offset;
    return new DevicePointer(this.#owner, this.#memory.adopt(buffer, offset, size, label ?? buffer.label), 0);
  }

  /**
   * Parses a PTX module and allocates its variables. Kernels are compiled for each launch shape at
   * the first launch. Rejects with `PtxError` for invalid PTX, with TypeError for 32-bit addresses,
   * and with `GpuError` 'out-of-memory' if the variables do not fit.
   */
  async load(ptx: string, { file = '<ptx>', tools }: LoadOptions = {}): Promise<LoadedModule> {
    this.#check();
    const { plan, measured, workarounds, driver } = this.#opened;
    const { float: mode, matrix, cache = true } = this.#options;
    const host = {
      engine: this.#engine,
      launcher: this.#launcher,
      transfers: this.#transfers,
      plan,
      workarounds,
      driver,
      float: floatProfile(measured, mode, matrix),
      matrices: measured.matrices ?? [],
      tools,
    };
    // A compiler that runs from its sources has no build stamp, and may change at any time. So its
    // translations are not kept for the next process.
    const own = cache === true && buildStamp !== undefined ? this.#opened.translations : undefined;
    const store = typeof cache === 'object' ? cache : own;
    const [compiler, known] = await Promise.all([loadCompiler(), store && ModuleCache.open(store, ptx)]);
    const { maxComputeInvocationsPerWorkgroup: maxInvocations } = this.#engine.device.limits;
    const module = await compiler.parseModule(ptx, file, { float: host.float, workarounds, maxInvocations });
    this.#check();
    return new compiler.LoadedModule(host, module, known);
  }

  /**
   * Copies `bytes` bytes within device memory. The two ranges may overlap. Throws TypeError for an
   * invalid pointer, and RangeError if a range exceeds its allocation.
   */
  memcpy(target: DevicePointer, source: DevicePointer, bytes: number): void {
    this.#check();
    this.#checkPointer(target, 'memcpy', 'target');
    this.#checkPointer(source, 'memcpy', 'source');
    this.#orRecord(() =>
      this.#transfers.copy(target.allocation, target.offset, source.allocation, source.offset, bytes),
    );
  }

  /**
   * Sets `bytes` bytes to the low byte of `value`. The default is all bytes up to the end of the
   * allocation. Throws TypeError for an invalid pointer, and RangeError if the range exceeds its
   * allocation.
   */
  memset(target: DevicePointer, value: number, bytes?: number): void {
    this.#check();
    this.#checkPointer(target, 'memset', 'target');
    const count = bytes ?? target.bytes;
    const word = Math.imul(value & 0xff, 0x01010101) >>> 0;
    this.#orRecord(() => this.#transfers.fill(target.allocation, target.offset, count, word));
  }

  /**
   * Returns the tensor map of the tensor at `memory`, for a `CUtensorMap` parameter. It has the
   * bytes that `cuTensorMapEncodeTiled` of the CUDA driver encodes or, if the map has `im2col` instead
   * of `box`, `cuTensorMapEncodeIm2col`. Rejects with TypeError for an invalid pointer, and with
   * RangeError for a map that the driver would reject.
   *
   * @example
   * ```js
   * const map = await rt.tensorMap(x, { type: 'f16', sizes: [64, 128], box: [64, 32], swizzle: '128B' });
   * kernel.launch({ grid: 1, block: 128 }, [map]);
   * ```
   */
  async tensorMap(memory: DevicePointer, map: TensorMap): Promise<Uint8Array> {
    this.#check();
    this.#checkPointer(memory, 'tensorMap', 'memory');
    const { encodeTensorMap } = await import('../base/encode-tensor-map.ts');
    return encodeTensorMap(map, memory.address);
  }

  /**
   * Records the commands of `ask` (launches, `memcpy`, `memset` and events) without running them.
   * `Sequence.replay` runs the commands, at a fraction of the cost of separate calls.
   * `argument(name, value)` marks an argument of a launch that a replay may change. Throws the
   * errors of the launches. Throws RangeError for a command that cannot be recorded, and TypeError
   * if `ask` returns a promise.
   */
  record(
    ask: (argument: <Value extends KernelArgument>(name: string, value: Value) => NamedArgument<Value>) => void,
  ): Sequence {
    this.#check();
    const launcher = this.#launcher;
    if (launcher.recorder) throw new RangeError('a recording cannot contain another recording');
    const recorder = new Recorder();
    launcher.recorder = recorder;
    try {
      const asked: unknown = ask((name, value) => recorder.name(name, value));
      if (asked instanceof Promise) {
        // The caller never receives this promise, and Node exits on an unhandled rejection.
        asked.catch(() => undefined);
        throw new TypeError('the callback of `record` must be synchronous, but it returned a promise');
      }
    } finally {
      launcher.recorder = undefined;
    }
    return new Sequence(launcher, this.#engine.queue, recorder, () => this.#checkAtOnce('replay'));
  }

  /**
   * Records the following launches, with the memory before and after each launch, as case files for
   * `lanewise run`, `check` and `bench`. `Capture.end` resolves with the case files. Throws
   * TypeError for an invalid limit.
   */
  capture(options: CaptureOptions = {}): Capture {
    this.#check();
    return this.#observers.capture(options);
  }

  /**
   * Waits until the reference has checked all launches so far, and resolves with all reports so
   * far. Each problem of a kernel is reported once. Rejects with the first device error, and with
   * RangeError if the runtime was opened without `sanitize`.
   */
  async sanitized(): Promise<readonly SanitizerReport[]> {
    this.#check();
    return await this.#observers.sanitized();
  }

  /**
   * Submits all commands so far to the device. The runtime also submits them at the end of the
   * current task. Call this method before you submit commands of your own to the same device.
   */
  flush(): void {
    this.#engine.queue.flush();
  }

  /**
   * Waits for all commands so far. Rejects with the first device error, and with `GpuError`
   * 'timeout' after `timeoutMs` milliseconds; the device continues in that case. Throws RangeError
   * within a recording.
   */
  synchronize(options: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#checkOutsideRecording('synchronize');
    return this.#synchronize(options);
  }

  async #synchronize({ timeoutMs }: { readonly timeoutMs?: number }): Promise<void> {
    this.#check();
    this.#status.look();
    const limit = timeoutMs === undefined ? undefined : { ms: timeoutMs, label: this.#launcher.latest };
    await this.#engine.faults.settle(this.#engine.queue.finished(), limit);
  }

  /**
   * Creates an event, which marks a point among the commands once it is recorded. Throws `GpuError`
   * 'out-of-memory' if the runtime has 1,024 events.
   */
  event(): Event {
    this.#check();
    return new Event(this.#engine, (run) => this.#orRecord(run));
  }

  /**
   * Creates a stream. A WebGPU device has one queue, so all streams run in the order of the calls.
   */
  stream(label = ''): Stream {
    return new Stream(this, label);
  }

  /**
   * Whether events use the GPU's clock, which requires the feature `timestamp-query`. Otherwise
   * events use the host's clock.
   */
  get hasGpuClock(): boolean {
    return this.#engine.clock.isGpus;
  }

  /**
   * Frees all memory, destroys the device if `open` requested it, and returns the allocations that
   * were not freed. Pending promises reject. A second call returns an empty list.
   */
  close(): readonly Leak[] {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    const left = [...this.#memory.live].filter(({ isModule }) => !isModule);
    const leaks = left.map(({ label, bytes }) => ({ label, bytes }));
    this.#memory.destroy();
    this.#launcher.destroy();
    this.#status.destroy();
    this.#transfers.destroy();
    endEngine(this.#opened, 'the runtime is closed');
    return leaks;
  }

  /** Calls `close`. */
  [Symbol.dispose](): void {
    this.close();
  }

  #checkPointer(pointer: DevicePointer, what: string, which: string): void {
    if (!(pointer instanceof DevicePointer))
      throw new TypeError(`invalid ${which} of \`${what}\` ${shown(pointer)}: expected a device pointer`);
    if (!pointer.isOf(this.#owner)) throw new TypeError(`the ${which} of \`${what}\` belongs to another runtime`);
  }

  #check(): void {
    if (this.#engine.faults.lost) throw this.#engine.faults.lost;
  }

  #orRecord(run: () => void): void {
    const { recorder } = this.#launcher;
    if (recorder) recorder.command(run);
    else run();
  }

  /** Throws RangeError within a recording, because the operation runs immediately. */
  #checkAtOnce(what: string): void {
    this.#check();
    this.#checkOutsideRecording(what);
  }

  #checkOutsideRecording(what: string): void {
    if (this.#launcher.recorder) throw new RangeError(`\`${what}\` cannot be recorded, because it runs immediately`);
  }

  #pointerOwner(): PointerOwner {
    return {
      write: ({ allocation, offset }, data) => {
        this.#checkAtOnce('write');
        this.#transfers.write(allocation, offset, bytesOf(data));
      },
      checkOutsideRecording: (what) => this.#checkOutsideRecording(what),
      readBytes: async ({ allocation, offset }, to) => {
        this.#check();
        this.#status.look();
        await this.#engine.faults.settle(this.#transfers.read(allocation, offset, to));
      },
      free: ({ allocation }) => {
        if (!this.#isClosed) this.#memory.free(allocation);
      },
      addressOf: (allocation) => this.#memory.addressOf(allocation),
      bufferOf: ({ allocation, offset, bytes }) => {
        allocation.check();
        const { buffer, offset: start } = this.#memory.regionOf(allocation);
        return { buffer, offset: start + offset, size: bytes };
      },
    };
  }
}
