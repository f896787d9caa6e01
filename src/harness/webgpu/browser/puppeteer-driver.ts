// Drives a page of a headless browser on this machine with Puppeteer.

import type { Browser, LaunchOptions, Page } from 'puppeteer';
import { GpuError } from '../../../runtime/device/job.ts';
import { withTimeLimit } from '../../../runtime/device/turns.ts';
import { keepProcess } from '../../sessions/keeper.ts';
import { killSession } from '../../sessions/leftovers.ts';
import { exited } from '../../sessions/open-sessions.ts';
import type { ScratchFolder } from '../../sessions/scratch-folder.ts';
import { complaintOf } from './complaint.ts';
// Declares the page's global, `lanewise`.
import type {} from './page-api.ts';
import type { PageServer } from './page-server.ts';
import type { Opened, PageDriver } from './page-transport.ts';
import { makeProfileFolder, removeStaleFolders } from './profiles.ts';

const CLOSE_TIMEOUT_MS = 5_000;

export interface BrowserStart {
  readonly name: string;
  readonly executablePath: string;
  readonly flags: readonly string[];
  readonly timeoutMs: number;
  /**
   * Returns the options for Puppeteer. `folder` is an empty folder for the profile and temporary
   * files.
   */
  options(folder: string): LaunchOptions;
}

export class PuppeteerDriver implements PageDriver {
  readonly #start: BrowserStart;
  #launching: Promise<Browser> | undefined;
  #browser: Browser | undefined;
  /** Ends the browser, even during its start. */
  readonly #end = new AbortController();
  #page: Page | undefined;
  /** The folder of the browser's profile and temporary files. */
  #folder: ScratchFolder | undefined;
  #releaseBrowser: () => void = () => undefined;

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
    // Load Puppeteer on demand, so that programs without browsers do not wait for it.
    const loading = import('puppeteer');
    loading.catch(() => undefined);
    await removeStaleFolders();
    this.#folder = makeProfileFolder();
    const { default: puppeteer } = await loading;
    this.#launching = puppeteer.launch({
      ...this.#start.options(this.#folder.path),
      executablePath: this.#start.executablePath,
      env: this.#folder.environment,
      timeout,
      protocolTimeout: 0,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      signal: this.#end.signal,
    });
    this.#browser = await this.#launching;
    // Before this call, the keeper finds the browser by its folder; after the call, by its process
    // id.
    this.#releaseBrowser = keepProcess(this.#browser.process()?.pid, 'session');
    const host = this.#browser.version();
    host.catch(() => undefined);
    this.#page = (await this.#browser.pages())[0] ?? (await this.#browser.newPage());
    // `goto` waits for the load event of the page, which follows the execution of its modules.
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
    // If the browser hangs, the following steps kill it.
    if (this.#browser && !this.#end.signal.aborted) await settled(this.#browser.close(), CLOSE_TIMEOUT_MS);
    this.kill();
    if (this.#launching) await settled(this.#launching, CLOSE_TIMEOUT_MS);
    if (process) await exited(process, CLOSE_TIMEOUT_MS);
    this.#releaseBrowser();
    await this.#folder?.remove();
  }

  kill(): void {
    this.#end.abort();
    const process = this.#browser?.process();
    // Firefox's crash helper has its own process group.
    if (process?.pid !== undefined) killSession(process.pid);
    this.#folder?.removeNow();
  }

  complaint(): string {
    return complaintOf(this.place);
  }
}

/** Waits until the work has settled, for at most `ms` milliseconds. */
async function settled(work: Promise<unknown>, ms: number): Promise<void> {
  await withTimeLimit(work, ms, '').catch(() => undefined);
}
