// Device 0 and its primary context. Launches kernels and measures them.
import { setImmediate, setTimeout } from 'node:timers/promises';
import { isPassed, type Launch } from '../../base/launch.ts';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import { takeOutput } from './captured-output.ts';
import { CudaError, results } from './cuda-error.ts';
import type { CudaReport, CudaRun, RunRequest, SequenceRequest, TimeRequest } from './cuda-messages.ts';
import { DeviceBuffers } from './device-buffers.ts';
import { DeviceImages } from './device-images.ts';
import type { CudaDriver } from './driver.ts';
import { driverVersion } from './driver-version.ts';
import { launchClusters } from './launch-config.ts';
import { type LoadedModule, Modules } from './modules.ts';
import { packParams } from './params.ts';
import { launchesOf, SequenceMemory, type TimedSequence } from './sequence.ts';
import { encodeTensorMapNatively } from './tensor-maps.ts';

/** The values of the driver's CUdevice_attribute that this code uses. */
const attributes = {
  clockKhz: 13,
  multiprocessors: 16,
  capabilityMajor: 75,
  capabilityMinor: 76,
  sharedBytesPerBlockOptIn: 97,
} as const;
/** A value of the driver's CUfunction_attribute. */
const maxDynamicSharedBytes = 8;
/** A value of the driver's CUlimit. */
const printfFifoSize = 1;
const printfBytes = 2 ** 24;
const defaultStream = 0n;
/**
 * The number of milliseconds for which the host polls without pause. After that, it sleeps between
 * polls.
 */
const SPIN_MS = 1;

export class CudaDevice {
  readonly #driver: CudaDriver;
  readonly #device: number;
  readonly #modules: Modules;
  #isEndless = false;

  /** Opens the first visible GPU. Throws `GpuError`. Every failure means that no GPU is usable. */
  constructor(driver: CudaDriver) {
    this.#driver = driver;
    driver.call('cuInit', 0);
    if (this.#number('cuDeviceGetCount') === 0) throw new GpuError('unavailable', 'the driver sees no NVIDIA GPU');
    const device = new Int32Array(1);
    driver.call('cuDeviceGet', device, 0);
    this.#device = device[0] ?? 0;
    const context = new BigUint64Array(1);
    driver.call('cuDevicePrimaryCtxRetain', context, this.#device);
    driver.call('cuCtxSetCurrent', context[0] ?? 0n);
    // Increase the size of the buffer: with the default size, a kernel that prints more than 1 MiB
    // loses its oldest output.
    driver.query('cuCtxSetLimit', printfFifoSize, printfBytes);
    this.#modules = new Modules(driver);
  }

  describe(): CudaReport {
    const name = new Uint8Array(256);
    this.#driver.call('cuDeviceGetName', name, name.length, this.#device);
    const memory = new BigUint64Array(1);
    this.#driver.call('cuDeviceTotalMem_v2', memory, this.#device);
    const version = this.#number('cuDriverGetVersion');
    return {
      gpu: new TextDecoder().decode(name.subarray(0, name.indexOf(0))),
      computeCapability: `${this.#attribute('capabilityMajor')}.${this.#attribute('capabilityMinor')}`,
      driver: driverVersion(),
      cuda: `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`,
      multiprocessors: this.#attribute('multiprocessors'),
      clockKhz: this.#attribute('clockKhz'),
      memoryBytes: Number(memory[0]),
      sharedBytesPerBlock: this.#attribute('sharedBytesPerBlockOptIn'),
    };
  }

  /**
   * Launches a kernel once. Throws `GpuError`. After an error, `isLost` shows whether this process
   * can still launch.
   */
  async run({ launch, guardByte, optimize, kernelTimeoutMs, soon }: RunRequest): Promise<CudaRun> {
    return await this.#prepare({ launch, guardByte, optimize, soon }, async ({ start, buffers, images, module }) => {
      const flush = (): void => this.#driver.flush();
      // Discard the output of earlier kernels, including those that failed.
      takeOutput(flush);
      const begin = performance.now();
      start();
      await this.#finish(kernelTimeoutMs);
      const ms = performance.now() - begin;
      const printed = takeOutput(flush);
      const outputs = images.download(buffers.download(launch.id));
      return { outputs, ms, log: module.log, ...(printed === undefined ? {} : { printed }) };
    });
  }

  /**
   * Launches once to warm up, then `samples` times. Returns the milliseconds of each sample between
   * events on the device.
   */
  async time({ launch, samples }: TimeRequest): Promise<number[]> {
    return await this.#prepare({ launch, guardByte: 0, optimize: undefined, soon: undefined }, async ({ start }) => {
      start();
      await this.#finish();
      return await this.#samples(samples, start);
    });
  }

  /**
   * Prepares, warms up and measures a sequence. Returns the milliseconds of each sample between
   * events on the device.
   */
  async timeSequence(request: SequenceRequest): Promise<TimedSequence> {
    const { timing } = request;
    const memory = new SequenceMemory(this.#driver);
    const modules: LoadedModule[] = [];
    const starter = ({ launch, names }: ReturnType<typeof launchesOf>['steps'][number]): (() => void) => {
      const module = this.#modules.load(launch.ptx);
      modules.push(module);
      const kernel = this.#modules.kernel(module, launch.entry, launch.ptxFile);
      return this.#starter(kernel, launch, { addressOf: (index) => memory.addressOf(names[index] ?? '') });
    };
    try {
      memory.allocate(request);
      const { prepare, steps } = launchesOf(request);
      for (const start of prepare.map(starter)) start();
      const starters = steps.map(starter);
      const repeat = (count: number): void => {
        for (let i = 0; i < count; i++) for (const start of starters) start();
      };
      repeat(timing.warmup);
      await this.#finish();
      const times = await this.#samples(timing.samples, () => repeat(timing.repeat));
      return { times, windows: memory.windows(request) };
    } finally {
      memory.free();
      for (const module of modules) this.#modules.release(module);
    }
  }

  /** Returns the milliseconds on the device for each of `count` calls of `start`. */
  async #samples(count: number, start: () => void): Promise<number[]> {
    const [begin, end] = [this.#event(), this.#event()];
    try {
      const times: number[] = [];
      while (times.length < count) {
        this.#driver.call('cuEventRecord', begin, defaultStream);
        start();
        this.#driver.call('cuEventRecord', end, defaultStream);
        await this.#finish();
        const ms = new Float32Array(1);
        this.#driver.call('cuEventElapsedTime', ms, begin, end);
        times.push(ms[0] ?? 0);
      }
      return times;
    } finally {
      for (const event of [begin, end]) this.#driver.query('cuEventDestroy_v2', event);
    }
  }

  /**
   * Whether an error has destroyed the context, or a kernel occupies it forever. Then no launch
   * succeeds.
   */
  isLost(): boolean {
    return this.#isEndless || this.#driver.query('cuCtxSynchronize') !== results.success;
  }

  async #prepare<T>(
    { launch, guardByte, optimize, soon }: Preparation,
    use: (prepared: Prepared) => Promise<T>,
  ): Promise<T> {
    const module = this.#modules.load(launch.ptx, optimize, soon);
    const buffers = new DeviceBuffers(this.#driver, guardByte);
    const images = new DeviceImages(this.#driver);
    try {
      const kernel = this.#modules.kernel(module, launch.entry, launch.ptxFile);
      buffers.upload(launch);
      images.upload(launch, module);
      const addressOf = (index: number) => images.handleOf(index) ?? buffers.addressOf(index);
      return await use({ start: this.#starter(kernel, launch, { addressOf }), buffers, images, module });
    } finally {
      // The driver would wait for an endless kernel.
      if (!this.#isEndless) {
        images.free();
        buffers.free();
        this.#modules.release(module);
      }
    }
  }

  /** Returns a function that launches the kernel without waiting for it. */
  #starter(kernel: bigint, launch: Launch, buffers: Pick<DeviceBuffers, 'addressOf'>): () => void {
    const { grid, block, cluster, sharedBytes, cooperative } = launch;
    const params = launch.params.filter(isPassed);
    const { bytes, places } = packParams(params, {
      addressOf: (index) => buffers.addressOf(index),
      encode: (map, address) => encodeTensorMapNatively(this.#driver, map, address),
    });
    this.#checkParams(kernel, { id: launch.id, params }, places);
    // The default limit (48 KB) includes the kernel's static shared memory, whose size is unknown
    // here. So request every size explicitly.
    if (sharedBytes > 0) this.#driver.call('cuFuncSetAttribute', kernel, maxDynamicSharedBytes, sharedBytes);
    return () => {
      const base = this.#driver.addressOf(bytes);
      const pointers = BigUint64Array.from(places, ({ offset }) => base + BigInt(offset));
      const list = pointers.length > 0 ? pointers : null;
      const shape = [...grid, ...block, sharedBytes] as const;
      if (cluster) launchClusters(this.#driver, kernel, { ...launch, cluster }, list);
      else if (cooperative) this.#driver.call('cuLaunchCooperativeKernel', kernel, ...shape, defaultStream, list);
      else this.#driver.call('cuLaunchKernel', kernel, ...shape, defaultStream, list, null);
    };
  }

  /**
   * Checks the sizes of the parameters, because the driver copies as many bytes as the kernel
   * declares, without a check. Drivers before CUDA 12.4 cannot report the declared sizes.
   */
  #checkParams(
    kernel: bigint,
    { id, params }: Pick<Launch, 'id' | 'params'>,
    places: readonly { readonly size: number }[],
  ): void {
    if (!this.#driver.has('cuFuncGetParamInfo')) return;
    const declared: number[] = [];
    for (;;) {
      const [offset, size] = [new BigUint64Array(1), new BigUint64Array(1)];
      const code = this.#driver.query('cuFuncGetParamInfo', kernel, declared.length, offset, size);
      if (code === results.invalidValue) break;
      if (code !== results.success) throw this.#driver.error('cuFuncGetParamInfo', code);
      declared.push(Number(size[0]));
    }
    if (declared.length !== params.length) {
      throw new GpuError(
        'validation',
        `${id}: the kernel has ${declared.length} parameters, but the launch has ${params.length}`,
      );
    }
    for (const [index, { size }] of places.entries()) {
      if (declared[index] === size) continue;
      const name = params[index]?.name ?? '';
      throw new GpuError(
        'validation',
        `${id}: parameter \`${name}\` has ${declared[index]} bytes, but the launch passes ${size}`,
      );
    }
  }

  /**
   * Waits until the device is idle. Polls the device, so that the process can handle its parent's
   * exit between polls. Throws `CudaError` 'timeout' after `limitMs`.
   */
  async #finish(limitMs = Number.POSITIVE_INFINITY): Promise<void> {
    const begin = performance.now();
    while (this.#driver.query('cuStreamQuery', defaultStream) === results.notReady) {
      const ms = performance.now() - begin;
      if (ms > limitMs) {
        this.#isEndless = true;
        throw new CudaError({
          kind: 'timeout',
          message: `the kernel did not end within ${limitMs} ms`,
          call: 'cuStreamQuery',
          code: results.notReady,
          log: '',
        });
      }
      if (ms < SPIN_MS) await setImmediate();
      else await setTimeout(1);
    }
    this.#driver.call('cuCtxSynchronize');
  }

  #event(): bigint {
    const event = new BigUint64Array(1);
    this.#driver.call('cuEventCreate', event, 0);
    return event[0] ?? 0n;
  }

  #number(name: 'cuDeviceGetCount' | 'cuDriverGetVersion'): number {
    const value = new Int32Array(1);
    this.#driver.call(name, value);
    return value[0] ?? 0;
  }

  #attribute(name: keyof typeof attributes): number {
    const value = new Int32Array(1);
    this.#driver.call('cuDeviceGetAttribute', value, attributes[name], this.#device);
    return value[0] ?? 0;
  }
}

interface Preparation extends Pick<RunRequest, 'launch' | 'guardByte'> {
  readonly optimize: number | undefined;
  readonly soon: readonly string[] | undefined;
}

interface Prepared {
  readonly start: () => void;
  readonly buffers: DeviceBuffers;
  readonly images: DeviceImages;
  readonly module: LoadedModule;
}
