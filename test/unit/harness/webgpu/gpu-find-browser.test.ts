import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Machine } from '../../../../src/harness/webgpu/browser/find-browser.ts';
import {
  findBrowser,
  findFirefox,
  NO_BROWSER,
  NO_FIREFOX,
  newestDownload,
} from '../../../../src/harness/webgpu/browser/find-browser.ts';

interface Setting {
  readonly platform?: NodeJS.Platform;
  readonly env?: Record<string, string>;
  readonly programs: readonly string[];
  readonly puppeteer?: string;
}

function machine({ platform = 'linux', env = {}, programs, puppeteer }: Setting): Machine {
  return {
    platform,
    env: { PATH: '/usr/local/bin:/usr/bin', ...env },
    home: '/home/someone',
    isExecutable: (path) => programs.includes(path),
    puppeteerPath: async () => puppeteer,
  };
}

const EVERYTHING = ['/my/chrome', '/my/other', '/cache/chrome', '/usr/bin/chromium', '/opt/google/chrome/chrome'];

const CASES: readonly (Setting & { name: string; path: string; source: string })[] = [
  {
    name: 'CHROME_BIN comes first',
    env: { CHROME_BIN: '/my/chrome', PUPPETEER_EXECUTABLE_PATH: '/my/other' },
    programs: EVERYTHING,
    puppeteer: '/cache/chrome',
    path: '/my/chrome',
    source: 'CHROME_BIN',
  },
  {
    name: 'then PUPPETEER_EXECUTABLE_PATH',
    env: { PUPPETEER_EXECUTABLE_PATH: '/my/other' },
    programs: EVERYTHING,
    puppeteer: '/cache/chrome',
    path: '/my/other',
    source: 'PUPPETEER_EXECUTABLE_PATH',
  },
  {
    name: "then Puppeteer's download",
    programs: EVERYTHING,
    puppeteer: '/cache/chrome',
    path: '/cache/chrome',
    source: 'puppeteer',
  },
  {
    name: 'a missing download is skipped',
    programs: ['/usr/bin/chromium'],
    puppeteer: '/cache/chrome',
    path: '/usr/bin/chromium',
    source: 'installed',
  },
  {
    name: 'the PATH comes before the usual places',
    programs: ['/usr/bin/chromium', '/opt/google/chrome/chrome'],
    path: '/usr/bin/chromium',
    source: 'installed',
  },
  {
    name: 'Chrome before Chromium',
    programs: ['/usr/bin/chromium', '/usr/bin/google-chrome'],
    path: '/usr/bin/google-chrome',
    source: 'installed',
  },
  {
    name: 'the headless shell comes before both, anywhere on the PATH',
    programs: ['/usr/local/bin/google-chrome', '/usr/bin/chromium', '/usr/bin/chromium-headless-shell'],
    path: '/usr/bin/chromium-headless-shell',
    source: 'installed',
  },
  {
    name: 'an empty variable counts as unset',
    env: { CHROME_BIN: '' },
    programs: ['/usr/bin/chromium'],
    path: '/usr/bin/chromium',
    source: 'installed',
  },
  {
    name: 'macOS',
    platform: 'darwin',
    programs: ['/home/someone/Applications/Chromium.app/Contents/MacOS/Chromium'],
    path: '/home/someone/Applications/Chromium.app/Contents/MacOS/Chromium',
    source: 'installed',
  },
  {
    name: 'Windows',
    platform: 'win32',
    env: { PROGRAMFILES: 'C:\\Program Files' },
    programs: ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
    path: 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    source: 'installed',
  },
];

describe('findBrowser', () => {
  test.each(CASES)('$name', async ({ path, source, name: _, ...setting }) => {
    expect(await findBrowser(machine(setting))).toEqual({ path, source });
  });

  test('a variable that names no program is an error, not skipped', async () => {
    const setting = { env: { CHROME_BIN: '/not/there' }, programs: EVERYTHING };
    await expect(findBrowser(machine(setting))).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('CHROME_BIN=/not/there'),
    });
  });

  test('if none is found, the error names the remedy', async () => {
    await expect(findBrowser(machine({ programs: [] }))).rejects.toMatchObject({
      kind: 'unavailable',
      message: NO_BROWSER,
    });
  });
});

test.each([
  [
    'FIREFOX_BIN comes first',
    { env: { FIREFOX_BIN: '/my/fox' }, programs: ['/my/fox', '/usr/bin/firefox'] },
    '/my/fox',
  ],
  ['then the PATH', { programs: ['/usr/bin/firefox-esr', '/usr/lib/firefox/firefox'] }, '/usr/bin/firefox-esr'],
  ['then the usual places', { programs: ['/usr/lib/firefox/firefox'] }, '/usr/lib/firefox/firefox'],
  [
    'applications of macOS',
    { platform: 'darwin', programs: ['/home/someone/Applications/Firefox Nightly.app/Contents/MacOS/firefox'] },
    '/home/someone/Applications/Firefox Nightly.app/Contents/MacOS/firefox',
  ],
  [
    'programs of Windows',
    {
      platform: 'win32',
      env: { PROGRAMFILES: 'C:\\Program Files' },
      programs: ['C:\\Program Files\\Mozilla Firefox\\firefox.exe'],
    },
    'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
  ],
] satisfies [string, Setting, string][])('Firefox: %s', (_, setting, path) => {
  expect(findFirefox(machine(setting))).toBe(path);
});

test('the error says how to install Firefox', () => {
  expect(() => findFirefox(machine({ programs: ['/usr/bin/chromium'] }))).toThrow(NO_FIREFOX);
  expect(() => findFirefox(machine({ env: { FIREFOX_BIN: '/gone' }, programs: [] }))).toThrow('FIREFOX_BIN=/gone');
});

const shell = (version: string) =>
  `chrome-headless-shell/linux-${version}/chrome-headless-shell-linux64/chrome-headless-shell`;
const onMac = 'mac_arm-156.0.1/chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing';

// On Windows the mode of a file does not show whether it is executable.
test.skipIf(process.platform === 'win32').each([
  ['linux', [shell('99.0.1'), shell('156.0.1'), 'chrome/linux-157.0.1/chrome-linux64/chrome'], shell('156.0.1')],
  [
    'linux',
    ['chrome/linux-157.0.1/chrome-linux64/chrome', 'chrome-headless-shell/linux-1/a/readme'],
    'chrome/linux-157.0.1/chrome-linux64/chrome',
  ],
  ['linux', [`chrome/${onMac}`, 'firefox/linux-1/firefox/firefox'], undefined],
  ['darwin', [shell('156.0.1'), `chrome/${onMac}`], `chrome/${onMac}`],
  ['win32', ['chrome/win64-156.0.1/chrome-win64/chrome.exe'], 'chrome/win64-156.0.1/chrome-win64/chrome.exe'],
  ['linux', [], undefined],
] as const)('the newest download on %s of %j', (platform, programs, wanted) => {
  const cache = mkdtempSync(join(tmpdir(), 'lanewise-downloads-'));
  for (const program of programs) {
    mkdirSync(dirname(join(cache, program)), { recursive: true });
    writeFileSync(join(cache, program), '', { mode: 0o755 });
  }
  expect(newestDownload(cache, platform)).toBe(wanted && join(cache, wanted));
  rmSync(cache, { recursive: true });
});
