// Drives a page of a headless Chrome on this machine through its DevTools protocol.

import { join } from 'node:path';
import { fieldsOf, type JsonObject, textOf } from '../../../base/json-value.ts';
import { GpuError } from '../../../runtime/device/job.ts';
import { withTimeLimit } from '../../../runtime/device/turns.ts';
import { keepProcess } from '../../sessions/keeper.ts';
import { killGroup } from '../../sessions/open-sessions.ts';
import type { ScratchFolder } from '../../sessions/scratch-folder.ts';
import { headlessFlags } from './chrome-flags.ts';
import { DevToolsPipe } from './devtools-pipe.ts';
// Declares the page's global, `lanewise`.
import type {} from './page-api.ts';
import type { PageServer } from './page-server.ts';
import type { Opened, PageDriver } from './page-transport.ts';
import { makeProfileFolder, removeStaleFolders } from './profiles.ts';

const CLOSE_TIMEOUT_MS = 5_000;

export class ChromeDriver implements PageDriver {
  readonly name = 'Chrome';
  readonly place: string;
  readonly flags: readonly string[];
  #browser: DevToolsPipe | undefined;
  /** The folder of the browser's profile and temporary files. */
  #folder: ScratchFolder | undefined;
  #releaseBrowser: () => void = () => undefined;
  /** Resolves with the first page's target. */
  readonly #firstPage: Promise<string>;
  #foundPage: (target: string) => void = () => undefined;
  #target: string | undefined;
  readonly #gone: Promise<never>;
  #end: (error: GpuError) => void = () => undefined;

  constructor(executablePath: string, flags: readonly string[]) {
    this.place = executablePath;
    this.flags = flags;
    this.#firstPage = new Promise((resolve) => {
      this.#foundPage = resolve;
    });
    this.#gone = new Promise((_, reject) => {
      this.#end = reject;
    });
    this.#gone.catch(() => undefined);
  }

  start(): void {
    this.#folder = makeProfileFolder();
    const { path, environment } = this.#folder;
    const args = headlessFlags(this.place, this.flags, join(path, 'profile'));
    this.#browser = new DevToolsPipe(this.place, args, environment, (method, parameters) =>
      this.#hear(method, parameters),
    );
    this.#releaseBrowser = keepProcess(this.#browser.process.pid, 'session');
    void this.#browser.ended.then(() => this.#end(new GpuError('lost', 'the browser ended')));
  }

  async open({ url, answerUrl }: PageServer): Promise<{ opened: Opened; host: string }> {
    const browser = this.#browser;
    if (!browser) throw new Error('the browser has not been started');
    const version = browser.send('Browser.getVersion');
    version.catch(() => undefined);
    // Chrome then reports existing and later pages.
    await browser.send('Target.setDiscoverTargets', { discover: true });
    const ended = browser.ended.then((how): never => {
      throw new Error(how);
    });
    this.#target = await Promise.race([this.#firstPage, ended]);
    const attached = await browser.send('Target.attachToTarget', { targetId: this.#target, flatten: true });
    const session = textOf(attached.sessionId);
    const { errorText } = await browser.send('Page.navigate', { url }, session);
    if (errorText !== undefined) throw new Error(`the page did not load: ${textOf(errorText)}`);
    // Removes the leftovers of earlier processes in the background.
    void removeStaleFolders().catch(() => undefined);
    const opened = await Promise.race([openDevice(browser, session, answerUrl), this.#gone]);
    return { opened, host: textOf((await version).product) };
  }

  gone(): Promise<never> {
    return this.#gone;
  }

  /**
   * Closes the page and the browser. Kills the browser without an orderly exit, because its profile
   * is removed too.
   */
  async close(): Promise<void> {
    this.kill();
    if (this.#browser) {
      const ended = withTimeLimit(this.#browser.ended, CLOSE_TIMEOUT_MS, 'the exit of the browser');
      await ended.then(this.#releaseBrowser, () => undefined);
    }
    await this.#folder?.remove();
  }

  kill(): void {
    // The started process may be a shell script, which can end before its browser ends.
    if (this.#browser && !this.#browser.hasEnded) killGroup(this.#browser.process.pid);
    this.#folder?.removeNow();
  }

  /** Returns '', because the error already contains the browser's output. */
  complaint(): string {
    return '';
  }

  #hear(method: string, parameters: JsonObject): void {
    const { type, targetId } = method === 'Target.targetCreated' ? fieldsOf(parameters.targetInfo) : parameters;
    if (method === 'Target.targetCreated' && type === 'page') this.#foundPage(textOf(targetId));
    if (targetId !== this.#target) return;
    if (method === 'Target.targetCrashed') this.#end(new GpuError('lost', 'the page crashed'));
    if (method === 'Target.targetDestroyed') this.#end(new GpuError('lost', 'the page was closed'));
  }
}

/** Calls `lanewise.open` in the page and returns its result. */
async function openDevice(browser: DevToolsPipe, session: string, answerUrl: string): Promise<Opened> {
  const expression = `(${openInPage})(${JSON.stringify(answerUrl)})`;
  const { result, exceptionDetails } = await browser.send(
    'Runtime.evaluate',
    { expression, awaitPromise: true, returnByValue: true },
    session,
  );
  if (exceptionDetails !== undefined)
    throw new Error(textOf(fieldsOf(fieldsOf(exceptionDetails).exception).description));
  const { value } = fieldsOf(result);
  return typeof value === 'string' ? JSON.parse(value) : undefined;
}

/** Opens the device. This function runs in the page, after the page's modules. */
async function openInPage(answerUrl: string): Promise<string | undefined> {
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve));
  return JSON.stringify(await globalThis.lanewise?.open(answerUrl));
}
