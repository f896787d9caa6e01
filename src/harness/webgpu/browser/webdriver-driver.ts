// Drives a page of a browser through a WebDriver endpoint: a Selenium Grid, a browser's own driver,
// or a cloud of devices.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { WebDriver } from 'selenium-webdriver';
import { messageOf } from '../../../runtime/device/gpu-error.ts';
import { GpuError } from '../../../runtime/device/job.ts';
import { withTimeLimit } from '../../../runtime/device/turns.ts';
import { bundledProgram } from '../../sessions/dist-folder.ts';
import { exited } from '../../sessions/open-sessions.ts';
// Declares the page's global, `lanewise`.
import type {} from './page-api.ts';
import type { PageServer } from './page-server.ts';
import type { Opened, PageDriver } from './page-transport.ts';
import type { FromSessionOwner, ToSessionOwner } from './webdriver-messages.ts';
import { shownCapabilities, shownUrl, type WebDriverTarget, withSecureOrigin } from './webdriver-target.ts';

const CLOSE_TIMEOUT_MS = 10_000;
/**
 * The interval of heartbeats in milliseconds. A grid ends an idle session, by default after five
 * minutes. A heartbeat also detects that a session has ended.
 */
const HEARTBEAT_MS = 3_000;
/**
 * The time in milliseconds after which a session without an answer counts as ended. A busy browser
 * may answer slowly.
 */
const HEARTBEAT_LIMIT_MS = 60_000;
/** The time limit for opening the device in the page, in milliseconds. */
const SCRIPT_TIMEOUT_MS = 120_000;

export class WebDriverDriver implements PageDriver {
  readonly #target: WebDriverTarget;
  /**
   * The process that opens and ends the session. webdriver-session-child.ts explains why it is a
   * separate process.
   */
  #owner: ChildProcess | undefined;
  #session: WebDriver | undefined;
  #ended = false;

  constructor(target: WebDriverTarget) {
    this.#target = target;
  }

  get name(): string {
    return 'the WebDriver session';
  }

  get place(): string {
    return shownUrl(this.#target);
  }

  get flags(): readonly string[] {
    return shownCapabilities(this.#target);
  }

  async open({ url, answerUrl }: PageServer): Promise<{ opened: Opened; host: string }> {
    const capabilities = withSecureOrigin(this.#target.capabilities, new URL(url));
    const loading = loadSelenium();
    loading.catch(() => undefined);
    const granted = await this.#openSession(capabilities);
    const session = attach(await loading, this.#target.url, granted.id);
    this.#session = session;
    await session.manage().setTimeouts({ script: SCRIPT_TIMEOUT_MS });
    await session.get(url);
    const opened: Opened = await session.executeAsyncScript(openDevice, answerUrl);
    return { opened, host: hostOf(new Map(granted.capabilities)) };
  }

  async #openSession(
    capabilities: Readonly<Record<string, unknown>>,
  ): Promise<Extract<FromSessionOwner, { readonly kind: 'opened' }>> {
    if (this.#ended) throw new Error('it was closed');
    const owner = fork(bundledProgram('harness/webgpu/browser/webdriver-session-child'), [], {
      // A signal for the group of this process must not end the child process, which still has to
      // end the session.
      detached: true,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#owner = owner;
    const gone = once(owner, 'exit').then((): never => {
      throw new Error('the process that opens the session has exited');
    });
    gone.catch(() => undefined);
    const order: ToSessionOwner = { kind: 'open', url: this.#target.url, capabilities };
    // If sending fails, the exit of the process follows.
    owner.send(order, () => undefined);
    const [answer]: FromSessionOwner[] = await Promise.race([once(owner, 'message'), gone]);
    if (answer?.kind !== 'opened')
      throw new Error(answer?.message ?? 'the process that opens the session sent nothing');
    return answer;
  }

  gone(): Promise<never> {
    const gone = this.#watch();
    gone.catch(() => undefined);
    return gone;
  }

  async #watch(): Promise<never> {
    while (!this.#ended) {
      await new Promise((resolve) => setTimeout(resolve, HEARTBEAT_MS).unref());
      const session = this.#session;
      if (this.#ended || !session) break;
      try {
        await withTimeLimit(session.getTitle(), HEARTBEAT_LIMIT_MS, 'the WebDriver session');
      } catch (error) {
        if (!this.#ended) throw new GpuError('lost', `the browser has ended: ${firstLine(error)}`);
      }
    }
    // The session is closed, so return a promise that never settles.
    return await new Promise<never>(() => undefined);
  }

  /**
   * Ends the session. A session that is still opening ends when its endpoint has answered, possibly
   * after this process has ended.
   */
  async close(): Promise<void> {
    this.kill();
    if (!this.#owner) return;
    await exited(this.#owner, CLOSE_TIMEOUT_MS);
    this.#owner.unref();
  }

  kill(): void {
    this.#ended = true;
    this.#session = undefined;
    if (this.#owner?.connected) this.#owner.disconnect();
  }

  complaint(): string {
    return '';
  }
}

/** Opens the device. This function runs in the page, possibly before the page's module has run. */
function openDevice(answerUrl: string, done: (opened: Opened) => void): void {
  const ask = (): void => {
    if (globalThis.lanewise) void globalThis.lanewise.open(answerUrl).then(done);
    else setTimeout(ask, 50);
  };
  ask();
}

/** The type of the module `selenium-webdriver/http.js`. */
type SeleniumHttp = typeof import('selenium-webdriver/http.js');

interface Selenium {
  readonly selenium: typeof import('selenium-webdriver');
  readonly http: SeleniumHttp;
}

async function loadSelenium(): Promise<Selenium> {
  const httpModule: string = 'selenium-webdriver/http/index.js';
  const loadingHttp: Promise<{ readonly default: SeleniumHttp }> = import(httpModule);
  const [{ default: selenium }, { default: http }] = await Promise.all([import('selenium-webdriver'), loadingHttp]);
  return { selenium, http };
}

/** Attaches to a session that is already open. */
function attach(
  { selenium: { WebDriver, Session }, http: { Executor, HttpClient } }: Selenium,
  url: string,
  id: string,
): WebDriver {
  return new WebDriver(new Session(id, {}), new Executor(Promise.resolve(new HttpClient(url))));
}

/**
 * Returns the browser's name and version, with the system that the grid reports, such as
 * `chrome/156.0.8078.79 linux`.
 */
function hostOf(capabilities: ReadonlyMap<string, unknown>): string {
  const [name, version, system] = ['browserName', 'browserVersion', 'platformName'].map((key) => capabilities.get(key));
  return [[name, version].filter(Boolean).join('/'), system].filter(Boolean).join(' ');
}

/**
 * Returns the first line of an error's message. The other lines of WebDriver's messages contain the
 * remote stack.
 */
function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}
