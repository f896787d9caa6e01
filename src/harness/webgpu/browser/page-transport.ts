// A device in a page of a browser: the page's jobs and answers. A driver starts the browser and ends it.

import type { DeviceReport } from '../../../runtime/device/device.ts';
import { messageOf } from '../../../runtime/device/gpu-error.ts';
import { GpuError, type GpuJob, type GpuResult, type GpuSession } from '../../../runtime/device/job.ts';
import type { GpuSequence, GpuSequenceResult } from '../../../runtime/device/sequence.ts';
import { withTimeLimit } from '../../../runtime/device/turns.ts';
import { distFolder } from '../../sessions/dist-folder.ts';
import { guard } from '../../sessions/open-sessions.ts';
import { startSession, type Transport } from '../session.ts';
import {
  answerBytes,
  decodeResult,
  decodeSequenceResult,
  encodeJob,
  encodeSequence,
  sequenceAnswerBytes,
} from '../wire.ts';
import type { PageApi } from './page.ts';
import type { PageServer } from './page-server.ts';
import { loopback, type ServeAddress } from './serve-address.ts';

/** What `PageApi.open` gives; undefined where the page has no such function. */
export type Opened = Awaited<ReturnType<PageApi['open']>> | undefined;

/** Drives a page of a browser that it starts. */
export interface PageDriver {
  /** For messages: `Chrome`, `Firefox`. */
  readonly name: string;
  /** Where it is: a program, or an address. */
  readonly place: string;
  /** What results say of how the adapter was chosen: command line flags, or preferences. */
  readonly flags: readonly string[];
  /** Starts the browser, where that can be done before there is a page for it. Called once, before `open`. */
  start?(): void;
  /** Starts the browser if that is still to be done, loads the page and has it open a device. `host` is the browser and its version. */
  open(page: PageServer): Promise<{ opened: Opened; host: string }>;
  /** Rejects when the page or its browser has gone. */
  gone(): Promise<never>;
  /** Ends the browser in order. */
  close(): Promise<void>;
  /** Ends it at once. Synchronous, and callable again. */
  kill(): void;
  /** What the browser says of why it cannot start; '' for nothing. */
  complaint(): string;
}

export interface PageOptions {
  readonly timeoutMs: number;
  /** Where the browser finds this machine; 127.0.0.1 and any port without it. */
  readonly serve?: ServeAddress | undefined;
}

/** Opens a session in a page of a browser of its own. Throws `GpuError` 'unavailable' or 'timeout'. */
export async function openPageSession(driver: PageDriver, { timeoutMs, serve }: PageOptions): Promise<GpuSession> {
  const transport = new PageTransport(driver, serve ?? loopback);
  // Until the session itself is guarded.
  const release = guard({ close: () => transport.close(), kill: () => transport.kill() });
  try {
    const { report, host } = await withTimeLimit(transport.open(), timeoutMs, `opening ${driver.name}`);
    return startSession({ ...report, host, flags: driver.flags }, transport, { guard });
  } catch (error) {
    transport.kill();
    await transport.close();
    if (error instanceof GpuError) throw error;
    const reasons = [messageOf(error), driver.complaint()].filter((reason) => reason !== '');
    throw new GpuError('unavailable', `${driver.name} did not start (${driver.place}): ${reasons.join('\n')}`);
  } finally {
    release();
  }
}

class PageTransport implements Transport {
  readonly #driver: PageDriver;
  readonly #address: ServeAddress;
  #server: PageServer | undefined;
  #gone: Promise<never> | undefined;

  constructor(driver: PageDriver, address: ServeAddress) {
    this.#driver = driver;
    this.#address = address;
  }

  async open(): Promise<{ report: DeviceReport; host: string }> {
    const folder = distFolder();
    this.#driver.start?.();
    // Loaded while the browser starts: Node's own HTTP server is the largest part of it.
    const { startPageServer } = await import('./page-server.ts');
    this.#server = await startPageServer(folder, this.#address);
    const { opened, host } = await this.#driver.open(this.#server);
    this.#gone = this.#driver.gone();
    if (!opened || 'error' in opened) throw new GpuError('unavailable', opened?.error ?? 'the page did not load');
    return { report: opened.report, host };
  }

  async send(job: GpuJob): Promise<GpuResult> {
    return decodeResult(await this.#exchange(encodeJob(job), answerBytes(job)));
  }

  async time(sequence: GpuSequence): Promise<GpuSequenceResult> {
    return decodeSequenceResult(await this.#exchange(encodeSequence(sequence), sequenceAnswerBytes(sequence)));
  }

  async #exchange(message: readonly Uint8Array[], bytes: number): Promise<ArrayBuffer> {
    if (!this.#server || !this.#gone) throw new GpuError('lost', 'the page is closed');
    return await Promise.race([this.#server.exchange(message, bytes), this.#gone]);
  }

  async close(): Promise<void> {
    await this.#driver.close();
    await this.#server?.close();
  }

  kill(): void {
    this.#driver.kill();
  }
}
