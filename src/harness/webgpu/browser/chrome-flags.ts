// Chrome's command line flags, each with its reason.

import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { constantInitialization } from '../../../runtime/dawn-flags.ts';

export interface Flag {
  readonly flag: string;
  readonly why: string;
}

/** Flags with which headless Chrome on Linux can use the machine's GPU. */
const LINUX_GPU_FLAGS: readonly Flag[] = [
  {
    flag: '--enable-unsafe-webgpu',
    why: 'WebGPU is off by default on Linux; this also keeps adapters on the block list',
  },
  { flag: '--enable-features=Vulkan', why: 'Dawn needs Vulkan on Linux' },
  {
    flag: '--enable-dawn-features=vulkan_enable_f16_on_nvidia',
    why: "offers f16, and its subgroup matrices, on NVIDIA's Vulkan driver",
  },
  { flag: '--use-angle=vulkan', why: 'the GPU process otherwise starts on OpenGL, which containers lack' },
  { flag: '--disable-vulkan-surface', why: 'there is no display; without the flag Chrome silently uses SwiftShader' },
  { flag: '--ignore-gpu-blocklist', why: 'the block list contains drivers of data center cards' },
];

/**
 * Flags for NVIDIA's driver, which supports OpenGL without a display. With Vulkan instead of
 * OpenGL, ANGLE would create a second device, which delays each start by 0.2 s.
 */
const NVIDIA_FLAGS: readonly Flag[] = [
  ...LINUX_GPU_FLAGS.map((one) =>
    one.flag === '--use-angle=vulkan'
      ? { flag: '--use-angle=gl-egl', why: 'the GPU process starts on OpenGL, which needs a third of the time' }
      : one,
  ),
  { flag: '--disable-gpu-compositing', why: 'the page shows nothing, and the contexts for displaying it cost 30 ms' },
  { flag: '--disable-gpu-rasterization', why: 'the same' },
];

/** Flags for macOS and Windows, where WebGPU uses the system's graphics API. */
const DESKTOP_GPU_FLAGS: readonly Flag[] = [
  { flag: '--enable-unsafe-webgpu', why: 'enables experimental subgroup features' },
  { flag: '--ignore-gpu-blocklist', why: 'the block list contains remote desktops and virtual machines' },
];

/** Flags for Chrome's own software adapter. */
const SOFTWARE_FLAGS: readonly Flag[] = [
  { flag: '--enable-unsafe-webgpu', why: 'WebGPU is off by default on Linux' },
  { flag: '--use-webgpu-adapter=swiftshader', why: 'SwiftShader runs on any machine and has subgroups of 4' },
  {
    flag: `--disable-dawn-features=${constantInitialization}`,
    why: 'SwiftShader would compile a store for each word of workgroup memory, which needs 1 ms a word',
  },
];

const COMMON_FLAGS: readonly Flag[] = [
  { flag: '--enable-webgpu-developer-features', why: 'otherwise timestamps are rounded to 65 microseconds' },
  { flag: '--no-first-run', why: 'a new profile shows questions' },
  { flag: '--disable-background-networking', why: 'the page uses no network except 127.0.0.1' },
  { flag: '--disable-component-update', why: 'component updates download in the background' },
  { flag: '--disable-sync', why: 'no account' },
  { flag: '--disable-quic', why: 'no network' },
];

/**
 * Flags of the browser itself, for every adapter. These flags prevent dialogs, delays, downloads,
 * reports, and the throttling of hidden pages.
 */
const HEADLESS_FLAGS: readonly Flag[] = [
  { flag: '--disable-extensions', why: 'extensions are not needed' },
  { flag: '--disable-component-extensions-with-background-pages', why: 'the same' },
  { flag: '--disable-default-apps', why: 'the same' },
  { flag: '--disable-client-side-phishing-detection', why: 'the detection loads a model' },
  { flag: '--disable-search-engine-choice-screen', why: 'a new profile shows questions' },
  { flag: '--disable-breakpad', why: 'this program reports crashes itself' },
  { flag: '--disable-crash-reporter', why: 'the same' },
  { flag: '--metrics-recording-only', why: 'nothing is reported' },
  { flag: '--disable-background-timer-throttling', why: 'the page is never visible' },
  { flag: '--disable-backgrounding-occluded-windows', why: 'the same' },
  { flag: '--disable-renderer-backgrounding', why: 'the same' },
  { flag: '--disable-hang-monitor', why: 'a kernel may run for long' },
  { flag: '--disable-dev-shm-usage', why: 'containers have little shared memory' },
  { flag: '--password-store=basic', why: 'a desktop may otherwise ask for the key of its own password store' },
  { flag: '--use-mock-keychain', why: 'macOS otherwise asks for the key of its keychain' },
  { flag: '--mute-audio', why: 'there is no audio device' },
  { flag: '--disable-features=Translate,MediaRouter,OptimizationHints', why: 'each of them starts a service' },
];

const ROOT_FLAG: Flag = { flag: '--no-sandbox', why: 'Chrome does not run as root with its sandbox' };

export type FlagChoice = 'nvidia' | 'hardware' | 'software';

/** The properties of the machine that determine the flags. */
export interface FlagMachine {
  readonly hasNvidia: boolean;
  readonly mayHaveGpu: boolean;
}

/**
 * Returns the sets of flags to try, ordered from the best. A later set is for machines on which the
 * earlier sets yield a software adapter or no adapter.
 */
export function flagChoices(adapter: 'auto' | 'hardware' | 'software', machine: FlagMachine): readonly FlagChoice[] {
  if (adapter === 'software' || (adapter === 'auto' && !machine.mayHaveGpu)) return ['software'];
  const hardware: readonly FlagChoice[] = machine.hasNvidia ? ['nvidia', 'hardware'] : ['hardware'];
  return adapter === 'hardware' ? hardware : [...hardware, 'software'];
}

/**
 * Returns the flags of a choice. `override` (the CHROME_FLAGS variable) replaces the flags that
 * select the adapter.
 */
export function chromeFlags(
  choice: FlagChoice,
  { override, platform, isRoot }: { override: string | undefined; platform: NodeJS.Platform; isRoot: boolean },
): string[] {
  const hardware = platform === 'linux' ? LINUX_GPU_FLAGS : DESKTOP_GPU_FLAGS;
  const table = { nvidia: NVIDIA_FLAGS, hardware, software: SOFTWARE_FLAGS }[choice];
  const given = override?.trim() ? override.trim().split(/\s+/) : undefined;
  const adapter = given ?? table.map(({ flag }) => flag);
  const common = [...COMMON_FLAGS, ...(isRoot ? [ROOT_FLAG] : [])].map(({ flag }) => flag);
  return [...new Set([...adapter, ...common])];
}

/**
 * Returns all command line flags of a browser without a window, with its profile at `profile` and
 * an empty page. `flags` are last, because Chrome uses the last of two conflicting flags.
 */
export function headlessFlags(executablePath: string, flags: readonly string[], profile: string): string[] {
  const isShell = /headless.shell/.test(basename(executablePath));
  return joinedFeatures([
    isShell ? '--headless' : '--headless=new',
    `--user-data-dir=${profile}`,
    ...HEADLESS_FLAGS.map(({ flag }) => flag),
    ...flags,
    'about:blank',
  ]);
}

/** Joins lists of features into one flag, because Chrome uses only the last list. */
function joinedFeatures(flags: readonly string[]): string[] {
  const joined = ['--enable-features=', '--disable-features='].flatMap((name) => {
    const lists = flags.filter((flag) => flag.startsWith(name)).map((flag) => flag.slice(name.length));
    return lists.length > 0 ? [`${name}${lists.join(',')}`] : [];
  });
  return [...joined, ...flags.filter((flag) => !/^--(en|dis)able-features=/.test(flag))];
}

/**
 * Returns whether the machine may have a GPU, and whether it is one of NVIDIA. The absence of a GPU
 * can be detected only on Linux; detecting it saves one start of the browser.
 */
export function thisMachine(): FlagMachine {
  if (process.platform !== 'linux') return { hasNvidia: false, mayHaveGpu: true };
  const hasNvidia = existsSync('/dev/nvidia0');
  const renders = existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD'));
  return { hasNvidia, mayHaveGpu: hasNvidia || renders };
}
