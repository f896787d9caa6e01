// A device and its queue. https://www.w3.org/TR/webgpu/#gpudevice

import { FakeBuffer } from './buffer.ts';
import { FakeCommandBuffer, FakeCommandEncoder, FakeQuerySet } from './encoder.ts';
import { ErrorScopes, FakeError, operationError, UncapturedErrorEvent, unsupported } from './errors.ts';
import { type Limits, limitsOf } from './limits.ts';
import { FakeObject, firstFault, type Owner, own } from './object.ts';
import {
  FakeBindGroup,
  FakeBindGroupLayout,
  FakeComputePipeline,
  FakePipelineLayout,
  FakeShaderModule,
} from './shader.ts';
import { Timeline } from './timeline.ts';

export interface DeviceOptions {
  readonly label: string;
  readonly limits: Limits;
  readonly features: ReadonlySet<string>;
  readonly info: GPUAdapterInfo;
  readonly subgroupSize: number;
  readonly maxSteps: number;
  /** The size of the device's memory in bytes. */
  readonly memory: number;
}

class PipelineError extends DOMException implements GPUPipelineError {
  readonly __brand = 'GPUPipelineError';
  readonly reason: GPUPipelineErrorReason = 'validation';
}

export class FakeDevice extends EventTarget implements GPUDevice, Owner {
  readonly __brand = 'GPUDevice';
  label: string;
  readonly features: GPUSupportedFeatures;
  readonly limits: GPUSupportedLimits;
  readonly adapterInfo: GPUAdapterInfo;
  readonly queue: FakeQueue;
  readonly lost: Promise<GPUDeviceLostInfo>;
  onuncapturederror: ((this: GPUDevice, event: GPUUncapturedErrorEvent) => unknown) | null = null;
  readonly timeline = new Timeline();
  readonly values: Limits;
  readonly enabled: ReadonlySet<string>;
  readonly subgroupSize: number;
  readonly maxSteps: number;
  /** The number of free bytes. A test may set it. */
  freeBytes: number;
  isLost = false;
  /** The numbers of objects that were created. */
  readonly made = { buffers: 0, bindGroups: 0, pipelines: 0 };
  /** Errors that no error scope has caught. */
  readonly uncaptured: FakeError[] = [];
  /** Functions that complete the asynchronous compilations that are on hold. */
  #heldCompilations: (() => void)[] | undefined;
  readonly #scopes: ErrorScopes;
  #resolveLost: (info: GPUDeviceLostInfo) => void = () => undefined;
  #time = 1_000_000n;

  constructor({ label, limits, features, info, subgroupSize, maxSteps, memory }: DeviceOptions) {
    super();
    this.label = label;
    this.values = limits;
    this.limits = limitsOf(limits);
    this.features = features;
    this.enabled = features;
    this.adapterInfo = info;
    this.subgroupSize = subgroupSize;
    this.maxSteps = maxSteps;
    this.freeBytes = memory;
    this.queue = new FakeQueue(this);
    this.lost = new Promise((resolve) => {
      this.#resolveLost = resolve;
    });
    this.#scopes = new ErrorScopes((error) => {
      this.uncaptured.push(error);
      const event = new UncapturedErrorEvent(error);
      this.onuncapturederror?.(event);
      this.dispatchEvent(event);
    });
  }

  /** The number of open error scopes. */
  get openScopes(): number {
    return this.#scopes.depth;
  }

  report(error: FakeError): void {
    if (!this.isLost) this.#scopes.report(error);
  }

  take(bytes: number): boolean {
    if (bytes > this.freeBytes) return false;
    this.freeBytes -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.freeBytes += bytes;
  }

  now(): bigint {
    this.#time += 1000n;
    return this.#time;
  }

  lose(message: string): void {
    this.#end('unknown', message);
  }

  destroy(): undefined {
    this.#end('destroyed', 'the device was destroyed');
  }

  /** Holds asynchronous compilations until they are released. */
  holdCompilations(): void {
    this.#heldCompilations ??= [];
  }

  releaseCompilations(): void {
    const held = this.#heldCompilations ?? [];
    this.#heldCompilations = undefined;
    for (const end of held) end();
  }

  pushErrorScope(filter: GPUErrorFilter): undefined {
    this.#scopes.push(filter);
  }

  async popErrorScope(): Promise<GPUError | null> {
    const error = this.isLost ? undefined : this.#scopes.pop();
    await later();
    return error ?? null;
  }

  createBuffer(descriptor: GPUBufferDescriptor): GPUBuffer {
    this.made.buffers += 1;
    return new FakeBuffer(this, descriptor);
  }

  createBindGroupLayout(descriptor: GPUBindGroupLayoutDescriptor): GPUBindGroupLayout {
    return new FakeBindGroupLayout(this, descriptor);
  }

  createPipelineLayout(descriptor: GPUPipelineLayoutDescriptor): GPUPipelineLayout {
    return new FakePipelineLayout(this, descriptor);
  }

  createBindGroup(descriptor: GPUBindGroupDescriptor): GPUBindGroup {
    this.made.bindGroups += 1;
    return new FakeBindGroup(this, descriptor);
  }

  createShaderModule(descriptor: GPUShaderModuleDescriptor): GPUShaderModule {
    return new FakeShaderModule(this, descriptor);
  }

  createComputePipeline(descriptor: GPUComputePipelineDescriptor): GPUComputePipeline {
    this.made.pipelines += 1;
    return new FakeComputePipeline(this, descriptor, (message) => this.report(new FakeError('validation', message)));
  }

  async createComputePipelineAsync(descriptor: GPUComputePipelineDescriptor): Promise<GPUComputePipeline> {
    this.made.pipelines += 1;
    let fault: string | undefined;
    const made = new FakeComputePipeline(this, descriptor, (message) => {
      fault = message;
    });
    const held = this.#heldCompilations;
    if (held) await new Promise<void>((resolve) => held.push(resolve));
    else await later();
    if (fault !== undefined && !this.isLost) throw new PipelineError(fault, 'GPUPipelineError');
    return made;
  }

  createCommandEncoder(descriptor?: GPUCommandEncoderDescriptor): GPUCommandEncoder {
    return new FakeCommandEncoder(this, descriptor);
  }

  createQuerySet(descriptor: GPUQuerySetDescriptor): GPUQuerySet {
    return new FakeQuerySet(this, descriptor);
  }

  createTexture = (): never => unsupported('createTexture');
  createSampler = (): never => unsupported('createSampler');
  importExternalTexture = (): never => unsupported('importExternalTexture');
  createRenderPipeline = (): never => unsupported('createRenderPipeline');
  createRenderPipelineAsync = (): never => unsupported('createRenderPipelineAsync');
  createRenderBundleEncoder = (): never => unsupported('createRenderBundleEncoder');

  #end(reason: GPUDeviceLostReason, message: string): void {
    if (this.isLost) return;
    this.isLost = true;
    this.timeline.clear();
    this.queue.end();
    this.#resolveLost({ __brand: 'GPUDeviceLostInfo', reason, message });
  }
}

export class FakeQueue extends FakeObject implements GPUQueue {
  readonly __brand = 'GPUQueue';
  readonly #device: FakeDevice;
  readonly #waiting = new Set<() => void>();
  /** The number of submitted command buffers. */
  submissions = 0;

  constructor(device: FakeDevice) {
    super(device, '', false);
    this.#device = device;
  }

  submit(given: Iterable<GPUCommandBuffer>): undefined {
    const list = [...given].map((each) => own(FakeCommandBuffer, each));
    if (this.#device.isLost) return;
    const faults = list.flatMap((each) => [
      each.isInvalid ? 'a command buffer is invalid' : undefined,
      each.isSubmitted ? 'a command buffer was submitted before' : undefined,
      each.owner === this.#device ? undefined : 'a command buffer belongs to another device',
      ...[...each.queries].map(({ isDestroyed }) => (isDestroyed ? 'a query set is destroyed' : undefined)),
      ...[...each.buffers].map(({ stateFault }) => stateFault),
    ]);
    for (const each of list) each.isSubmitted = true;
    const fault = faults.find((each) => each !== undefined);
    if (fault !== undefined) return this.#fail('submit', fault);
    this.submissions += list.length;
    for (const { commands } of list)
      this.#device.timeline.push(() => {
        for (const command of commands) if (!this.#device.isLost) command();
      });
  }

  onSubmittedWorkDone(): Promise<undefined> {
    if (this.#device.isLost) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waiting.delete(end);
        resolve(undefined);
      };
      this.#waiting.add(end);
      this.#device.timeline.push(end);
    });
  }

  writeBuffer(
    buffer: GPUBuffer,
    offset: number,
    data: GPUAllowSharedBufferSource,
    dataOffset = 0,
    size?: number,
  ): undefined {
    const target = own(FakeBuffer, buffer);
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);
    const unit = ArrayBuffer.isView(data) && 'BYTES_PER_ELEMENT' in data ? Number(data.BYTES_PER_ELEMENT) : 1;
    const first = dataOffset * unit;
    const length = size === undefined ? bytes.length - first : size * unit;
    if (length < 0 || first + length > bytes.length || length % 4 !== 0)
      throw operationError(`writeBuffer: ${length} bytes at ${first} of ${bytes.length}`);
    const copy = bytes.slice(first, first + length);
    const fault =
      target.faultFor('COPY_DST', this.#device) ??
      target.stateFault ??
      firstFault([
        [offset % 4 === 0, `the offset ${offset} is not a multiple of 4`],
        [offset + length <= target.size, `${length} bytes at ${offset} are not in the buffer of ${target.size}`],
      ]);
    if (fault !== undefined) return this.#fail('writeBuffer', fault);
    this.#device.timeline.push(() => new Uint8Array(target.memory).set(copy, offset));
  }

  writeTexture = (): never => unsupported('writeTexture');
  copyExternalImageToTexture = (): never => unsupported('copyExternalImageToTexture');

  /** Ends pending waits after the device is lost. */
  end(): void {
    for (const resolve of [...this.#waiting]) resolve();
  }

  #fail(what: string, fault: string): undefined {
    this.#device.report(new FakeError('validation', `${what}: ${fault}`));
  }
}

/** Resolves in a later task, like an answer from another process. */
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
