// Parses `--on webdriver=URL[?capability=value…]`: an endpoint, and the capabilities of the browser
// to open.

import { fieldsOf, isObject, textOf } from '../../../base/json-value.ts';
import { isLoopback, parseServeAddress, type ServeAddress } from './serve-address.ts';

export interface WebDriverTarget {
  /** The endpoint without the capabilities. The endpoint may contain a user name and a key. */
  readonly url: string;
  /**
   * The capabilities in WebDriver's form. The names of an extension's capabilities begin with the
   * extension's prefix.
   */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * The address at which the endpoint's browsers reach this machine; undefined if they run on this
   * machine.
   */
  readonly serve: ServeAddress | undefined;
}

/**
 * Parses a target. Throws RangeError if the text is invalid.
 *
 *     http://grid:4444?browserName=firefox&platformName=linux&lanewise:serve=192.168.1.5:8100
 */
export function parseWebDriverTarget(text: string): WebDriverTarget {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new RangeError(`invalid address '${text}': expected webdriver=http://host:4444`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new RangeError(`'${text}' is not an HTTP address: expected webdriver=http://host:4444`);
  }
  const { [serveName]: serve, ...given } = Object.fromEntries(url.searchParams);
  const capabilities = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, capabilityOf(name, value)]),
  );
  url.search = '';
  url.hash = '';
  return {
    url: url.href.replace(/\/$/, ''),
    capabilities: { browserName: 'chrome', ...capabilities },
    serve: serve === undefined ? undefined : parseServeAddress(serve),
  };
}

/**
 * The query parameter with the address at which lanewise serves the page. It is among the
 * capabilities, but is not one.
 */
const serveName = 'lanewise:serve';

/** Returns the endpoint without user name and key, for messages and reports. */
export function shownUrl({ url }: WebDriverTarget): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href.replace(/\/$/, '');
}

/** Returns the value of `--on` for the target, without secrets. */
export function shownTarget(target: WebDriverTarget): string {
  const { serve } = target;
  const query = [...shownCapabilities(target), ...(serve ? [`${serveName}=${serve.host}:${serve.port}`] : [])];
  return `webdriver=${shownUrl(target)}?${query.join('&')}`;
}

/** Returns the capabilities as text, without secrets. */
export function shownCapabilities({ capabilities }: WebDriverTarget): string[] {
  return Object.entries(capabilities).map(([name, value]) => `${name}=${textOf(withoutKeys(value))}`);
}

/**
 * Returns the capabilities with an additional one that makes the page's origin secure, because
 * WebGPU requires a secure context. Chromium browsers need a flag for a page of another machine.
 */
export function withSecureOrigin(
  capabilities: Readonly<Record<string, unknown>>,
  { protocol, hostname, host }: URL,
): Readonly<Record<string, unknown>> {
  const options = optionsName[textOf(capabilities.browserName)];
  if (!options || protocol !== 'http:' || isLoopback({ host: hostname })) return capabilities;
  const own = fieldsOf(capabilities[options]);
  const args = Array.isArray(own.args) ? own.args : [];
  const flag = `--unsafely-treat-insecure-origin-as-secure=http://${host}`;
  return { ...capabilities, [options]: { ...own, args: [...args, flag] } };
}

const optionsName: Readonly<Record<string, string>> = {
  chrome: 'goog:chromeOptions',
  MicrosoftEdge: 'ms:edgeOptions',
};

/**
 * Parses the value of a capability: a JSON object, a list or a boolean. A number stays text,
 * because it may be a version.
 */
function capabilityOf(name: string, value: string): unknown {
  if (!/^[[{]|^(true|false)$/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new RangeError(`the capability ${name} is not valid JSON: ${error instanceof Error ? error.message : value}`);
  }
}

/** Removes the keys that some services expect among the capabilities. */
function withoutKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutKeys);
  if (!isObject(value)) return value;
  const shown = Object.entries(value).map(([name, part]) =>
    /key|token|password|secret|user/i.test(name) ? [name, '…'] : [name, withoutKeys(part)],
  );
  return Object.fromEntries(shown);
}
