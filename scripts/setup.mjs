// Prepares a fresh clone: installs packages, builds, and finds or installs a browser with WebGPU.
// Omits steps that are already done. Uses only Node itself, because it runs before packages are
// installed.
//
//     node scripts/setup.mjs              fails (exit 3) if it cannot get a browser
//     node scripts/setup.mjs --tests      continues without a browser: the tests that need one are skipped and counted
//     node scripts/setup.mjs --firefox    also installs Firefox if it is missing (Debian, as root)
//     node scripts/setup.mjs --webdriver  also installs chromedriver if it is missing (Debian, as root)
//     node scripts/setup.mjs --lavapipe   also installs the software Vulkan driver (Debian, Ubuntu, as root)

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureLavapipe } from './lavapipe.mjs';
import { aptInstall, canUseApt, debianRelease, run, say } from './steps.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OLDEST_NODE = [20, 19];
const DOWNLOAD_LIMIT_MS = 180_000;

const flags = new Set(process.argv.slice(2));

checkNode();
ensurePackages();
ensureBuild();
// Install the driver first, because it may be the browser's only GPU.
if (flags.has('--lavapipe')) ensureLavapipe();
if (flags.has('--firefox')) await ensureFirefox();
await ensureBrowser();
if (flags.has('--webdriver')) ensureChromedriver();

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldMajor, oldMinor] = OLDEST_NODE;
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) return;
  stop(2, `Node ${process.versions.node} is too old; ${OLDEST_NODE.join('.')} or newer is needed`);
}

function ensurePackages() {
  if (packagesAreCurrent()) return;
  say('installing packages (npm ci)');
  const options = { cwd: ROOT, env: { PUPPETEER_SKIP_DOWNLOAD: '1' } };
  if (run('npm', ['ci', '--no-audit', '--no-fund'], options)) return;
  // A mirror of the registry may not have the optional packages of other platforms, which `npm ci`
  // requires.
  say('trying npm install');
  if (run('npm', ['install', '--no-save', '--no-audit', '--no-fund'], options)) return;
  stop(1, 'the packages could not be installed');
}

/**
 * Returns whether the installed packages have the versions of the lock file. The times of files are
 * not significant after a clone or a copy.
 */
function packagesAreCurrent() {
  const record = join(ROOT, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = readJson(join(ROOT, 'package-lock.json')).packages;
  const present = readJson(record).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    // Optional packages are installed only on some platforms.
    if (path === '' || entry.optional || entry.peer) return true;
    return present[path]?.version === entry.version;
  });
}

function ensureBuild() {
  const sources = newest(join(ROOT, 'src'), '.ts');
  const settings = ['tsconfig.json', 'tsconfig.build.json'].map((name) => statSync(join(ROOT, name)).mtimeMs);
  // Every build writes all files, and the bundle last. If the bundle is newer than the sources, the
  // build is current.
  const built = newest(join(ROOT, 'dist/bundle'), '.js');
  if (built >= Math.max(sources, ...settings)) return;
  say('building');
  const steps = [['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], ['scripts/bundle.mjs']];
  for (const step of steps) if (!run(process.execPath, step, { cwd: ROOT })) stop(1, 'the build failed');
}

async function ensureBrowser() {
  const { findBrowser, NO_BROWSER } = await import('../dist/harness/webgpu/browser/find-browser.js');
  const find = async () => {
    try {
      return await findBrowser();
    } catch (error) {
      // If a browser that the user has named does not start, do not use another browser.
      if (process.env.CHROME_BIN || process.env.PUPPETEER_EXECUTABLE_PATH) withoutBrowser(error.message);
      return undefined;
    }
  };
  if (await find()) return;
  // Debian's browser package also installs the libraries that a minimal machine does not have, so
  // try it before the download.
  if (canUseApt() && debianRelease()?.id === 'debian') {
    aptInstall(['chromium']);
    if (await find()) return;
  }
  say('downloading Chrome');
  const withLibraries = canUseApt() ? ['--install-deps'] : [];
  if (withLibraries.length > 0)
    say('as root: Puppeteer installs the libraries that Chrome needs (--install-deps, apt-get)');
  run('npx', ['puppeteer', 'browsers', 'install', 'chrome', ...withLibraries], {
    cwd: ROOT,
    timeoutMs: DOWNLOAD_LIMIT_MS,
    quiet: true,
  });
  if (await find()) return;
  withoutBrowser(NO_BROWSER);
}

/**
 * Installs Firefox if it is missing. If the installation fails, the setup continues, because only
 * the tests with Firefox need it.
 */
async function ensureFirefox() {
  const { findFirefox } = await import('../dist/harness/webgpu/browser/find-browser.js');
  const problem = () => {
    try {
      findFirefox();
    } catch (error) {
      return error.message;
    }
  };
  if (problem() && canUseApt() && debianRelease()?.id === 'debian') aptInstall(['firefox-esr']);
  const message = problem();
  if (message) say(`${message}\nset-up: going on; the tests that need Firefox will be skipped`);
}

/**
 * Installs chromedriver if it is missing. Debian's chromedriver has the same version as its
 * Chromium. If the installation fails, the setup continues, because only tests of WebDriver need
 * chromedriver.
 */
function ensureChromedriver() {
  const hasDriver = () => run('chromedriver', ['--version'], { quiet: true });
  if (!hasDriver() && canUseApt() && debianRelease()?.id === 'debian') aptInstall(['chromium-driver']);
  if (!hasDriver()) say('set-up: chromedriver is missing; going on; the tests that need it will be skipped');
}

function withoutBrowser(message) {
  if (!flags.has('--tests')) stop(3, message);
  say(`${message}\nset-up: going on; the tests that need a browser will be skipped`);
  process.exit(0);
}

function newest(folder, ending) {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
  return Math.max(0, ...files.map((name) => statSync(join(folder, name)).mtimeMs));
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function stop(code, message) {
  say(message);
  process.exit(code);
}
