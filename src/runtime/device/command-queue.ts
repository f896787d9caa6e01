// What has been asked of the device and not yet given to it: commands in one encoder, parameters of launches in one buffer that is written before
// they run. So a launch is three calls of a pass, and a thousand of them are one submission.
//
// A launch whose shader is still being compiled waits, and with it everything that is asked for behind it (`Backlog`).

import { alignUp } from '../../base/align.ts';
import type { Dim3 } from '../../base/launch.ts';
import { Backlog } from './backlog.ts';
import type { Faults } from './faults.ts';
import { bufferUsage } from './flags.ts';
import { GpuError } from './gpu-error.ts';
import type { Shader } from './shaders.ts';

/** Parameters of the launches of one submission. */
const ringBytes = 512 * 1024;
/** A GPU shall not wait until the page has launched all it has. */
const maxLaunches = 256;
const none: readonly GPUBuffer[] = [];

export class CommandQueue {
  readonly device: GPUDevice;
  readonly uniforms: GPUBuffer;
  /** Where parameters may begin. */
  readonly align: number;
  readonly #faults: Faults;
  readonly #compilesHere: boolean;
  readonly #backlog: Backlog;
  readonly #mirror = new Uint8Array(ringBytes);
  #used = 0;
  #launches = 0;
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  /** Of the pass. */
  #pipeline: GPUComputePipeline | undefined;
  #group: GPUBindGroup | undefined;
  #isScheduled = false;
  #retired: GPUBuffer[] = [];
  /** Counts submissions, and those of them that are known to be done. */
  #submitted = 0;
  #done = 0;

  /** `compilesHere`: whether this thread would compile a pipeline that is made at once, and wait for the driver. */
  constructor(device: GPUDevice, faults: Faults, compilesHere: boolean) {
    this.device = device;
    this.#faults = faults;
    this.#compilesHere = compilesHere;
    this.#backlog = new Backlog(faults, () => this.#schedule());
    this.align = device.limits.minUniformBufferOffsetAlignment;
    this.uniforms = device.createBuffer({
      label: 'parameters of launches',
      size: ringBytes,
      usage: bufferUsage.uniform | bufferUsage.copyTarget,
    });
  }

  /** Whether the device is known to have done everything that it was given. */
  get isIdle(): boolean {
    return this.#submitted === this.#done && !this.#backlog.isWaiting;
  }

  /** Asks for commands outside of passes. What was asked before runs before them. */
  encode(commands: (encoder: GPUCommandEncoder) => void): void {
    this.#ask(() => {
      this.#endPass();
      commands(this.#opened());
    });
  }

  /** Asks for a dispatch. `offsets`: where its uniforms are, in the order of their bindings. */
  dispatch(shader: Shader, group: GPUBindGroup, offsets: Uint32Array, workgroups: Dim3): void {
    const pipeline = shader.pipeline ?? (this.#compilesHere ? undefined : shader.now());
    if (pipeline && !this.#backlog.isWaiting) return this.#dispatch(pipeline, group, offsets, workgroups);
    // What was asked for in front of it does not wait.
    if (!this.#backlog.isWaiting) this.#submit(this.#mirror.subarray(0, this.#used), this.#takeRetired());
    const own = offsets.slice();
    this.#backlog.holdFor(shader, (ready) => this.#dispatch(ready, group, own, workgroups));
    this.#schedule();
  }

  /** Begins a pass for dispatches that are measured together. It ends with the next `encode`. */
  timedPass(timestampWrites: GPUComputePassTimestampWrites): void {
    this.#ask(() => {
      this.#endPass();
      this.#pass = this.#opened().beginComputePass({ timestampWrites });
    });
  }

  /** Ends the pass that `timedPass` began. */
  endPass(): void {
    this.#ask(() => this.#endPass());
  }

  /**
   * Room for the parameters of launches: to be filled at once. Where there is none left, what was asked is submitted. Throws `GpuError` 'validation'
   * for more than there can be.
   */
  room(bytes: number, launches = 1): { readonly offset: number; readonly bytes: Uint8Array } {
    if (bytes > ringBytes) throw new GpuError('validation', `${bytes} bytes of parameters are more than ${ringBytes}`);
    if (this.#used + bytes > ringBytes || this.#launches + launches > maxLaunches) this.flush();
    const offset = this.#used;
    this.#used = alignUp(offset + bytes, this.align);
    this.#launches += launches;
    return { offset, bytes: this.#mirror.subarray(offset, offset + bytes) };
  }

  /** Destroys a buffer once what was asked has been submitted. */
  retire(buffer: GPUBuffer): void {
    this.#retired.push(buffer);
    this.#schedule();
  }

  /** Copies to the device at once; what was asked before is submitted before. What is no whole word is followed by zeros. */
  write(buffer: GPUBuffer, offset: number, data: Uint8Array): void {
    this.flush();
    if (!this.#backlog.isWaiting) return this.#write(buffer, offset, data);
    // The caller may change its bytes meanwhile.
    const own = data.slice();
    this.#backlog.hold(() => this.#write(buffer, offset, own));
  }

  /** Gives the device what was asked, once the shaders in it are compiled. */
  flush(): void {
    const uniforms = this.#mirror.subarray(0, this.#used);
    const retired = this.#takeRetired();
    [this.#used, this.#launches] = [0, 0];
    if (!this.#backlog.isWaiting) return this.#submit(uniforms, retired);
    const own = uniforms.slice();
    this.#backlog.hold(() => this.#submit(own, retired));
  }

  /** Submits what was asked, and starts `work` right behind it: its promise is kept when the device has come so far. */
  behind<T>(work: () => Promise<T>): Promise<T> {
    this.flush();
    const start = (): Promise<T> => {
      const until = this.#submitted;
      const started = work();
      started.then(
        () => {
          this.#done = Math.max(this.#done, until);
        },
        () => undefined,
      );
      return started;
    };
    if (!this.#backlog.isWaiting) return start();
    return new Promise((resolve) => this.#backlog.hold(() => resolve(start())));
  }

  /** Submits what was asked. The promise is kept when all of it is done. */
  async finished(): Promise<void> {
    await this.behind(() => this.device.queue.onSubmittedWorkDone());
  }

  /** Ends the pass: nothing that was asked and not submitted will run. */
  drop(): void {
    this.#backlog.drop();
    this.#encoder = undefined;
    this.#pass = undefined;
    for (const buffer of this.#takeRetired()) buffer.destroy();
    this.uniforms.destroy();
  }

  /** Does something in its turn. */
  #ask(work: () => void): void {
    if (this.#faults.lost) throw this.#faults.lost;
    if (this.#backlog.isWaiting) this.#backlog.hold(work);
    else work();
    this.#schedule();
  }

  #dispatch(pipeline: GPUComputePipeline, group: GPUBindGroup, offsets: Uint32Array, [x, y, z]: Dim3): void {
    this.#pass ??= this.#opened().beginComputePass();
    const pass = this.#pass;
    if (pipeline !== this.#pipeline) pass.setPipeline(pipeline);
    // Of a launch's calls this is the dearest, and an array of numbers would make it dearer by half.
    if (offsets.length > 0) pass.setBindGroup(0, group, offsets, 0, offsets.length);
    else if (group !== this.#group || pipeline !== this.#pipeline) pass.setBindGroup(0, group);
    this.#pipeline = pipeline;
    this.#group = group;
    pass.dispatchWorkgroups(x, y, z);
  }

  #write(buffer: GPUBuffer, offset: number, { buffer: from, byteOffset, byteLength }: Uint8Array): void {
    const { queue } = this.device;
    const rest = byteLength % 4;
    const whole = byteLength - rest;
    this.#submitted += 1;
    this.#faults.guard(this.device, 'validation', () => {
      if (whole > 0) queue.writeBuffer(buffer, offset, from, byteOffset, whole);
      if (rest === 0) return;
      const tail = new Uint8Array(4);
      tail.set(new Uint8Array(from, byteOffset + whole, rest));
      queue.writeBuffer(buffer, offset + whole, tail);
    });
  }

  #submit(uniforms: Uint8Array, retired: readonly GPUBuffer[]): void {
    const encoder = this.#encoder;
    const { queue } = this.device;
    if (encoder) {
      this.#endPass();
      this.#encoder = undefined;
      this.#submitted += 1;
      if (uniforms.length > 0)
        queue.writeBuffer(this.uniforms, 0, uniforms.buffer, uniforms.byteOffset, uniforms.length);
      this.#faults.guard(this.device, 'validation', () => queue.submit([encoder.finish()]));
    }
    if (retired.length === 0) return;
    for (const buffer of retired) buffer.destroy();
    // Dawn gives memory back when something that was submitted later is done.
    queue.submit([]);
  }

  #takeRetired(): readonly GPUBuffer[] {
    if (this.#retired.length === 0) return none;
    const retired = this.#retired;
    this.#retired = [];
    return retired;
  }

  #endPass(): void {
    this.#pass?.end();
    this.#pass = undefined;
    this.#pipeline = undefined;
    this.#group = undefined;
  }

  #opened(): GPUCommandEncoder {
    if (this.#faults.lost) throw this.#faults.lost;
    this.#encoder ??= this.device.createCommandEncoder();
    this.#schedule();
    return this.#encoder;
  }

  /** What nobody waits for runs, too: when the task that asked for it is over. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
