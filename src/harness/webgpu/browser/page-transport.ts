// A device in a page of a headless browser: starting the browser, the page's jobs and answers, and ending it.

import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Browser, LaunchOptions, Page } from 'puppeteer';
import type { DeviceReport } from '../../../runtime/device/device.ts';
import { messageOf } from '../../../runtime/device/gpu-error.ts';
import { GpuError, type GpuJob, type GpuResult, type GpuSession } from '../../../runtime/device/job.ts';
import type { GpuSequence, GpuSequenceResult } from '../../../runtime/device/sequence.ts';
import { withTimeLimit } from '../../../runtime/device/turns.ts';
import { distFolder } from '../../sessions/dist-folder.ts';
import { exited, guard, killGroup } from '../../sessions/open-sessions.ts';
import { startSession, type Transport } from '../session.ts';
import {
  answerBytes,
  decodeResult,
  decodeSequenceResult,
  encodeJob,
  encodeSequence,
  sequenceAnswerBytes,
} from '../wire.ts';
import { complaintOf } from './complaint.ts';
// The page's global, `lanewise`, is declared there.
import type {} from './page.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { makeProfileFolder } from './profiles.ts';

const CLOSE_TIMEOUT_MS = 5_000;

export interface BrowserStart {
  /// For messages: `Chrome`, `Firefox`.
  readonly name: string;
  readonly executablePath: string;
  /// What results say of how the adapter was chosen: command line flags, or preferences.
  readonly flags: readonly string[];
  readonly timeoutMs: number;
  /// Puppeteer's options, given a fresh folder for the profile and temporary files.
  options(folder: string): LaunchOptions;
}

/// Opens a session in a page of a browser of its own. Throws `GpuError` 'unavailable' or 'timeout'.
export async function openPageSession(start: BrowserStart): Promise<GpuSession> {
  const transport = new PageTransport(start);
  // Until the session itself is guarded.
  const release = guard({ close: () => transport.close(), kill: () => transport.kill() });
  try {
    const { report, host } = await withTimeLimit(transport.open(), start.timeoutMs, `opening ${start.name}`);
    return startSession({ ...report, host, flags: start.flags }, transport, { guard });
  } catch (error) {
    transport.kill();
    await transport.close();
    if (error instanceof GpuError) throw error;
    const reasons = [messageOf(error), complaintOf(start.executablePath)].filter((reason) => reason !== '');
    throw new GpuError('unavailable', `${start.name} did not start (${start.executablePath}): ${reasons.join('\n')}`);
  } finally {
    release();
  }
}

class PageTransport implements Transport {
  readonly #start: BrowserStart;
  #server: PageServer | undefined;
  #browser: Browser | undefined;
  #gone: Promise<never> | undefined;
  /// The browser's profile and its temporary files.
  #folder: string | undefined;

  constructor(start: BrowserStart) {
    this.#start = start;
  }

  async open(): Promise<{ report: DeviceReport; host: string }> {
    const timeout = this.#start.timeoutMs;
    // Loaded here: a program that never opens a browser does not wait for Puppeteer.
    const { default: puppeteer } = await import('puppeteer');
    this.#server = await startPageServer(distFolder());
    this.#folder = await makeProfileFolder();
    this.#browser = await puppeteer.launch({
      ...this.#start.options(this.#folder),
      executablePath: this.#start.executablePath,
      // A browser that is killed leaves a folder in TMPDIR. Elsewhere than on Linux the path of its socket could grow
      // too long.
      env: process.platform === 'linux' ? { ...process.env, TMPDIR: this.#folder } : process.env,
      timeout,
      protocolTimeout: 0,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const host = await this.#browser.version();
    const page = (await this.#browser.pages())[0] ?? (await this.#browser.newPage());
    this.#gone = whenGone(page);
    await page.goto(this.#server.url, { timeout });
    await page.waitForFunction(() => globalThis.lanewise !== undefined, { timeout });
    const opened = await page.evaluate((url) => globalThis.lanewise?.open(url), this.#server.answerUrl);
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
    const process = this.#browser?.process();
    const closing = this.#browser?.close() ?? Promise.resolve();
    await withTimeLimit(closing, CLOSE_TIMEOUT_MS, `closing ${this.#start.name}`).catch(() => {
      // It hangs, or has gone: what follows ends it.
    });
    this.kill();
    if (process) await exited(process, CLOSE_TIMEOUT_MS);
    await this.#server?.close();
    // Helper processes may write a last file while they end.
    if (this.#folder)
      await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }).catch(() => undefined);
  }

  kill(): void {
    const process = this.#browser?.process();
    if (process) killGroup(process.pid);
    try {
      if (this.#folder) rmSync(this.#folder, { recursive: true, force: true });
    } catch {
      // A helper was still writing; `close` tries again.
    }
  }
}

/// Rejects when the page crashes or its browser ends.
function whenGone(page: Page): Promise<never> {
  const gone = new Promise<never>((_, reject) => {
    const end = (what: string) => (): void => reject(new GpuError('lost', what));
    page.once('error', end('the page crashed'));
    page.once('close', end('the page was closed'));
    page.browser().once('disconnected', end('the browser ended'));
  });
  gone.catch(() => undefined);
  return gone;
}
