// WebGPU in memory, for tests of code that uses it. It validates calls by the specification, and
// runs compute shaders in the lockstep interpreter. It throws an error for features that it does
// not have: textures, rendering, automatic layouts and bind groups other than 0.

import { FakeDevice } from './device.ts';
import { operationError, unsupported } from './errors.ts';
import { defaultLimits, isLimit, isOffered, type Limits, limitsOf } from './limits.ts';

export { FakeBuffer, usages } from './buffer.ts';
export { FakeDevice } from './device.ts';

export interface FakeGpuOptions {
  /** Limits of the adapter that differ from the defaults of WebGPU. */
  readonly limits?: Partial<Limits>;
  readonly features?: readonly string[];
  readonly subgroupSize?: number;
  /** The number of statements that a dispatch may execute before the device is lost. */
  readonly maxSteps?: number;
  /** The size of a device's memory in bytes. */
  readonly memory?: number;
  readonly info?: Partial<GPUAdapterInfo>;
  /**
   * The step that fails. `adapter`: no adapter is found. `device`: the adapter does not open
   * devices.
   */
  readonly fails?: 'adapter' | 'device';
}

export class FakeGpu implements GPU {
  readonly __brand = 'GPU';
  readonly wgslLanguageFeatures: WGSLLanguageFeatures = new Set(['subgroup_id']);
  readonly #options: FakeGpuOptions;
  /** The opened devices. */
  readonly devices: FakeDevice[] = [];

  constructor(options: FakeGpuOptions = {}) {
    this.#options = options;
  }

  async requestAdapter(): Promise<GPUAdapter | null> {
    if (this.#options.fails === 'adapter') return null;
    return new FakeAdapter(this.#options, (device) => this.devices.push(device));
  }

  getPreferredCanvasFormat = (): never => unsupported('getPreferredCanvasFormat');
}

class FakeAdapter implements GPUAdapter {
  readonly __brand = 'GPUAdapter';
  readonly features: ReadonlySet<string>;
  readonly limits: GPUSupportedLimits;
  readonly info: GPUAdapterInfo;
  readonly #options: FakeGpuOptions;
  readonly #values: Limits;
  readonly #onDevice: (device: FakeDevice) => void;
  #isConsumed = false;

  constructor(options: FakeGpuOptions, onDevice: (device: FakeDevice) => void) {
    this.#options = options;
    this.#onDevice = onDevice;
    const { subgroupSize = 32, features = ['subgroups', 'timestamp-query'] } = options;
    this.features = new Set<string>(features);
    this.#values = {
      ...defaultLimits,
      maxComputeInvocationsPerWorkgroup: 1024,
      maxComputeWorkgroupSizeX: 1024,
      maxComputeWorkgroupSizeY: 1024,
      maxComputeWorkgroupStorageSize: 32_768,
      maxStorageBuffersPerShaderStage: 10,
      ...options.limits,
    };
    this.limits = limitsOf(this.#values);
    const name = { vendor: 'fake', architecture: 'interpreter', device: '', description: 'in memory' };
    const sizes = { subgroupMinSize: subgroupSize, subgroupMaxSize: subgroupSize };
    this.info = { __brand: 'GPUAdapterInfo', ...name, ...sizes, isFallbackAdapter: false, ...options.info };
  }

  async requestDevice(descriptor: GPUDeviceDescriptor = {}): Promise<GPUDevice> {
    const { subgroupSize = 32, maxSteps = 20_000_000, memory = 2 ** 31, fails } = this.#options;
    const { label = '', requiredFeatures = [], requiredLimits = {} } = descriptor;
    if (this.#isConsumed) throw new TypeError('requestDevice: the adapter has already opened a device');
    const features = new Set<string>(requiredFeatures);
    for (const name of features)
      if (!this.features.has(name)) throw new TypeError(`requestDevice: the adapter lacks ${name}`);
    const limits = { ...defaultLimits, ...limitsTaken(requiredLimits, this.#values) };
    if (fails === 'device') throw operationError('requestDevice: the adapter opens no device');
    this.#isConsumed = true;
    const { info } = this;
    const device = new FakeDevice({ label, limits, features, info, subgroupSize, maxSteps, memory });
    this.#onDevice(device);
    return device;
  }
}

/**
 * Returns the limits of a device. Throws `OperationError` for requested limits that the adapter
 * does not have.
 */
function limitsTaken(wanted: Readonly<Record<string, number | undefined>>, offered: Limits): Partial<Limits> {
  const taken = new Map<string, number>();
  for (const [name, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    if (!isLimit(name) || !isOffered(name, value, offered[name]))
      throw operationError(`requestDevice: the adapter lacks ${name} of ${value}`);
    // The limits of a device are never worse than the defaults.
    if (!isOffered(name, value, defaultLimits[name]) || offered[name] < defaultLimits[name]) taken.set(name, value);
  }
  return Object.fromEntries(taken);
}
