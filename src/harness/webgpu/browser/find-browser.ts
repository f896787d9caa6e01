// Finds browsers with WebGPU: first the browser that the user named, then the Chrome that Puppeteer
// downloaded, then installed browsers.

import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { GpuError } from '../../../runtime/device/job.ts';

export interface FoundBrowser {
  readonly path: string;
  readonly source: 'CHROME_BIN' | 'PUPPETEER_EXECUTABLE_PATH' | 'puppeteer' | 'installed';
}

/** The properties of the machine on which the search depends. Tests use their own. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  isExecutable(path: string): boolean;
  /** Returns the path at which Puppeteer stores the browser that it downloads. */
  puppeteerPath(): Promise<string | undefined>;
}

const VARIABLES = ['CHROME_BIN', 'PUPPETEER_EXECUTABLE_PATH'] as const;

interface Installations {
  /** The names of commands on PATH, ordered from the best. */
  readonly commands: readonly string[];
  /** The usual paths outside of PATH, by platform. */
  readonly places: Partial<Record<NodeJS.Platform, (machine: Machine) => string[]>>;
}

/** Returns the paths of programs in the application folders of macOS and Windows. */
const macApps = ({ home }: Machine, names: readonly string[], program: (name: string) => string): string[] =>
  ['/Applications', join(home, 'Applications')].flatMap((folder) =>
    names.map((name) => `${folder}/${name}.app/Contents/MacOS/${program(name)}`),
  );
const windowsPrograms = ({ env }: Machine, paths: readonly string[]): string[] =>
  [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA]
    .filter((folder) => folder !== undefined)
    .flatMap((folder) => paths.map((path) => `${folder}\\${path}`));

const CHROME: Installations = {
  commands: [
    // The headless shell is Chrome without its user interface. It starts in half the time.
    'chrome-headless-shell',
    'chromium-headless-shell',
    'google-chrome-stable',
    'google-chrome',
    'chrome',
    'chromium',
    'chromium-browser',
    'google-chrome-beta',
  ],
  places: {
    linux: () => [
      '/opt/google/chrome/chrome',
      '/usr/lib/chromium/chromium',
      '/usr/lib/chromium-browser/chromium-browser',
      '/snap/bin/chromium',
    ],
    darwin: (machine) =>
      macApps(machine, ['Google Chrome', 'Chromium', 'Google Chrome Canary', 'Microsoft Edge'], (name) => name),
    win32: (machine) =>
      windowsPrograms(machine, [
        'Google\\Chrome\\Application\\chrome.exe',
        'Chromium\\Application\\chrome.exe',
        'Microsoft\\Edge\\Application\\msedge.exe',
      ]),
  },
};

const FIREFOX: Installations = {
  commands: ['firefox', 'firefox-esr', 'firefox-nightly', 'firefox-devedition'],
  places: {
    linux: () => [
      '/usr/lib/firefox/firefox',
      '/usr/lib/firefox-esr/firefox-esr',
      '/opt/firefox/firefox',
      '/snap/bin/firefox',
    ],
    darwin: (machine) => macApps(machine, ['Firefox', 'Firefox Nightly', 'Firefox Developer Edition'], () => 'firefox'),
    win32: (machine) => windowsPrograms(machine, ['Mozilla Firefox\\firefox.exe', 'Firefox Nightly\\firefox.exe']),
  },
};

/** Instructions for the user, as part of the error message. */
export const NO_BROWSER = [
  'no browser with WebGPU found; do one of:',
  '  npx puppeteer browsers install chrome',
  '  install Google Chrome or Chromium (Debian: apt-get install chromium)',
  '  set CHROME_BIN to the path of a Chrome or Chromium (113 or newer; 134 or newer for subgroups)',
].join('\n');

/**
 * Finds a browser. Throws `GpuError` 'unavailable', with instructions for the user, if there is no
 * browser or the one that the user named is not executable.
 */
export async function findBrowser(machine: Machine = thisMachine): Promise<FoundBrowser> {
  for (const source of VARIABLES) {
    const path = machine.env[source];
    if (!path) continue;
    if (!machine.isExecutable(path))
      throw new GpuError('unavailable', `${source}=${path} is not an executable program`);
    return { path, source };
  }
  const own = await machine.puppeteerPath();
  if (own && machine.isExecutable(own)) return { path: own, source: 'puppeteer' };
  const path = installedBrowser(machine);
  if (path) return { path, source: 'installed' };
  throw new GpuError('unavailable', NO_BROWSER);
}

export const NO_FIREFOX = [
  'no Firefox found; do one of:',
  '  install Firefox (Debian: apt-get install firefox-esr; 141 or newer has WebGPU)',
  '  set FIREFOX_BIN to its path',
].join('\n');

/**
 * Returns the path of the Firefox in FIREFOX_BIN, or of an installed Firefox. Throws `GpuError`
 * 'unavailable' with instructions for the user.
 */
export function findFirefox(machine: Machine = thisMachine): string {
  const named = machine.env.FIREFOX_BIN;
  if (named && !machine.isExecutable(named)) {
    throw new GpuError('unavailable', `FIREFOX_BIN=${named} is not an executable program`);
  }
  const path = named || installed(FIREFOX, machine);
  if (!path) throw new GpuError('unavailable', NO_FIREFOX);
  return path;
}

/** Returns the first Chrome or Chromium on PATH or at its usual paths. */
export function installedBrowser(machine: Machine = thisMachine): string | undefined {
  return installed(CHROME, machine);
}

function installed({ commands, places }: Installations, machine: Machine): string | undefined {
  const folders = (machine.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = commands.flatMap((name) => folders.map((folder) => join(folder, name)));
  // Windows has no such commands on PATH; the names would only match scripts.
  const candidates = [...(machine.platform === 'win32' ? [] : onPath), ...(places[machine.platform]?.(machine) ?? [])];
  return candidates.find((path) => machine.isExecutable(path));
}

const thisMachine: Machine = {
  platform: process.platform,
  env: process.env,
  home: homedir(),
  isExecutable,
  puppeteerPath,
};

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function puppeteerPath(): Promise<string | undefined> {
  return newestDownload(process.env.PUPPETEER_CACHE_DIR ?? join(homedir(), '.cache', 'puppeteer'), process.platform);
}

/** Patterns of Puppeteer's names of platforms in its cache, such as `linux-156.0.8078.79`. */
const platformNames: Partial<Record<NodeJS.Platform, RegExp>> = { linux: /^linux/, darwin: /^mac/, win32: /^win/ };

/**
 * Returns the path of the newest Chrome in Puppeteer's cache folder. To ask Puppeteer itself would
 * take a third of a second.
 */
export function newestDownload(cache: string, platform: NodeJS.Platform): string | undefined {
  // The headless shell has been tested with a GPU only on Linux.
  const kinds = platform === 'linux' ? ['chrome-headless-shell', 'chrome'] : ['chrome'];
  for (const kind of kinds) {
    const programs = [kind, `${kind}.exe`, 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing'];
    const versions = namesIn(join(cache, kind)).filter((name) => platformNames[platform]?.test(name));
    versions.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    const paths = versions.flatMap((version) => {
      const folder = join(cache, kind, version);
      return namesIn(folder).flatMap((inner) => programs.map((program) => join(folder, inner, program)));
    });
    const path = paths.find(isExecutable);
    if (path) return path;
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // If there is no cache folder, Puppeteer has not downloaded a browser.
    return [];
  }
}
