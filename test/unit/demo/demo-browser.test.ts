// The name of the browser in the page's reports.
import { expect, it } from 'vitest';
import { hostOf, identityOf } from '../../../demo/gpu/browser.ts';
import { traitsOf } from '../../../src/harness/runs/machine-traits.ts';

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/156.0.0.0 Safari/537.36`, 'Chrome/156.0.0.0 linux', 'chrome'],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/156.0.0.0 Safari/537.36`,
    'HeadlessChrome/156.0.0.0 linux',
    'chrome',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0`,
    'Edge/156.0.0.0 windows',
    'chrome',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/156.0.0.0 Mobile Safari/537.36`,
    'Chrome/156.0.0.0 android',
    'chrome',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0', 'Firefox/153.0 linux', 'firefox'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
    'Safari/26.1 mac',
    'webdriver',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/156.0.1 Mobile/15E148 Safari/604.1',
    'Chrome/156.0.1 ios',
    'webdriver',
  ],
  ['Servo', 'Servo', 'webdriver'],
])('%s', (userAgent, host, name) => {
  expect(hostOf(userAgent)).toBe(host);
  expect(identityOf(userAgent).name).toBe(name);
  const system = / (\w+)$/.exec(host)?.[1];
  expect(traitsOf({ adapter: { host } }).get('system')).toBe(system);
});
