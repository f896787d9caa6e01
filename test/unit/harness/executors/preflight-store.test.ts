// The stored facts of an adapter are used only if all that they depend on is unchanged, and never
// if they are damaged, foreign or old.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keep, likelyAdapter, readKept } from '../../../../src/harness/executors/preflight-store.ts';
import { cacheFolder } from '../../../../src/harness/files/cache-folder.ts';
import type { AdapterReport } from '../../../../src/runtime/device/job.ts';
import type { Preflight } from '../../../../src/runtime/preflight/preflight.ts';

const adapter: AdapterReport = {
  vendor: 'nvidia',
  architecture: 'hopper',
  device: '0x2335',
  description: 'NVIDIA H200',
  driver: 'NVIDIA: 580.159.04 580.159.4.0',
  software: false,
  features: ['subgroups'],
  wgslFeatures: ['subgroup_id'],
  limits: { maxBufferSize: 4096 },
  subgroupMinSize: 32,
  subgroupMaxSize: 32,
  host: 'HeadlessChrome/156.0.8078.79',
  flags: ['--use-angle=vulkan'],
};

const preflight: Preflight = {
  subgroupSize: 32,
  explicitSizes: [32],
  subgroupId: true,
  linear: true,
  problems: [],
  float: {
    denormals: 'flushed',
    add: 'exact',
    mul: 'exact',
    fma: 'fused',
    contracts: false,
    div: 'approx',
    sqrt: 'approx',
    extremes: 'exact',
    exp2: 'close',
    nans: 'canonical',
    packHalf: 'exact',
    nanPayload: true,
  },
};

let folder = '';
let cache = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanewise-test-store-'));
  cache = join(folder, 'cache/lanewise');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const kept = (of: AdapterReport = adapter): Preflight | undefined => readKept(of, cache)?.preflight;
const files = (): string[] => readdirSync(cache);
const theFile = (): string => join(cache, files()[0] ?? 'none');

test('stored facts are returned, from a file that only its user may read', () => {
  expect(kept()).toBeUndefined();
  keep(adapter, preflight, cache);
  keep(adapter, preflight, cache);
  expect(kept()).toEqual(preflight);
  expect(Date.now() - Date.parse(readKept(adapter, cache)?.since ?? '')).toBeLessThan(60_000);
  expect(files()).toHaveLength(1);
  if (process.getuid) expect(statSync(theFile()).mode & 0o777).toBe(0o600);
});

describe('facts are not used for another', () => {
  const others: readonly Partial<AdapterReport>[] = [
    { driver: 'NVIDIA: 580.159.05 580.159.5.0' },
    { host: 'HeadlessChrome/156.0.8078.80' },
    { flags: [] },
    { device: '0x2336' },
    { description: 'NVIDIA H100' },
    { features: [] },
    { wgslFeatures: [] },
    { limits: { maxBufferSize: 8192 } },
    { subgroupMinSize: 16 },
  ];
  test.each(others)('%j', (other) => {
    keep(adapter, preflight, cache);
    expect(kept({ ...adapter, ...other })).toBeUndefined();
    // Facts of another adapter are refused even in a file with this adapter's name.
    keep({ ...adapter, ...other }, preflight, cache);
    const [first = '', second = ''] = files();
    renameSync(join(cache, first), join(cache, second));
    const left = [adapter, { ...adapter, ...other }].filter((one) => kept(one));
    expect(left).toEqual([]);
  });

  test.each([
    'LP_NATIVE_VECTOR_WIDTH',
    'LD_LIBRARY_PATH',
    'RADV_DEBUG',
    'VK_DRIVER_FILES',
    '__GL_ShaderPortabilityWarnings',
  ])('with %s set', (name) => {
    keep(adapter, preflight, cache);
    vi.stubEnv(name, '256');
    expect(kept()).toBeUndefined();
  });
});

describe('ignores and replaces a file:', () => {
  const text = (change: (document: Record<string, unknown>) => unknown): void => {
    const path = theFile();
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));
  };
  const float = (change: object): void =>
    text((all) => ({ ...all, preflight: { ...preflight, float: { ...preflight.float, ...change } } }));
  const facts = (change: object): void => text((all) => ({ ...all, preflight: { ...preflight, ...change } }));
  const aged = (days: number): void =>
    text((all) => ({ ...all, since: new Date(Date.now() - days * 86_400_000).toISOString() }));
  const damages: readonly (readonly [string, () => void])[] = [
    ['empty', () => writeFileSync(theFile(), '')],
    ['cut off', () => writeFileSync(theFile(), readFileSync(theFile(), 'utf8').slice(0, -9))],
    ['not an object', () => text(() => [1])],
    ['null', () => text(() => null)],
    ['without facts', () => text(({ preflight: _, ...rest }) => rest)],
    ['without its dependencies', () => text(({ depends: _, ...rest }) => rest)],
    ['without a date', () => text(({ since: _, ...rest }) => rest)],
    ['with an invalid date', () => text((all) => ({ ...all, since: 'yesterday' }))],
    ['31 days old', () => aged(31)],
    ['from the future', () => aged(-1)],
    ['with an invalid value', () => float({ fma: 'nearly' })],
    ['with a value of another type', () => float({ contracts: 'false' })],
    ['with an extra value', () => float({ mod: 'exact' })],
    ['with a missing value', () => float({ nans: undefined })],
    ['with a size that no adapter has', () => facts({ subgroupSize: 33 })],
    ['with invalid sizes', () => facts({ explicitSizes: ['32'] })],
    ['with problems', () => facts({ problems: ['misled'] })],
    ['of a megabyte', () => text((all) => ({ ...all, more: 'x'.repeat(1 << 20) }))],
    [
      'a link',
      () => {
        renameSync(theFile(), join(folder, 'elsewhere.json'));
        const name = 'preflight-link';
        symlinkSync(join(folder, 'elsewhere.json'), join(cache, name));
      },
    ],
    ['that others may write', () => chmodSync(theFile(), 0o662)],
    ['in a folder that others may write', () => chmodSync(cache, 0o777)],
  ];
  test.each(damages)('%s', (name, damage) => {
    if (process.platform === 'win32' && /others|link/.test(name)) return;
    keep(adapter, preflight, cache);
    const file = theFile();
    damage();
    if (name === 'a link') renameSync(join(cache, 'preflight-link'), file);
    expect(kept()).toBeUndefined();
    chmodSync(cache, 0o700);
    keep(adapter, preflight, cache);
    expect(kept()).toEqual(preflight);
  });
});

test.each([
  ['a driver without a version', { ...adapter, driver: 'SwiftShader' }, preflight],
  ['no driver', (({ driver: _, ...rest }: AdapterReport): AdapterReport => rest)(adapter), preflight],
  ['an unsound adapter', adapter, { ...preflight, problems: ['the subgroup size varies'] }],
] as const)('%s is not stored', (_, of, found) => {
  keep(of, found, cache);
  expect(() => files()).toThrow('ENOENT');
  expect(kept(of)).toBeUndefined();
});

test('the likely facts are the last ones stored for such a browser', () => {
  const likely = (host: RegExp) => likelyAdapter(host, cache);
  expect(likely(/Chrome/)).toBeUndefined();
  const others = [preflight, { ...preflight, linear: false }, { ...preflight, subgroupId: false }];
  const hosts = [adapter.host, adapter.host, 'Dawn (webgpu 0.6.2), Node 20.20.2'];
  for (const [index, facts] of others.entries()) {
    const before = new Set(index === 0 ? [] : files());
    keep({ ...adapter, flags: [`${index}`], host: hosts[index] ?? '' }, facts, cache);
    // The order of files with equal times is unknown, so each file gets its own time.
    const at = Date.now() / 1000 - 60 + index;
    for (const name of files()) if (!before.has(name)) utimesSync(join(cache, name), at, at);
  }
  expect(likely(/^HeadlessChrome/)).toEqual({
    ...{ vendor: adapter.vendor, architecture: adapter.architecture, device: adapter.device },
    ...{ description: adapter.description, host: adapter.host, limits: adapter.limits },
    preflight: others[1],
  });
  expect(likely(/^Dawn/)?.preflight).toEqual(others[2]);
  expect(likely(/^Firefox/)).toBeUndefined();
  // Unreadable files are skipped.
  const damaged = 'preflight-damaged.json';
  writeFileSync(join(cache, damaged), '{');
  expect(likely(/^HeadlessChrome/)?.preflight).toEqual(others[1]);
});

test('a folder that cannot be created is not an error', () => {
  writeFileSync(join(folder, 'cache'), 'a file');
  keep(adapter, preflight, cache);
  expect(kept()).toBeUndefined();
});

test('facts unused for a month are removed; foreign files remain', () => {
  mkdirSync(cache, { recursive: true });
  for (const name of ['preflight-old.json', 'other.json']) {
    writeFileSync(join(cache, name), '{}');
    utimesSync(join(cache, name), 1, 1);
  }
  keep(adapter, preflight, cache);
  expect(files()).toHaveLength(2);
  expect(files()).toContain('other.json');
});

test.each([
  ['linux', { XDG_CACHE_HOME: '/xdg' }, '/xdg/lanewise'],
  ['linux', { XDG_CACHE_HOME: 'xdg' }, '/home/me/.cache/lanewise'],
  ['linux', {}, '/home/me/.cache/lanewise'],
  ['linux', { LANEWISE_CACHE: '/own', XDG_CACHE_HOME: '/xdg' }, '/own'],
  ['linux', { LANEWISE_CACHE: 'off', XDG_CACHE_HOME: '/xdg' }, undefined],
  ['linux', { LANEWISE_CACHE: 'own' }, undefined],
  ['darwin', {}, '/home/me/Library/Caches/lanewise'],
  ['win32', { LOCALAPPDATA: '/local' }, '/local/lanewise/Cache'],
  ['win32', {}, undefined],
] as const)('the folder on %s with %j', (platform, env, expected) => {
  expect(cacheFolder(platform, env, '/home/me')?.replaceAll('\\', '/')).toBe(expected);
});
