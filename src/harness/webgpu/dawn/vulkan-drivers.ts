// The Vulkan drivers that Dawn can use, and the environment variables that select one.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type DawnDriver = 'default' | 'swiftshader' | 'lavapipe';

export interface DriverChoice {
  readonly driver: DawnDriver;
  /** The vector width of lavapipe in 32-bit lanes, which is the subgroup size. */
  readonly subgroupSize?: 4 | 8 | 16;
}

const ICD_FOLDER = '/usr/share/vulkan/icd.d';
/**
 * Folders of Chrome, Chromium and Puppeteer's downloads, which contain SwiftShader next to the
 * browser.
 */
const BROWSER_FOLDERS = [
  '/usr/lib/chromium',
  '/usr/lib/chromium-browser',
  '/usr/lib64/chromium-browser',
  '/opt/google/chrome',
  '/opt/google/chrome-beta',
  '/opt/chromium.org/chromium',
];
const LOADER_FOLDERS = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib', '/lib64'];
const CHOICES: ReadonlyMap<string, DriverChoice> = new Map<string, DriverChoice>([
  ['default', { driver: 'default' }],
  ['swiftshader', { driver: 'swiftshader' }],
  ['lavapipe', { driver: 'lavapipe' }],
  ['lavapipe4', { driver: 'lavapipe', subgroupSize: 4 }],
  ['lavapipe8', { driver: 'lavapipe', subgroupSize: 8 }],
  ['lavapipe16', { driver: 'lavapipe', subgroupSize: 16 }],
]);

/**
 * Parses the value of LANEWISE_DAWN, such as `swiftshader` or `lavapipe8`. Throws RangeError if the
 * name is unknown.
 */
export function driverFromEnvironment(name: string | undefined): DriverChoice {
  if (name === undefined || name === '') return { driver: 'default' };
  const choice = CHOICES.get(name);
  if (!choice) throw new RangeError(`invalid LANEWISE_DAWN=${name}: expected one of ${[...CHOICES.keys()].join(', ')}`);
  return choice;
}

/**
 * Returns the environment variables that make the Vulkan loader use the driver, or undefined if the
 * driver is not installed. `browser` is the path of a browser whose SwiftShader may be used.
 */
export function driverEnvironment(choice: DriverChoice, browser?: string): Record<string, string> | undefined {
  if (choice.driver === 'default') return {};
  if (process.platform !== 'linux') return undefined;
  return choice.driver === 'lavapipe' ? lavapipe(choice.subgroupSize) : swiftShader(browser);
}

function lavapipe(subgroupSize: number | undefined): Record<string, string> | undefined {
  // The file's name is lvp_icd.json or contains the architecture, depending on the distribution.
  const name = existsSync(ICD_FOLDER)
    ? readdirSync(ICD_FOLDER).find((file) => /^lvp_icd\b.*\.json$/.test(file))
    : undefined;
  if (!name) return undefined;
  const width = subgroupSize === undefined ? {} : { LP_NATIVE_VECTOR_WIDTH: String(subgroupSize * 32) };
  return { VK_DRIVER_FILES: join(ICD_FOLDER, name), ...width };
}

function swiftShader(browser: string | undefined): Record<string, string> | undefined {
  const folders = [...(browser ? [dirname(browser)] : []), ...BROWSER_FOLDERS];
  const folder = folders.find((candidate) => existsSync(join(candidate, 'vk_swiftshader_icd.json')));
  if (!folder) return undefined;
  const hasLoader = LOADER_FOLDERS.some((candidate) => existsSync(join(candidate, 'libvulkan.so.1')));
  return {
    VK_DRIVER_FILES: join(folder, 'vk_swiftshader_icd.json'),
    // Browsers also contain a Vulkan loader. Use it if the system has none.
    ...(hasLoader ? {} : { LD_LIBRARY_PATH: folder }),
  };
}
