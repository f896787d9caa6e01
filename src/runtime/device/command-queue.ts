// Commands that are not yet submitted. They have one encoder, and one buffer with the parameters of
// all launches, which is written before the commands run. So a launch costs three calls of a pass,
// and a thousand launches are one submission.
//
// A launch whose shader is still compiling waits, and so do all later commands (`Backlog`).

import { alignUp } from '../../base/align.ts';
import type { Dim3 } from '../../base/launch.ts';
import { Backlog } from './backlog.ts';
import type { Faults } from './faults.ts';
import { bufferUsage } from './flags.ts';
import { GpuError } from './gpu-error.ts';
import type { Shader } from './shaders.ts';

/** The maximum size of the launch parameters in one submission, in bytes. */
const ringBytes = 512 * 1024;
/**
 * The number of launches after which the queue submits early. Otherwise the GPU would wait until
 * the page has launched everything.
 */
const maxLaunches = 256;
const none: readonly GPUBuffer[] = [];

export class CommandQueue {
  readonly device: GPUDevice;
  readonly uniforms: GPUBuffer;
  /** The alignment of an offset in the buffer of parameters, in bytes. */
  readonly align: number;
  readonly #faults: Faults;
  readonly #waitsForShaders: () => boolean;
  readonly #backlog: Backlog;
  readonly #mirror = new Uint8Array(ringBytes);
  #used = 0;
  #launches = 0;
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  /** The pipeline that the open pass has set. */
  #pipeline: GPUComputePipeline | undefined;
  #group: GPUBindGroup | undefined;
  #isScheduled = false;
  #retired: GPUBuffer[] = [];
  /** The number of submissions, and the number of submissions that are known to be finished. */
  #submitted = 0;
  #done = 0;

  /**
   * `waitsForShaders`: whether launches wait until their shader is compiled asynchronously. This is
   * needed if synchronous creation of a pipeline compiles on this thread and waits for the driver.
   */
  constructor(device: GPUDevice, faults: Faults, waitsForShaders: () => boolean) {
    this.device = device;
    this.#faults = faults;
    this.#waitsForShaders = waitsForShaders;
    this.#backlog = new Backlog(faults, () => this.#schedule());
    this.align = device.limits.minUniformBufferOffsetAlignment;
    this.uniforms = device.createBuffer({
      label: 'parameters of launches',
      size: ringBytes,
      usage: bufferUsage.uniform | bufferUsage.copyTarget,
    });
  }

  /** Whether the device is known to have finished all submitted work. */
  get isIdle(): boolean {
    return this.#submitted === this.#done && !this.#backlog.isWaiting;
  }

  /** Adds commands outside of passes. They run after all earlier commands. */
  encode(commands: (encoder: GPUCommandEncoder) => void): void {
    this.#ask(() => {
      this.#endPass();
      commands(this.#opened());
    });
  }

  /**
   * Adds a dispatch. `offsets` contains the offsets of its uniforms, in the order of their
   * bindings.
   */
  dispatch(shader: Shader, group: GPUBindGroup, offsets: Uint32Array, workgroups: Dim3): void {
    const pipeline = shader.pipeline ?? (this.#waitsForShaders() ? undefined : shader.now());
    if (pipeline && !this.#backlog.isWaiting) return this.#dispatch(pipeline, group, offsets, workgroups);
    // Submit the earlier commands, which do not need this shader.
    if (!this.#backlog.isWaiting) this.#submit(this.#mirror.subarray(0, this.#used), this.#takeRetired());
    const own = offsets.slice();
    this.#backlog.holdFor(shader, (ready) => this.#dispatch(ready, group, own, workgroups));
    this.#schedule();
  }

  /** Begins a pass for dispatches that are measured together. The next `encode` ends it. */
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
   * Reserves space for the parameters of launches, which the caller must fill immediately. If the
   * space is used up, earlier commands are submitted first. Throws `GpuError` 'validation' for
   * parameters above the maximum.
   */
  room(bytes: number, launches = 1): { readonly offset: number; readonly bytes: Uint8Array } {
    if (bytes > ringBytes)
      throw new GpuError('validation', `${bytes} bytes of parameters exceed the maximum of ${ringBytes}`);
    if (this.#used + bytes > ringBytes || this.#launches + launches > maxLaunches) this.flush();
    const offset = this.#used;
    this.#used = alignUp(offset + bytes, this.align);
    this.#launches += launches;
    return { offset, bytes: this.#mirror.subarray(offset, offset + bytes) };
  }

  /** Destroys a buffer once the commands so far have been submitted. */
  retire(buffer: GPUBuffer): void {
    this.#retired.push(buffer);
    this.#schedule();
  }

  /**
   * Writes data to a buffer immediately, after submitting all earlier commands. Zeros pad the data
   * to whole words.
   */
  write(buffer: GPUBuffer, offset: number, data: Uint8Array): void {
    this.flush();
    if (!this.#backlog.isWaiting) return this.#write(buffer, offset, data);
    // Copy the data, because the caller may change it before the write.
    const own = data.slice();
    this.#backlog.hold(() => this.#write(buffer, offset, own));
  }

  /** Submits the commands, once their shaders are compiled. */
  flush(): void {
    const uniforms = this.#mirror.subarray(0, this.#used);
    const retired = this.#takeRetired();
    [this.#used, this.#launches] = [0, 0];
    if (!this.#backlog.isWaiting) return this.#submit(uniforms, retired);
    const own = uniforms.slice();
    this.#backlog.hold(() => this.#submit(own, retired));
  }

  /**
   * Submits the commands, and starts `work` right after them. The promise resolves with its result.
   */
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

  /** Submits the commands. The promise resolves when all of them are finished. */
  async finished(): Promise<void> {
    await this.behind(() => this.device.queue.onSubmittedWorkDone());
  }

  /** Ends the pass and drops all unsubmitted commands. */
  drop(): void {
    this.#backlog.drop();
    this.#encoder = undefined;
    this.#pass = undefined;
    for (const buffer of this.#takeRetired()) buffer.destroy();
    this.uniforms.destroy();
  }

  /**
   * Runs `work` after all waiting steps, or immediately if none waits. Throws if the device is
   * lost.
   */
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
    // `setBindGroup` is the most expensive call of a launch, and an array of numbers would make it
    // slower by half.
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
    // Dawn frees the memory of a buffer only after a later submission is finished.
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

  /** Submits the commands at the end of the current task, in case no caller awaits them. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
