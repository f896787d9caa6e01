// Answers the requests of a program.
import { CudaFailure, cudaErrors, type ProgramDevice } from './device/program-device.ts';
import type { DeviceReply, DeviceRequest } from './protocol.ts';

/** The errors that all later requests return, too, because the kernel's effects are unknown. */
const stickyErrors: ReadonlySet<number> = new Set([
  cudaErrors.illegalAddress,
  cudaErrors.assert,
  cudaErrors.misalignedAddress,
  cudaErrors.launchFailure,
]);

type Results = Partial<Omit<DeviceReply, 'error'>>;
const nothing = { value: 0, second: 0, data: new Uint8Array() };

/** Performs requests on a device, one after another. */
export class DeviceServer {
  readonly #device: ProgramDevice;
  /** The error of a failed kernel, which all later requests return. */
  #sticky = 0;
  /** The error of a command, which the next request returns. */
  #deferred = 0;

  constructor(device: ProgramDevice) {
    this.#device = device;
  }

  /**
   * Performs a request, and returns the reply. Rejects with errors that CUDA does not report, such
   * as a kernel that cannot be translated.
   */
  async serve(request: DeviceRequest): Promise<DeviceReply> {
    const error = this.#sticky || this.#deferred;
    this.#deferred = 0;
    return error === 0 ? await this.#attempt(request) : { ...nothing, error };
  }

  /** Performs a command that the program does not wait for. Rejects as `serve` does. */
  async command(request: DeviceRequest): Promise<void> {
    if (this.#sticky !== 0) return;
    const { error } = await this.#attempt(request);
    if (error !== 0) this.#deferred = error;
  }

  async #attempt(request: DeviceRequest): Promise<DeviceReply> {
    try {
      return { ...nothing, error: 0, ...(await this.#perform(request)) };
    } catch (error) {
      if (!(error instanceof CudaFailure)) throw error;
      if (stickyErrors.has(error.code)) this.#sticky = error.code;
      return { ...nothing, error: error.code };
    }
  }

  async #perform(request: DeviceRequest): Promise<Results | undefined> {
    const device = this.#device;
    switch (request.op) {
      case 'alloc':
        return { value: device.alloc(request.bytes) };
      case 'free':
        device.free(request.address);
        return;
      case 'write':
        device.write(request.address, request.data);
        return;
      case 'read':
        return { data: await device.read(request.address, request.bytes) };
      case 'copy':
        device.copy(request.to, request.from, request.bytes);
        return;
      case 'fill':
        device.fill(request.address, request.value, request.bytes);
        return;
      case 'symbol': {
        const { address, bytes } = device.symbol(request.module, request.name);
        return { value: address, second: bytes };
      }
      case 'launch':
        device.launch(request.launch);
        return;
      case 'synchronize':
        await device.synchronize();
        return;
    }
  }
}
