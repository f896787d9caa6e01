// What all launches on a device go through, whoever asks for them.

import { Clock } from './clock.ts';
import { CommandQueue } from './command-queue.ts';
import { Faults } from './faults.ts';
import type { GpuError } from './gpu-error.ts';
import { Readback } from './readback.ts';
import { Shaders } from './shaders.ts';

export class Engine {
  readonly device: GPUDevice;
  readonly faults: Faults;
  readonly queue: CommandQueue;
  readonly shaders: Shaders;
  readonly readback: Readback;
  readonly clock: Clock;

  constructor(device: GPUDevice) {
    this.device = device;
    this.faults = new Faults(device);
    this.queue = new CommandQueue(device, this.faults);
    this.shaders = new Shaders(device, this.faults);
    this.readback = new Readback(this.queue, this.faults);
    this.clock = new Clock(this.queue, this.readback, this.faults);
  }

  /// What is still awaited is rejected with that, and all that is asked for afterwards.
  end(error: GpuError): void {
    this.faults.end(error);
    this.queue.drop();
    this.clock.destroy();
    this.readback.destroy();
  }
}
