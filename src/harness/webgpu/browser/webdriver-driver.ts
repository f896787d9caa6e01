// A page of a browser behind a WebDriver endpoint: a Selenium Grid, a browser's own driver, or a cloud of devices.

import type { Capabilities, WebDriver } from 'selenium-webdriver';
import { messageOf } from '../../../runtime/device/gpu-error.ts';
import { GpuError } from '../../../runtime/device/job.ts';
import { withTimeLimit } from '../../../runtime/device/turns.ts';
// The page's global, `lanewise`, is declared there.
import type {} from './page.ts';
import type { PageServer } from './page-server.ts';
import type { Opened, PageDriver } from './page-transport.ts';
import { shownCapabilities, shownUrl, type WebDriverTarget, withSecureOrigin } from './webdriver-target.ts';

const CLOSE_TIMEOUT_MS = 10_000;
/// A grid ends a session that it hears nothing of, after five minutes unless it is told otherwise; and this is how a session that has
/// ended is noticed.
const HEARTBEAT_MS = 3_000;
/// A browser that is busy may be slow to answer; one that does not answer in that time has gone.
const HEARTBEAT_LIMIT_MS = 60_000;
/// The page opens its device by then.
const SCRIPT_TIMEOUT_MS = 120_000;

export class WebDriverDriver implements PageDriver {
  readonly #target: WebDriverTarget;
  #starting: Promise<WebDriver> | undefined;
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
    const { Builder, Capabilities } = await loadSelenium();
    const capabilities = withSecureOrigin(this.#target.capabilities, new URL(url));
    this.#starting = Promise.resolve(
      new Builder()
        .disableEnvironmentOverrides()
        .usingServer(this.#target.url)
        .withCapabilities(new Capabilities({ ...capabilities }))
        .build(),
    );
    // A grid answers when it has a place: by then nobody may wait any more.
    this.#starting.then((session) => (this.#ended ? quit(session) : undefined)).catch(() => undefined);
    const session = await this.#starting;
    this.#session = session;
    await session.manage().setTimeouts({ script: SCRIPT_TIMEOUT_MS });
    await session.get(url);
    const opened: Opened = await session.executeAsyncScript(openDevice, answerUrl);
    return { opened, host: hostOf(await session.getCapabilities()) };
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
        if (!this.#ended) throw new GpuError('lost', `the browser has gone: ${firstLine(error)}`);
      }
    }
    // Nobody waits for a session that was closed.
    return await new Promise<never>(() => undefined);
  }

  async close(): Promise<void> {
    this.#ended = true;
    if (this.#session) await quit(this.#session);
    this.#session = undefined;
  }

  /// There is no way to end a session without waiting: the request is sent, and a grid ends what is not heard of.
  kill(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#session) void quit(this.#session);
  }

  complaint(): string {
    return '';
  }
}

/// Runs in the page. The module may not have run yet when the document has loaded.
function openDevice(answerUrl: string, done: (opened: Opened) => void): void {
  const ask = (): void => {
    if (globalThis.lanewise) void globalThis.lanewise.open(answerUrl).then(done);
    else setTimeout(ask, 50);
  };
  ask();
}

async function loadSelenium(): Promise<Pick<typeof import('selenium-webdriver'), 'Builder' | 'Capabilities'>> {
  const { default: selenium } = await import('selenium-webdriver');
  return selenium;
}

async function quit(session: WebDriver): Promise<void> {
  // It may have ended by itself, or its grid may have gone.
  await withTimeLimit(Promise.resolve(session.quit()), CLOSE_TIMEOUT_MS, 'ending the WebDriver session').catch(
    () => undefined,
  );
}

/// As browsers name themselves, with the system that the grid tells: `chrome/156.0.8078.79 linux`.
function hostOf(capabilities: Capabilities): string {
  const [name, version, system] = ['browserName', 'browserVersion', 'platformName'].map((key) => capabilities.get(key));
  return [[name, version].filter(Boolean).join('/'), system].filter(Boolean).join(' ');
}

/// WebDriver's errors carry the stack of the other side.
function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}
