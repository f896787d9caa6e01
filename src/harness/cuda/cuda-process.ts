// The parent's end of the CUDA child process.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { distFolder } from '../process/dist-folder.ts';
import { exited, guard, killGroup } from '../process/open-sessions.ts';
import { GpuError } from '../webgpu/job.ts';
import { messageOf, withTimeLimit } from '../webgpu/session.ts';
import { CudaError } from './cuda-error.ts';
import type { CudaReport, FromChild, ToChild } from './cuda-messages.ts';

const CLOSE_TIMEOUT_MS = 5_000;

/// One child process; it serves until it is closed, killed, or has failed with 'lost' or 'timeout'.
export class CudaProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<never>;
  readonly #release: () => void;
  #errorOutput = '';
  #ended = false;

  private constructor() {
    this.#child = fork(join(distFolder(), 'harness/cuda/cuda-child.js'), [], {
      // Carries bigint, Map and typed arrays as they are.
      serialization: 'advanced',
      // Its own group: Ctrl-C in a terminal then reaches this process only, which closes the child in order.
      detached: true,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-2_000);
    });
    // 'close' and not 'exit': by then all that it wrote has arrived.
    this.#exit = once(this.#child, 'close').then(([code, signal]) => {
      this.#ended = true;
      const how = signal ? `was killed by ${signal}` : `exited with ${code}`;
      throw new GpuError('lost', `the CUDA process ${how}\n${this.#errorOutput}`.trim());
    });
    this.#exit.catch(() => undefined);
    this.#release = guard({ close: () => this.end(), kill: () => this.#kill() });
  }

  /// Starts a process and opens the GPU in it. Throws `GpuError` 'unavailable' or 'timeout'.
  static async start(timeoutMs: number): Promise<{ process: CudaProcess; report: CudaReport }> {
    const process = new CudaProcess();
    try {
      const message = await withTimeLimit(process.#answer(), timeoutMs, 'opening CUDA');
      if (message.kind !== 'opened') throw new GpuError('lost', `CUDA answered out of turn: ${message.kind}`);
      return { process, report: message.report };
    } catch (error) {
      await process.end();
      if (error instanceof GpuError && (error.kind === 'unavailable' || error.kind === 'timeout')) throw error;
      // One that dies while it opens its device has no usable driver.
      throw new GpuError('unavailable', messageOf(error));
    }
  }

  get ended(): boolean {
    return this.#ended;
  }

  /// Sends a request and waits for its answer. Throws `GpuError`; after 'lost' and 'timeout' the process has ended.
  async ask(request: ToChild, timeoutMs: number, label: string): Promise<FromChild> {
    const answer = this.#answer();
    // A failure to send shows as the child's exit.
    this.#child.send(request, () => undefined);
    try {
      return await withTimeLimit(answer, timeoutMs, label);
    } catch (error) {
      if (error instanceof GpuError && (error.kind === 'lost' || error.kind === 'timeout')) await this.end();
      throw error;
    }
  }

  /// Ends it in order, when no request is under way.
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.send({ kind: 'close' } satisfies ToChild, () => undefined);
    await exited(this.#child, CLOSE_TIMEOUT_MS);
    await this.end();
  }

  /// Ends it at once: nothing else ends a kernel that never returns.
  async end(): Promise<void> {
    this.#ended = true;
    this.#kill();
    await exited(this.#child, CLOSE_TIMEOUT_MS);
    this.#release();
  }

  async #answer(): Promise<FromChild> {
    const listening = new AbortController();
    const received = once(this.#child, 'message', { signal: listening.signal });
    received.catch(() => undefined);
    try {
      const [message]: FromChild[] = await Promise.race([received, this.#exit]);
      if (!message) throw new GpuError('lost', 'the CUDA process sent an empty message');
      if (message.kind === 'failed') throw new CudaError(message.failure);
      return message;
    } finally {
      listening.abort();
    }
  }

  #kill(): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) killGroup(this.#child.pid);
  }
}
