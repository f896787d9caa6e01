import { expect, test } from 'vitest';
import { chromeFlags, flagChoices, headlessFlags } from '../../../../src/harness/webgpu/browser/chrome-flags.ts';

const LINUX = { override: undefined, platform: 'linux', isRoot: false } as const;
const FOR_GPU = [
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-angle=vulkan',
  '--disable-vulkan-surface',
  '--ignore-gpu-blocklist',
];

test('the flags that find a GPU without a display', () => {
  expect(chromeFlags('hardware', LINUX)).toEqual(expect.arrayContaining(FOR_GPU));
});

test('on an NVIDIA GPU the browser itself uses OpenGL, and WebGPU uses Vulkan', () => {
  const flags = chromeFlags('nvidia', LINUX);
  expect(flags).toEqual(
    expect.arrayContaining(['--use-angle=gl-egl', '--enable-features=Vulkan', '--disable-gpu-compositing']),
  );
  expect(flags).not.toContain('--use-angle=vulkan');
});

test.each([
  ['auto', { hasNvidia: true, mayHaveGpu: true }, ['nvidia', 'hardware', 'software']],
  ['auto', { hasNvidia: false, mayHaveGpu: true }, ['hardware', 'software']],
  ['auto', { hasNvidia: false, mayHaveGpu: false }, ['software']],
  ['hardware', { hasNvidia: true, mayHaveGpu: true }, ['nvidia', 'hardware']],
  ['hardware', { hasNvidia: false, mayHaveGpu: false }, ['hardware']],
  ['software', { hasNvidia: true, mayHaveGpu: true }, ['software']],
] as const)('%s on %j tries %j', (adapter, machine, choices) => {
  expect(flagChoices(adapter, machine)).toEqual(choices);
});

test('the flags of the software adapter include none that look for a GPU', () => {
  const flags = chromeFlags('software', LINUX);
  expect(flags).toEqual(expect.arrayContaining(['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader']));
  expect(flags).not.toEqual(expect.arrayContaining(['--use-angle=vulkan']));
});

test('Vulkan is only enabled on Linux', () => {
  for (const platform of ['darwin', 'win32'] as const) {
    expect(chromeFlags('hardware', { ...LINUX, platform }).filter((flag) => /vulkan/i.test(flag))).toEqual([]);
  }
});

test('the sandbox is off only for root', () => {
  expect(chromeFlags('software', { ...LINUX, isRoot: true })).toContain('--no-sandbox');
  expect(chromeFlags('software', LINUX)).not.toContain('--no-sandbox');
});

test('CHROME_FLAGS replaces the flags that choose the adapter, and keeps the rest', () => {
  const flags = chromeFlags('hardware', { ...LINUX, override: ' --use-angle=gl  --no-sandbox ', isRoot: true });
  expect(flags.slice(0, 2)).toEqual(['--use-angle=gl', '--no-sandbox']);
  expect(flags).not.toContain('--disable-vulkan-surface');
  expect(flags).toContain('--no-first-run');
  expect(flags.filter((flag) => flag === '--no-sandbox')).toHaveLength(1);
  expect(chromeFlags('hardware', { ...LINUX, override: '  ' })).toEqual(chromeFlags('hardware', LINUX));
});

test('each launch gets its own array', () => {
  chromeFlags('hardware', LINUX).length = 0;
  expect(chromeFlags('hardware', LINUX)).toEqual(expect.arrayContaining(FOR_GPU));
});

test('the whole command line: a profile, one list of features to enable and one to disable, and the user’s flags at the end', () => {
  const given = ['--enable-features=Vulkan', '--mute-audio=no', '--disable-features=Mine', '--enable-features=Other'];
  const flags = headlessFlags('/usr/bin/chromium-headless-shell', given, '/tmp/p');
  expect(flags).toEqual(
    expect.arrayContaining(['--headless', '--user-data-dir=/tmp/p', '--enable-features=Vulkan,Other']),
  );
  expect(flags.filter((flag) => flag.startsWith('--disable-features='))).toEqual([
    expect.stringMatching(/=Translate,.*,Mine$/),
  ]);
  expect(flags.indexOf('--mute-audio=no')).toBeGreaterThan(flags.indexOf('--mute-audio'));
  expect(flags.at(-1)).toBe('about:blank');
  expect(headlessFlags('/usr/bin/chromium', [], '/tmp/p')).toContain('--headless=new');
});
