// The part of a device that all of its launches share.

import { Clock } from './clock.ts';
import { CommandQueue } from './command-queue.ts';
import { Compilations } from './compilations.ts';
import { Faults } from './faults.ts';
import type { GpuError } from './gpu-error.ts';
import { Readback } from './readback.ts';
import { Shaders } from './shaders.ts';
import { plainWaits, type Waits } from './waits.ts';

export interface EngineOptions {
  /**
   * Whether synchronous creation of a pipeline compiles on this thread. If so, launches wait for
   * asynchronous compilation, so that the thread is not blocked.
   */
  readonly compilesHere?: boolean;
  readonly waits?: Waits;
}

export class Engine {
  readonly device: GPUDevice;
  readonly faults: Faults;
  readonly compilations = new Compilations();
  readonly queue: CommandQueue;
  readonly shaders: Shaders;
  readonly readback: Readback;
  readonly clock: Clock;

  constructor(device: GPUDevice, { compilesHere = false, waits = plainWaits }: EngineOptions = {}) {
    this.device = device;
    this.faults = new Faults(device, waits);
    // Commands must not wait for a pipeline that may be abandoned.
    const waitsForShaders = () => compilesHere || this.compilations.timeoutMs !== undefined;
    this.queue = new CommandQueue(device, this.faults, waitsForShaders);
    this.shaders = new Shaders(device, this.faults, this.compilations);
    this.readback = new Readback(this.queue, this.faults);
    this.clock = new Clock(this.queue, this.readback, this.faults);
  }

  /** Rejects all pending and all later promises with this error. */
  end(error: GpuError): void {
    this.faults.end(error);
    this.queue.drop();
    this.clock.destroy();
    this.readback.destroy();
  }
}
