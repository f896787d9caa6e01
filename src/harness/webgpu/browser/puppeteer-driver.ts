// A page of a headless browser on this machine, driven by Puppeteer.

import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Browser, LaunchOptions, Page } from 'puppeteer';
import { GpuError } from '../../../runtime/device/job.ts';
import { withTimeLimit } from '../../../runtime/device/turns.ts';
import { exited, killGroup } from '../../sessions/open-sessions.ts';
import { complaintOf } from './complaint.ts';
// The page's global, `lanewise`, is declared there.
import type {} from './page.ts';
import type { PageServer } from './page-server.ts';
import type { Opened, PageDriver } from './page-transport.ts';
import { makeProfileFolder, removeStaleFolders } from './profiles.ts';

const CLOSE_TIMEOUT_MS = 5_000;

export interface BrowserStart {
  readonly name: string;
  readonly executablePath: string;
  readonly flags: readonly string[];
  readonly timeoutMs: number;
  /// Puppeteer's options, given a fresh folder for the profile and temporary files.
  options(folder: string): LaunchOptions;
}

export class PuppeteerDriver implements PageDriver {
  readonly #start: BrowserStart;
  #browser: Browser | undefined;
  #page: Page | undefined;
  /// The browser's profile and its temporary files.
  #folder: string | undefined;

  constructor(start: BrowserStart) {
    this.#start = start;
  }

  get name(): string {
    return this.#start.name;
  }

  get place(): string {
    return this.#start.executablePath;
  }

  get flags(): readonly string[] {
    return this.#start.flags;
  }

  async open({ url, answerUrl }: PageServer): Promise<{ opened: Opened; host: string }> {
    const timeout = this.#start.timeoutMs;
    // Loaded here: a program that never opens a browser does not wait for Puppeteer.
    const loading = import('puppeteer');
    loading.catch(() => undefined);
    await removeStaleFolders();
    this.#folder = makeProfileFolder();
    const { default: puppeteer } = await loading;
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
    const host = this.#browser.version();
    host.catch(() => undefined);
    this.#page = (await this.#browser.pages())[0] ?? (await this.#browser.newPage());
    // Modules have run when the page is loaded.
    await this.#page.goto(url, { timeout });
    const opened = await this.#page.evaluate((path) => globalThis.lanewise?.open(path), answerUrl);
    return { opened, host: await host };
  }

  gone(): Promise<never> {
    const page = this.#page;
    const gone = new Promise<never>((_, reject) => {
      const end = (what: string) => (): void => reject(new GpuError('lost', what));
      page?.once('error', end('the page crashed'));
      page?.once('close', end('the page was closed'));
      page?.browser().once('disconnected', end('the browser ended'));
    });
    gone.catch(() => undefined);
    return gone;
  }

  async close(): Promise<void> {
    const process = this.#browser?.process();
    const closing = this.#browser?.close() ?? Promise.resolve();
    await withTimeLimit(closing, CLOSE_TIMEOUT_MS, `closing ${this.name}`).catch(() => {
      // It hangs, or has gone: what follows ends it.
    });
    this.kill();
    if (process) await exited(process, CLOSE_TIMEOUT_MS);
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

  complaint(): string {
    return complaintOf(this.place);
  }
}
