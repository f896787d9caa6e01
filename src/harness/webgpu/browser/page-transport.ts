// A device in a page of a browser. The transport sends jobs to the page and receives the answers. A
// driver starts and ends the browser.

import type { DeviceReport } from '../../../runtime/device/device.ts';
import { messageOf } from '../../../runtime/device/gpu-error.ts';
import {
  type CompileTimes,
  GpuError,
  type GpuJob,
  type GpuResult,
  type GpuSession,
  type GpuShader,
  type OnPhase,
} from '../../../runtime/device/job.ts';
import type { GpuSequence, GpuSequenceResult } from '../../../runtime/device/sequence.ts';
import { withTimeLimit } from '../../../runtime/device/turns.ts';
import { distFolder } from '../../sessions/dist-folder.ts';
import { guard } from '../../sessions/open-sessions.ts';
import { startSession, type Transport } from '../session.ts';
import {
  answerBytes,
  decodeResult,
  decodeSequenceResult,
  decodeTimes,
  encodeContinue,
  encodeJob,
  encodeSequence,
  encodeShader,
  phaseIn,
  sequenceAnswerBytes,
} from '../wire.ts';
import type { PageApi } from './page-api.ts';
import type { PageServer } from './page-server.ts';
import type { ServeAddress } from './serve-address.ts';
import type { PageScript } from './served-page.ts';

/** The result of `PageApi.open`; undefined if the page does not have this function. */
export type Opened = Awaited<ReturnType<PageApi['open']>> | undefined;

/** Starts a browser and drives a page of it. */
export interface PageDriver {
  /** The browser's name in messages: `Chrome`, `Firefox`. */
  readonly name: string;
  /** The browser's program or address. */
  readonly place: string;
  /** The flags or preferences that selected the adapter, for results. */
  readonly flags: readonly string[];
  /**
   * Starts the browser, if the driver can do so before the page exists. Called once, before `open`.
   */
  start?(): void;
  /**
   * Starts the browser if it is not running, loads the page and opens a device in the page. `host`
   * is the name and version of the browser.
   */
  open(page: PageServer): Promise<{ opened: Opened; host: string }>;
  /** Rejects when the page or its browser has ended. */
  gone(): Promise<never>;
  /** Closes the browser in an orderly way. */
  close(): Promise<void>;
  /** Kills the browser synchronously. May be called repeatedly. */
  kill(): void;
  /** Returns the browser's own message about a failed start, or '' if there is none. */
  complaint(): string;
}

export interface PageOptions {
  readonly timeoutMs: number;
  /** The program of the page; by default the one that runs jobs. */
  readonly script?: PageScript;
  /** The address at which the browser reaches this machine; by default 127.0.0.1 and any port. */
  readonly serve?: ServeAddress | undefined;
}

/** Opens a page of a new browser with a driver. */
export type OpenInPage<T> = (driver: PageDriver, options: PageOptions) => Promise<T>;

/** Opens a session in a page of a new browser. Throws `GpuError` 'unavailable' or 'timeout'. */
export const openPageSession = (driver: PageDriver, options: PageOptions): Promise<GpuSession> =>
  openPage(driver, options, (transport, { report, host }) =>
    startSession({ ...report, host, flags: driver.flags }, transport, { guard }),
  );

/**
 * Opens a page of a new browser, and returns what `use` returns for the page's transport. `use` must
 * guard the transport against signals. Throws `GpuError` 'unavailable' or 'timeout'.
 */
export async function openPage<T>(
  driver: PageDriver,
  { timeoutMs, script, serve }: PageOptions,
  use: (transport: PageTransport, page: { readonly report: DeviceReport; readonly host: string }) => T,
): Promise<T> {
  const transport = new PageTransport(driver, serve, script);
  // Until the session itself is guarded, signals close the transport.
  const release = guard(transport);
  try {
    return use(transport, await withTimeLimit(transport.open(), timeoutMs, `opening ${driver.name}`));
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

/** The connection with a page. */
export class PageTransport implements Transport {
  readonly #driver: PageDriver;
  readonly #address: ServeAddress | undefined;
  readonly #script: PageScript | undefined;
  #server: PageServer | undefined;
  #gone: Promise<never> | undefined;

  constructor(driver: PageDriver, address: ServeAddress | undefined, script: PageScript | undefined) {
    this.#driver = driver;
    this.#address = address;
    this.#script = script;
  }

  async open(): Promise<{ report: DeviceReport; host: string }> {
    const folder = distFolder();
    this.#driver.start?.();
    // Start to load the modules while the browser starts. Most of this time is for Node's HTTP
    // server.
    const { startPageServer } = await import('./page-server.ts');
    this.#server = await startPageServer(folder, this.#address, this.#script);
    const { opened, host } = await this.#driver.open(this.#server);
    this.#gone = this.#driver.gone();
    if (!opened || 'error' in opened) throw new GpuError('unavailable', opened?.error ?? 'the page did not load');
    return { report: opened.report, host };
  }

  async send(job: GpuJob, onPhase: OnPhase): Promise<GpuResult> {
    return decodeResult(await this.#answer(encodeJob(job), answerBytes(job), onPhase));
  }

  async time(sequence: GpuSequence, onPhase: OnPhase): Promise<GpuSequenceResult> {
    const bytes = sequenceAnswerBytes(sequence);
    return decodeSequenceResult(await this.#answer(encodeSequence(sequence), bytes, onPhase));
  }

  async compile(shader: GpuShader): Promise<CompileTimes> {
    return decodeTimes(await this.exchange(encodeShader(shader), 0));
  }

  /**
   * Exchanges messages until the page sends an answer. Reports the phases that the page sends
   * before.
   */
  async #answer(message: readonly Uint8Array[], bytes: number, onPhase: OnPhase): Promise<ArrayBuffer> {
    let answer = await this.exchange(message, bytes);
    for (let phase = phaseIn(answer); phase; phase = phaseIn(answer)) {
      onPhase(phase);
      answer = await this.exchange(encodeContinue(), bytes);
    }
    return answer;
  }

  /** Sends a message, and returns the answer, whose payloads have at most `bytes` bytes. */
  async exchange(message: readonly Uint8Array[], bytes: number): Promise<ArrayBuffer> {
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
