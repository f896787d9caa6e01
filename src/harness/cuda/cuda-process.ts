// The parent's side of the CUDA child process.

import { GpuError } from '../../runtime/device/gpu-error.ts';
import { withTimeLimit } from '../../runtime/device/turns.ts';
import { ChildClient } from '../sessions/child-client.ts';
import { guard } from '../sessions/open-sessions.ts';
import { closeOutput, openOutput } from './captured-output.ts';
import { CudaError } from './cuda-error.ts';
import type { CudaReport, FromChild, ToChild } from './cuda-messages.ts';

/**
 * A CUDA child process. It serves requests until it is closed or killed, or until a request fails
 * with 'lost' or 'timeout'.
 */
export class CudaProcess {
  readonly #child: ChildClient<ToChild, FromChild>;
  readonly #release: () => void;

  private constructor() {
    const output = openOutput();
    try {
      this.#child = new ChildClient({
        name: 'CUDA',
        program: 'harness/cuda/cuda-child',
        errorOf: (message) => (message.kind === 'failed' ? new CudaError(message.failure) : undefined),
        ...(output === undefined ? {} : { output }),
      });
    } finally {
      if (output !== undefined) closeOutput(output);
    }
    this.#release = guard({ close: () => this.end(), kill: () => this.#child.kill() });
  }

  /** Starts a process and opens the GPU in it. Throws `GpuError` 'unavailable' or 'timeout'. */
  static async start(timeoutMs: number): Promise<{ process: CudaProcess; report: CudaReport }> {
    const process = new CudaProcess();
    try {
      const { report } = await process.#child.opened('opened', timeoutMs);
      return { process, report };
    } catch (error) {
      await process.end();
      throw error;
    }
  }

  get ended(): boolean {
    return this.#child.ended;
  }

  /**
   * Sends a request and waits for its answer. Throws `GpuError`. After an error of kind 'lost' or
   * 'timeout', the process has ended.
   */
  async ask<Kind extends FromChild['kind']>(
    request: ToChild,
    kind: Kind,
    timeoutMs: number,
    label: string,
  ): Promise<Extract<FromChild, { readonly kind: Kind }>> {
    try {
      return await withTimeLimit(this.#child.ask(request, kind), timeoutMs, label);
    } catch (error) {
      if (error instanceof GpuError && (error.kind === 'lost' || error.kind === 'timeout')) await this.end();
      throw error;
    }
  }

  /** Ends the process in an orderly way. No request may be in progress. */
  async close(): Promise<void> {
    await this.#child.close({ kind: 'close' });
    this.#release();
  }

  /** Kills the process, which is the only way to end a kernel that never returns. */
  async end(): Promise<void> {
    this.#child.kill();
    await this.#child.exited();
    this.#release();
  }
}
