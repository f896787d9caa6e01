// Chrome's command line, each flag with its reason.

import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';

export interface Flag {
  readonly flag: string;
  readonly why: string;
}

/** Reaches the machine's GPU from headless Chrome on Linux. */
const LINUX_GPU_FLAGS: readonly Flag[] = [
  { flag: '--enable-unsafe-webgpu', why: 'WebGPU is not on by default on Linux; adapters on the block list are kept' },
  { flag: '--enable-features=Vulkan', why: 'Dawn needs Vulkan on Linux' },
  { flag: '--use-angle=vulkan', why: 'the GPU process otherwise starts on OpenGL, which a container has not got' },
  { flag: '--disable-vulkan-surface', why: 'there is no display; without this Chrome turns to SwiftShader in silence' },
  { flag: '--ignore-gpu-blocklist', why: 'drivers of data centre cards are on it' },
];

/** The same where NVIDIA's driver is: it has OpenGL without a display, and ANGLE's own Vulkan device there takes 0.2 s of each start. */
const NVIDIA_FLAGS: readonly Flag[] = [
  ...LINUX_GPU_FLAGS.map((one) =>
    one.flag === '--use-angle=vulkan'
      ? { flag: '--use-angle=gl-egl', why: 'the GPU process starts on OpenGL, which takes a third of the time' }
      : one,
  ),
  { flag: '--disable-gpu-compositing', why: 'the page shows nothing, and contexts for showing it take 30 ms' },
  { flag: '--disable-gpu-rasterization', why: 'the same' },
];

/** macOS and Windows have WebGPU on their own graphics interface. */
const DESKTOP_GPU_FLAGS: readonly Flag[] = [
  { flag: '--enable-unsafe-webgpu', why: 'experimental subgroup features' },
  { flag: '--ignore-gpu-blocklist', why: 'remote desktops and virtual machines are on it' },
];

/** Chrome's own software adapter. */
const SOFTWARE_FLAGS: readonly Flag[] = [
  { flag: '--enable-unsafe-webgpu', why: 'WebGPU is not on by default on Linux' },
  { flag: '--use-webgpu-adapter=swiftshader', why: 'SwiftShader runs on any machine and has subgroups of 4' },
];

const COMMON_FLAGS: readonly Flag[] = [
  { flag: '--enable-webgpu-developer-features', why: 'timestamps are rounded to 65 microseconds otherwise' },
  { flag: '--no-first-run', why: 'a fresh profile asks questions' },
  { flag: '--disable-background-networking', why: 'the page needs no network but 127.0.0.1' },
  { flag: '--disable-component-update', why: 'downloads in the background' },
  { flag: '--disable-sync', why: 'no account' },
  { flag: '--disable-quic', why: 'no network' },
];

/** Of the browser itself, whatever its adapter: nothing that asks, waits, fetches, reports or takes a page for hidden. */
const HEADLESS_FLAGS: readonly Flag[] = [
  { flag: '--disable-extensions', why: 'none are needed' },
  { flag: '--disable-component-extensions-with-background-pages', why: 'the same' },
  { flag: '--disable-default-apps', why: 'the same' },
  { flag: '--disable-client-side-phishing-detection', why: 'it loads a model' },
  { flag: '--disable-search-engine-choice-screen', why: 'a fresh profile asks questions' },
  { flag: '--disable-breakpad', why: 'a crash is told here' },
  { flag: '--disable-crash-reporter', why: 'the same' },
  { flag: '--metrics-recording-only', why: 'nothing is reported' },
  { flag: '--disable-background-timer-throttling', why: 'nobody looks at the page' },
  { flag: '--disable-backgrounding-occluded-windows', why: 'the same' },
  { flag: '--disable-renderer-backgrounding', why: 'the same' },
  { flag: '--disable-hang-monitor', why: 'a kernel may take its time' },
  { flag: '--disable-dev-shm-usage', why: 'containers have little of it' },
  { flag: '--password-store=basic', why: 'a desktop may ask for the key of its own' },
  { flag: '--use-mock-keychain', why: 'macOS asks for the key of its own' },
  { flag: '--mute-audio', why: 'no device for it' },
  { flag: '--disable-features=Translate,MediaRouter,OptimizationHints', why: 'each starts a service' },
];

const ROOT_FLAG: Flag = { flag: '--no-sandbox', why: 'Chrome refuses to run as root with its sandbox' };

export type FlagChoice = 'nvidia' | 'hardware' | 'software';

/** What a machine may have to run on. */
export interface FlagMachine {
  readonly hasNvidia: boolean;
  readonly mayHaveGpu: boolean;
}

/** Which flags to try, the best first: those behind are for machines on which the ones before give a software adapter or nothing. */
export function flagChoices(adapter: 'auto' | 'hardware' | 'software', machine: FlagMachine): readonly FlagChoice[] {
  if (adapter === 'software' || (adapter === 'auto' && !machine.mayHaveGpu)) return ['software'];
  const hardware: readonly FlagChoice[] = machine.hasNvidia ? ['nvidia', 'hardware'] : ['hardware'];
  return adapter === 'hardware' ? hardware : [...hardware, 'software'];
}

/**
 * A fresh array each time.
 * `override` (CHROME_FLAGS) replaces the flags that choose the adapter, not the others.
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
 * The whole command line of a browser without a window, whose profile is at `profile`, on an empty page. `flags` come last: Chrome takes the last
 * of two that differ.
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

/** Of two lists of features Chrome takes the last alone: they are made one. */
function joinedFeatures(flags: readonly string[]): string[] {
  const joined = ['--enable-features=', '--disable-features='].flatMap((name) => {
    const lists = flags.filter((flag) => flag.startsWith(name)).map((flag) => flag.slice(name.length));
    return lists.length > 0 ? [`${name}${lists.join(',')}`] : [];
  });
  return [...joined, ...flags.filter((flag) => !/^--(en|dis)able-features=/.test(flag))];
}

/** Whether trying for a GPU is worth a browser start, and whose it is. Only Linux machines are known to come without one. */
export function thisMachine(): FlagMachine {
  if (process.platform !== 'linux') return { hasNvidia: false, mayHaveGpu: true };
  const hasNvidia = existsSync('/dev/nvidia0');
  const renders = existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD'));
  return { hasNvidia, mayHaveGpu: hasNvidia || renders };
}
