// A session in headless Chrome, driven by Puppeteer.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Browser, Page } from 'puppeteer';
import { distFolder } from '../../sessions/dist-folder.ts';
import { messageOf } from '../../sessions/gpu-error.ts';
import { exited, guard, killGroup } from '../../sessions/open-sessions.ts';
import { requirePackage } from '../../sessions/packages.ts';
import { withTimeLimit } from '../../sessions/turns.ts';
import type { DeviceReport } from '../device.ts';
import type { GpuJob, GpuResult, GpuSession } from '../job.ts';
import { GpuError } from '../job.ts';
import type { GpuSequence, GpuSequenceResult } from '../sequence.ts';
import { startSession, type Transport } from '../session.ts';
import {
  answerBytes,
  decodeResult,
  decodeSequenceResult,
  encodeJob,
  encodeSequence,
  sequenceAnswerBytes,
} from '../wire.ts';
import { chromeFlags, type FlagChoice, mayHaveGpu } from './chrome-flags.ts';
import { findBrowser } from './find-browser.ts';
// The page's global, `lanewise`, is declared there.
import type {} from './page.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { makeProfileFolder } from './profiles.ts';

export interface ChromeOptions {
  /// `auto` tries the GPU where there may be one, and turns to SwiftShader otherwise.
  readonly adapter?: 'auto' | FlagChoice;
  readonly openTimeoutMs?: number;
}

const OPEN_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
const VERSION_TIMEOUT_MS = 5_000;

/// Opens a browser, a page and a device. `adapter.software` says what was really got.
/// Throws `GpuError` 'unavailable' (no browser, no adapter) or 'timeout'.
export async function openChrome(options: ChromeOptions = {}): Promise<GpuSession> {
  const { adapter = 'auto', openTimeoutMs = OPEN_TIMEOUT_MS } = options;
  requirePackage('puppeteer', 'chrome');
  const { path } = await findBrowser();
  // Someone who names the flags knows the adapter; there is nothing to try out.
  if (process.env.CHROME_FLAGS?.trim()) return await launch(path, 'hardware', openTimeoutMs);
  if (adapter !== 'auto') return await launch(path, adapter, openTimeoutMs);
  if (!mayHaveGpu()) return await launch(path, 'software', openTimeoutMs);
  try {
    const session = await launch(path, 'hardware', openTimeoutMs);
    if (!session.adapter.software) return session;
    // Chrome turned to a software adapter by itself; the flags made for one are the well-tried way to it.
    await session.close();
  } catch (error) {
    if (!(error instanceof GpuError)) throw error;
  }
  return await launch(path, 'software', openTimeoutMs);
}

async function launch(executablePath: string, choice: FlagChoice, timeoutMs: number): Promise<GpuSession> {
  const flags = chromeFlags(choice, {
    override: process.env.CHROME_FLAGS,
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
  });
  const transport = new PageTransport();
  // Until the session itself is guarded.
  const release = guard({ close: () => transport.close(), kill: () => transport.kill() });
  try {
    const opening = transport.open(executablePath, flags, timeoutMs);
    const { report, host } = await withTimeLimit(opening, timeoutMs, 'opening Chrome');
    return startSession({ ...report, host, flags }, transport, { guard });
  } catch (error) {
    transport.kill();
    await transport.close();
    if (error instanceof GpuError) throw error;
    const reasons = [messageOf(error), complaint(executablePath)].filter((reason) => reason !== '');
    throw new GpuError('unavailable', `Chrome did not start (${executablePath}): ${reasons.join('\n')}`);
  } finally {
    release();
  }
}

class PageTransport implements Transport {
  #server: PageServer | undefined;
  #browser: Browser | undefined;
  #gone: Promise<never> | undefined;
  /// The browser's profile and its temporary files.
  #folder: string | undefined;

  async open(
    executablePath: string,
    flags: readonly string[],
    timeoutMs: number,
  ): Promise<{ report: DeviceReport; host: string }> {
    // Loaded here: a program that never opens a browser does not wait for Puppeteer.
    const { default: puppeteer } = await import('puppeteer');
    this.#server = await startPageServer(distFolder());
    this.#folder = await makeProfileFolder();
    this.#browser = await puppeteer.launch({
      executablePath,
      args: [...flags],
      headless: /headless.shell/.test(basename(executablePath)) ? 'shell' : true,
      userDataDir: join(this.#folder, 'profile'),
      // A browser that is killed leaves a folder in TMPDIR. Elsewhere than on Linux the path of its socket could grow
      // too long.
      env: process.platform === 'linux' ? { ...process.env, TMPDIR: this.#folder } : process.env,
      // The browser ends by itself when its pipe closes, whatever happened to this process.
      pipe: true,
      timeout: timeoutMs,
      protocolTimeout: 0,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const host = await this.#browser.version();
    const page = (await this.#browser.pages())[0] ?? (await this.#browser.newPage());
    this.#gone = whenGone(page);
    await page.goto(this.#server.url, { timeout: timeoutMs });
    await page.waitForFunction(() => globalThis.lanewise !== undefined, { timeout: timeoutMs });
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
    await withTimeLimit(this.#browser?.close() ?? Promise.resolve(), CLOSE_TIMEOUT_MS, 'closing Chrome').catch(() => {
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

/// What the program says when it cannot even print its version: most often a shared library that is missing.
function complaint(executablePath: string): string {
  // Chrome on Windows opens a window instead.
  if (process.platform === 'win32') return '';
  const { status, stderr } = spawnSync(executablePath, ['--version'], {
    encoding: 'utf8',
    timeout: VERSION_TIMEOUT_MS,
  });
  return status === 0 ? '' : (stderr ?? '').trim();
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
