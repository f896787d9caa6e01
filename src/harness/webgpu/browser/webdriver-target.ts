// What `--on webdriver=URL[?capability=value…]` names: an endpoint, and the capabilities of the browser that it shall open.

import { fieldsOf, isObject, textOf } from '../../../base/json-value.ts';
import { isLoopback, parseServeAddress, type ServeAddress } from './serve-address.ts';

export interface WebDriverTarget {
  /** The endpoint, without the capabilities; may hold a user and a key. */
  readonly url: string;
  /** As WebDriver has them; an extension's under its prefixed name. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Where its browsers find this machine; undefined for browsers of this machine alone. */
  readonly serve: ServeAddress | undefined;
}

/**
 * Throws RangeError where the text is no such address.
 *
 *     http://grid:4444?browserName=firefox&platformName=linux&lanewise:serve=192.168.1.5:8100
 */
export function parseWebDriverTarget(text: string): WebDriverTarget {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new RangeError(`'${text}' is no address: use webdriver=http://host:4444`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new RangeError(`'${text}' is no address of HTTP: use webdriver=http://host:4444`);
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

/** Among the capabilities, but for us. */
const serveName = 'lanewise:serve';

/** The endpoint as messages and reports may show it: without user and key. */
export function shownUrl({ url }: WebDriverTarget): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href.replace(/\/$/, '');
}

/** What `--on` takes for it, without what only its owner should see. */
export function shownTarget(target: WebDriverTarget): string {
  const { serve } = target;
  const query = [...shownCapabilities(target), ...(serve ? [`${serveName}=${serve.host}:${serve.port}`] : [])];
  return `webdriver=${shownUrl(target)}?${query.join('&')}`;
}

/** A capability for a person, without what only its owner should see. */
export function shownCapabilities({ capabilities }: WebDriverTarget): string[] {
  return Object.entries(capabilities).map(([name, value]) => `${name}=${textOf(withoutKeys(value))}`);
}

/** WebGPU needs a secure context. A page of another machine is one where the browser is told so; browsers of Chromium take it as a flag. */
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

/** JSON where it is an object, a list or a truth value. A number stays text, as versions are. */
function capabilityOf(name: string, value: string): unknown {
  if (!/^[[{]|^(true|false)$/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new RangeError(`the capability ${name} is no JSON: ${error instanceof Error ? error.message : value}`);
  }
}

/** Services take their keys among the capabilities. */
function withoutKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutKeys);
  if (!isObject(value)) return value;
  const shown = Object.entries(value).map(([name, part]) =>
    /key|token|password|secret|user/i.test(name) ? [name, '…'] : [name, withoutKeys(part)],
  );
  return Object.fromEntries(shown);
}
