// A session on Dawn, Chrome's WebGPU implementation, through the `webgpu` package in a child process.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { distFolder } from '../../process/dist-folder.ts';
import { exited, killGroup } from '../../process/open-sessions.ts';
import { installedBrowser } from '../chrome/find-browser.ts';
import type { GpuResult, GpuSession, GpuShader } from '../job.ts';
import { GpuError } from '../job.ts';
import type { GpuSequence, GpuSequenceResult } from '../sequence.ts';
import { messageOf, startSession, type Transport, withTimeLimit } from '../session.ts';
import type { FromChild, ToChild } from './dawn-messages.ts';
import type { DawnDriver, DriverChoice } from './vulkan-drivers.ts';
import { driverEnvironment, driverFromEnvironment } from './vulkan-drivers.ts';

export interface DawnOptions {
  /// Which Vulkan driver; without one, the LANEWISE_DAWN variable decides, then what the machine has.
  readonly driver?: DawnDriver;
  /// Subgroup size of lavapipe.
  readonly subgroupSize?: 4 | 8 | 16;
  readonly openTimeoutMs?: number;
}

const OPEN_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
/// Where the machine's own drivers give no adapter.
const SOFTWARE: readonly DriverChoice[] = [{ driver: 'lavapipe' }, { driver: 'swiftshader' }];

/// Opens a device. Throws `GpuError` 'unavailable' where there is no adapter or the driver asked for is not installed.
export async function openDawn(options: DawnOptions = {}): Promise<GpuSession> {
  const { openTimeoutMs = OPEN_TIMEOUT_MS } = options;
  const choice = choose(options);
  const environment = driverEnvironment(choice, installedBrowser());
  if (!environment) throw new GpuError('unavailable', `the Vulkan driver ${choice.driver} is not installed here`);
  try {
    return await openChild(environment, openTimeoutMs);
  } catch (error) {
    const pinned = choice.driver !== 'default' || process.env.VK_DRIVER_FILES !== undefined;
    if (pinned || !(error instanceof GpuError) || error.kind !== 'unavailable') throw error;
    for (const fallback of SOFTWARE) {
      const software = driverEnvironment(fallback, installedBrowser());
      if (software) return await openChild(software, openTimeoutMs);
    }
    throw error;
  }
}

/// Whether `openDawn` would find that driver's files. Says nothing of whether it works.
export function hasDawnDriver(choice: DriverChoice): boolean {
  return driverEnvironment(choice, installedBrowser()) !== undefined;
}

function choose({ driver, subgroupSize }: DawnOptions): DriverChoice {
  if (driver === undefined) return driverFromEnvironment(process.env.LANEWISE_DAWN);
  return subgroupSize === undefined ? { driver } : { driver, subgroupSize };
}

async function openChild(environment: Readonly<Record<string, string>>, timeoutMs: number): Promise<GpuSession> {
  const child = fork(join(distFolder(), 'harness/webgpu/dawn/dawn-child.js'), [], {
    serialization: 'advanced',
    env: { ...process.env, ...environment },
    // Its own group: Ctrl-C in a terminal then reaches this process only, which closes the child in order.
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const transport = new ChildTransport(child);
  try {
    const opened = await withTimeLimit(transport.answer(), timeoutMs, 'opening Dawn');
    if (opened.kind !== 'opened') throw new GpuError('unavailable', `Dawn answered out of turn: ${opened.kind}`);
    const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const host = `Dawn (webgpu ${packageVersion()}), Node ${process.versions.node}`;
    return startSession({ ...opened.report, host, flags: [...opened.flags, ...settings] }, transport);
  } catch (error) {
    transport.kill();
    // A child that dies while it opens its device has no usable driver.
    const kind = error instanceof GpuError && error.kind === 'timeout' ? 'timeout' : 'unavailable';
    throw new GpuError(kind, messageOf(error));
  }
}

class ChildTransport implements Transport {
  readonly #child: ChildProcess;
  #errorOutput = '';
  #exit: Promise<never>;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      // The end says why it died; a driver may have written much before.
      this.#errorOutput = (this.#errorOutput + text).slice(-2_000);
    });
    // 'close' and not 'exit': by then all that it wrote has arrived.
    this.#exit = once(child, 'close').then(([code, signal]) => {
      const how = signal ? `was killed by ${signal}` : `exited with ${code}`;
      throw new GpuError('lost', `the Dawn process ${how}\n${this.#errorOutput}`.trim());
    });
    this.#exit.catch(() => undefined);
  }

  /// The child's next message. Throws the error that it reports.
  async answer(): Promise<FromChild> {
    const listening = new AbortController();
    const received = once(this.#child, 'message', { signal: listening.signal });
    received.catch(() => undefined);
    try {
      const [message]: FromChild[] = await Promise.race([received, this.#exit]);
      if (!message) throw new GpuError('lost', 'the Dawn process sent an empty message');
      if (message.kind === 'failed') throw new GpuError(message.error, message.message);
      return message;
    } finally {
      listening.abort();
    }
  }

  async send(job: Parameters<Transport['send']>[0]): Promise<GpuResult> {
    const message = await this.#ask({ kind: 'run', job });
    if (message.kind !== 'done') throw new GpuError('lost', `Dawn answered out of turn: ${message.kind}`);
    // What arrives are views into one received message; callers get arrays of their own.
    const buffers = new Map([...message.buffers].map(([binding, data]) => [binding, new Uint8Array(data)]));
    return { buffers, ms: message.ms };
  }

  prepare(shader: GpuShader): void {
    this.#post({ kind: 'prepare', shader });
  }

  async time(sequence: GpuSequence): Promise<GpuSequenceResult> {
    const message = await this.#ask({ kind: 'time', sequence });
    if (message.kind !== 'timed') throw new GpuError('lost', `Dawn answered out of turn: ${message.kind}`);
    return message.result;
  }

  async close(): Promise<void> {
    if (this.#child.connected) this.#post({ kind: 'close' });
    await exited(this.#child, CLOSE_TIMEOUT_MS);
    this.kill();
  }

  kill(): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) killGroup(this.#child.pid);
  }

  async #ask(message: ToChild): Promise<FromChild> {
    const answer = this.answer();
    this.#post(message);
    return await answer;
  }

  #post(message: ToChild): void {
    // A failure to send shows as the child's exit.
    this.#child.send(message, () => undefined);
  }
}

function packageVersion(): string {
  const entry = createRequire(import.meta.url).resolve('webgpu');
  const { version }: { version: string } = JSON.parse(readFileSync(join(dirname(entry), 'package.json'), 'utf8'));
  return version;
}
