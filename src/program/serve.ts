// Answers the requests of a program.
import { CudaFailure, cudaErrors, type ProgramDevice } from './device/program-device.ts';
import { type DeviceRequest, replyHead, replyWords } from './protocol.ts';

/** The errors that all later requests return, too, because the kernel's effects are unknown. */
const stickyErrors: ReadonlySet<number> = new Set([
  cudaErrors.illegalAddress,
  cudaErrors.assert,
  cudaErrors.misalignedAddress,
  cudaErrors.launchFailure,
]);

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
   * Performs a request, and writes the reply. Rejects with errors that CUDA does not report, such as
   * a kernel that cannot be translated.
   */
  async serve(request: DeviceRequest, reply: SharedArrayBuffer): Promise<void> {
    const words = new Int32Array(reply, 0, replyHead / 4);
    const code = this.#sticky || this.#deferred;
    this.#deferred = 0;
    words[replyWords.error] = code === 0 ? await this.#code(request, words, reply) : code;
    Atomics.store(words, replyWords.state, 1);
    Atomics.notify(words, replyWords.state);
  }

  /** Performs a command that the program does not wait for. Rejects as `serve` does. */
  async command(request: DeviceRequest): Promise<void> {
    if (this.#sticky !== 0) return;
    const reply = new SharedArrayBuffer(replyHead);
    const code = await this.#code(request, new Int32Array(reply), reply);
    if (code !== 0) this.#deferred = code;
  }

  /** Performs a request, and returns its error code. */
  async #code(request: DeviceRequest, words: Int32Array, reply: SharedArrayBuffer): Promise<number> {
    try {
      await this.#perform(request, words, reply);
      return 0;
    } catch (error) {
      if (!(error instanceof CudaFailure)) throw error;
      if (stickyErrors.has(error.code)) this.#sticky = error.code;
      return error.code;
    }
  }

  async #perform(request: DeviceRequest, words: Int32Array, reply: SharedArrayBuffer): Promise<void> {
    const device = this.#device;
    switch (request.op) {
      case 'alloc':
        words[replyWords.value] = device.alloc(request.bytes);
        return;
      case 'free':
        return device.free(request.address);
      case 'write':
        return device.write(request.address, request.data);
      case 'read':
        new Uint8Array(reply, replyHead).set(await device.read(request.address, request.bytes));
        return;
      case 'copy':
        return device.copy(request.to, request.from, request.bytes);
      case 'fill':
        return device.fill(request.address, request.value, request.bytes);
      case 'symbol': {
        const { address, bytes } = device.symbol(request.module, request.name);
        words[replyWords.value] = address;
        words[replyWords.value + 1] = bytes;
        return;
      }
      case 'launch':
        return device.launch(request.launch);
      case 'synchronize':
        return await device.synchronize();
    }
  }
}
