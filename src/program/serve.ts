// Answers the requests of a program.
import { CudaFailure, cudaErrors, type ProgramDevice } from './device/program-device.ts';
import type { DeviceCommand, DeviceReply, DeviceRequest } from './protocol.ts';

/** The errors that all later requests return, too, because the kernel's effects are unknown. */
const stickyErrors: ReadonlySet<number> = new Set([
  cudaErrors.illegalAddress,
  cudaErrors.assert,
  cudaErrors.misalignedAddress,
  cudaErrors.launchFailure,
]);

type Results = Partial<Omit<DeviceReply, 'error'>>;
const nothing = { value: 0, second: 0 };

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

  /** Performs a command that the program does not wait for. Throws the errors with which `serve` rejects. */
  command(command: DeviceCommand): void {
    if (this.#sticky !== 0) return;
    try {
      this.#perform(command);
    } catch (error) {
      this.#deferred ||= this.#codeOf(error);
    }
  }

  async #attempt(request: DeviceRequest): Promise<DeviceReply> {
    try {
      return { ...nothing, error: 0, ...(await this.#answer(request)) };
    } catch (error) {
      return { ...nothing, error: this.#codeOf(error) };
    }
  }

  /** Returns the code of an error that CUDA reports. Throws other errors. */
  #codeOf(error: unknown): number {
    if (!(error instanceof CudaFailure)) throw error;
    if (stickyErrors.has(error.code)) this.#sticky = error.code;
    return error.code;
  }

  async #answer(request: DeviceRequest): Promise<Results | undefined> {
    if (request.op === 'read') await this.#device.read(request.address, request.to);
    else if (request.op === 'synchronize') await this.#device.synchronize();
    else return this.#perform(request);
    return undefined;
  }

  #perform(command: DeviceCommand): Results | undefined {
    const device = this.#device;
    switch (command.op) {
      case 'alloc':
        return { value: device.alloc(command.bytes) };
      case 'free':
        device.free(command.address);
        return;
      case 'write':
        device.write(command.address, command.data);
        return;
      case 'copy':
        device.copy(command.to, command.from, command.bytes);
        return;
      case 'fill':
        device.fill(command.address, command.value, command.bytes);
        return;
      case 'image':
        device.bindImage(command.handle, command.image);
        return;
      case 'symbol': {
        const { address, bytes } = device.symbol(command.module, command.name);
        return { value: address, second: bytes };
      }
      case 'launch':
        device.launch(command.launch);
        return;
    }
  }
}
