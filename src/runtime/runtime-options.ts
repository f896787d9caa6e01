// The options of a runtime's methods.

import type { MatrixMode } from '../base/matrix-mode.ts';
import type { Tools } from '../translate/translate.ts';
import type { TranslationStore } from './cache/store.ts';
import type { OnCompile } from './device/compilations.ts';
import type { SanitizeOptions } from './observe/reports.ts';
import type { DeviceOptions } from './open-device.ts';
import type { OnPrint } from './status-board.ts';

/** Options of `Runtime.open`. */
export interface RuntimeOptions extends DeviceOptions {
  /**
   * How f32 arithmetic is compiled. `exact`, the default, returns PTX's bits on every adapter;
   * `fast` uses the adapter's own arithmetic.
   */
  readonly float?: 'exact' | 'fast';
  /**
   * The additions of floating-point matrix products. `ieee`, the default, adds in f32. `hopper`
   * returns the bits of NVIDIA's sm_90, and is several times slower on most adapters.
   */
  readonly matrix?: MatrixMode;
  /**
   * Receives the text that kernels print (`printf`), when the program next awaits the runtime. By
   * default, the text is written to the console.
   */
  readonly onPrint?: OnPrint;
  /**
   * Receives events about a compilation by the driver that takes longer than two seconds: after two
   * seconds, then every second, and at the end. By default, they are written to the console.
   */
  readonly onCompile?: OnCompile;
  /**
   * The time limit of the compilation of one kernel by the driver, in milliseconds. At the limit,
   * the launches of the kernel are dropped, and the next awaited promise rejects with `GpuError`
   * 'timeout'. The default is no limit.
   */
  readonly compileTimeout?: number;
  /**
   * Whether translations are kept for later visits: in IndexedDB in a page, and in the user's cache
   * folder in Node. The default is true. If the value is a store of the caller, translations are
   * kept there.
   */
  readonly cache?: boolean | TranslationStore;
  /**
   * Whether every launch also runs on the reference, for debugging. The reference reports races,
   * accesses out of bounds and other undefined behavior. The runtime copies the memory of a launch
   * before the launch runs. The reference then checks the launches in order, each in a task of this
   * thread, and is about a thousand times as slow as a GPU. `sanitized` waits for these checks.
   */
  readonly sanitize?: boolean | SanitizeOptions;
}

/** Options of `Runtime.load`. */
export interface LoadOptions {
  /** The name of the text in diagnostics. The default is `<ptx>`. */
  readonly file?: string;
  /**
   * The tools that lower textures and surfaces, whose handles are addresses of headers.
   * @internal
   */
  readonly tools?: Tools | undefined;
}

/** Options of `Runtime.adopt`. */
export interface AdoptOptions {
  /**
   * The offset of the adopted part in bytes: a multiple of the device's
   * `minStorageBufferOffsetAlignment` (usually 256). The default is 0.
   */
  readonly offset?: number;
  /**
   * The size of the adopted part in bytes: a multiple of 4. The default is the rest of the buffer.
   */
  readonly bytes?: number;
  /**
   * The name of the memory in messages and in the leak report. The default is the buffer's own
   * label.
   */
  readonly label?: string;
}

/** An allocation that was not freed before its runtime was closed. */
export interface Leak {
  /** The label of the allocation; empty without one. */
  readonly label: string;
  /** The size of the allocation in bytes. */
  readonly bytes: number;
}
