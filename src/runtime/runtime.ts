// CUDA's half that a page has not: memory that stays on a device, modules, and launches one after another.

import type { DeviceReport } from './device/device.ts';
import type { Engine } from './device/engine.ts';
import { Event } from './events.ts';
import { bytesOf, type KernelArgument, shown } from './launch/arguments.ts';
import { Launcher } from './launcher.ts';
import { type AllocOptions, DeviceMemory } from './memory/device-memory.ts';
import { DevicePointer, type PointerOwner } from './memory/pointer.ts';
import { Transfers } from './memory/transfers.ts';
import { LoadedModule } from './module.ts';
import { type DeviceOptions, endEngine, type MeasuredDevice, openMeasured } from './open-device.ts';
import { floatProfile } from './preflight/profile.ts';
import { type NamedArgument, Recorder } from './recorder.ts';
import { Sequence } from './sequence.ts';
import { type OnPrint, StatusBoard } from './status-board.ts';
import { Stream } from './stream.ts';

/** How `Runtime.open` opens a device. */
export interface RuntimeOptions extends DeviceOptions {
  /** `exact`, if not said: PTX's f32 bits on every adapter. `fast`: the adapter's own arithmetic. */
  readonly float?: 'exact' | 'fast';
  /** Gets what kernels print, when something behind them is awaited; without it, the console does. */
  readonly onPrint?: OnPrint;
}

export interface LoadOptions {
  /** What messages call the text. */
  readonly file?: string;
}

export interface AdoptOptions {
  /** The part of the buffer; all of it if not said. The offset is a multiple of 256. */
  readonly offset?: number;
  readonly bytes?: number;
  /** What messages and the leak report call it; the buffer's own label if not said. */
  readonly label?: string;
}

/** What was not freed when the runtime was closed. */
export interface Leak {
  readonly label: string;
  readonly bytes: number;
}

/**
 * Memory, modules and launches on one device. What is asked for runs in that order; nothing has to be awaited in between. What goes wrong on
 * the device rejects the next promise behind it.
 */
export class Runtime {
  /** The page's own, or the one that was opened. */
  readonly device: GPUDevice;
  /** What the device is, with its limits. */
  readonly adapter: DeviceReport;
  readonly #opened: MeasuredDevice;
  readonly #options: RuntimeOptions;
  readonly #engine: Engine;
  readonly #memory: DeviceMemory;
  readonly #transfers: Transfers;
  readonly #status: StatusBoard;
  readonly #launcher: Launcher;
  readonly #owner: PointerOwner;
  #isClosed = false;

  /** Opens a device with all that the adapter offers, or takes the page's. Rejects with `GpuError` 'unavailable'. */
  static async open(options: RuntimeOptions = {}): Promise<Runtime> {
    const { float = 'exact' } = options;
    if (float !== 'exact' && float !== 'fast') throw new TypeError(`float: ${shown(float)} is neither exact nor fast`);
    return new Runtime(await openMeasured(options), options);
  }

  private constructor(opened: MeasuredDevice, options: RuntimeOptions) {
    this.#opened = opened;
    this.#options = options;
    const { engine } = opened;
    this.device = engine.device;
    this.adapter = opened.report;
    this.#engine = engine;
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
  }

  /**
   * Device memory, all zeros. Throws RangeError for a size that is none, and `GpuError` 'out-of-memory' where it is more than the device
   * binds; where the device has no room, what is awaited next rejects so, and everything else goes on.
   */
  alloc(bytes: number, options?: AllocOptions): DevicePointer {
    this.#check();
    return new DevicePointer(this.#owner, this.#memory.allocate(bytes, options), 0);
  }

  /** A pointer to a buffer of the page's own, which is neither copied nor destroyed. It needs GPUBufferUsage.STORAGE. */
  adopt(buffer: GPUBuffer, { offset = 0, bytes, label }: AdoptOptions = {}): DevicePointer {
    this.#check();
    if (typeof buffer !== 'object' || buffer === null || !('mapAsync' in buffer))
      throw new TypeError(`\`adopt\` takes a GPUBuffer, and got ${shown(buffer)}`);
    const size = bytes ?? buffer.size - offset;
    return new DevicePointer(this.#owner, this.#memory.adopt(buffer, offset, size, label ?? buffer.label), 0);
  }

  /** Reads a PTX module; its kernels are compiled for the shapes of their launches. Rejects with `PtxError`, whose `diagnostics` name places. */
  async load(ptx: string, { file = '<ptx>' }: LoadOptions = {}): Promise<LoadedModule> {
    this.#check();
    const { plan, measured, workarounds } = this.#opened;
    const host = {
      engine: this.#engine,
      launcher: this.#launcher,
      transfers: this.#transfers,
      plan,
      workarounds,
      float: floatProfile(measured, this.#options.float),
    };
    return new LoadedModule(host, ptx, file);
  }

  /** Copies within device memory; the two may overlap. */
  memcpy(target: DevicePointer, source: DevicePointer, bytes: number): void {
    this.#check();
    this.#checkPointer(target, 'memcpy', 'target');
    this.#checkPointer(source, 'memcpy', 'source');
    this.#orRecord(() =>
      this.#transfers.copy(target.allocation, target.offset, source.allocation, source.offset, bytes),
    );
  }

  /** Sets `bytes` bytes to the low byte of `value`. */
  memset(target: DevicePointer, value: number, bytes?: number): void {
    this.#check();
    this.#checkPointer(target, 'memset', 'target');
    const count = bytes ?? target.bytes;
    const word = Math.imul(value & 0xff, 0x01010101) >>> 0;
    this.#orRecord(() => this.#transfers.fill(target.allocation, target.offset, count, word));
  }

  /**
   * Takes down what `ask` asks for, launches, `memcpy`, `memset` and events, and runs none of it: `replay` does, as often as is wanted
   * and in a fraction of the time. `argument(name, value)` makes an argument of a launch one that a replay may change.
   * Throws as launches do, and RangeError for what happens at once.
   */
  record(ask: (argument: (name: string, value: KernelArgument) => NamedArgument) => void): Sequence {
    this.#check();
    const launcher = this.#launcher;
    if (launcher.recorder) throw new RangeError('a recording cannot begin within another');
    const recorder = new Recorder();
    launcher.recorder = recorder;
    try {
      const asked: unknown = ask((name, value) => recorder.name(name, value));
      if (asked instanceof Promise) {
        // The caller never sees this promise, and Node ends at a rejection that nobody handles.
        asked.catch(() => undefined);
        throw new TypeError('what `record` calls must ask at once: it gave a promise');
      }
    } finally {
      launcher.recorder = undefined;
    }
    return new Sequence(launcher, this.#engine.queue, recorder, () => this.#checkAtOnce('replay'));
  }

  /**
   * Gives the device at once what was asked for; that happens by itself when the task that asked is over. A page that submits commands of its
   * own calls it before.
   */
  flush(): void {
    this.#engine.queue.flush();
  }

  /**
   * Waits for everything asked for so far. Rejects with what has gone wrong until then, and with `GpuError` 'timeout' after `timeoutMs`: what the
   * device does goes on then. Throws RangeError within a recording.
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

  /** A point to be recorded among launches. */
  event(): Event {
    this.#check();
    return new Event(this.#engine, (run) => this.#orRecord(run));
  }

  /** An order of launches. A device of WebGPU has one queue: all streams share it. */
  stream(label = ''): Stream {
    return new Stream(this, label);
  }

  /** Whether events are read from the GPU's own clock. */
  get hasGpuClock(): boolean {
    return this.#engine.clock.isGpus;
  }

  /** Frees everything, and says what had not been freed. What is still awaited is rejected. */
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

  [Symbol.dispose](): void {
    this.close();
  }

  #checkPointer(pointer: DevicePointer, what: string, which: string): void {
    if (!(pointer instanceof DevicePointer))
      throw new TypeError(`the ${which} of \`${what}\` is ${shown(pointer)}, and must be a device pointer`);
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

  /** Throws RangeError within a recording. */
  #checkAtOnce(what: string): void {
    this.#check();
    this.#checkOutsideRecording(what);
  }

  #checkOutsideRecording(what: string): void {
    if (this.#launcher.recorder) throw new RangeError(`\`${what}\` cannot be recorded: it happens at once`);
  }

  #pointerOwner(): PointerOwner {
    return {
      write: ({ allocation, offset }, data) => {
        this.#checkAtOnce('write');
        this.#transfers.write(allocation, offset, bytesOf(data));
      },
      checkOutsideRecording: (what) => this.#checkOutsideRecording(what),
      readBytes: async ({ allocation, offset }, bytes) => {
        this.#check();
        this.#status.look();
        const { buffer } = await this.#engine.faults.settle(this.#transfers.read(allocation, offset, bytes));
        return buffer;
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
