// What adapters were measured to do, kept between processes in the user's cache folder. For Node.
//
// A wrong fact is a wrong lane. So a fact is kept with everything that it depends on, and taken only where all of that is the same, word for
// word; where that cannot be known (no driver's version, a browser on another machine), or the adapter was found to be unsound, nothing is kept.
// Whoever measures or validates an adapter takes nothing from here.

import { createHash, randomBytes } from 'node:crypto';
import {
  type BigIntStats,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { cpus, homedir, release } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fieldsOf, type JsonObject, textOf } from '../../base/json-value.ts';
import type { AdapterFacts } from '../../base/workarounds.ts';
import type { AdapterReport } from '../../runtime/device/job.ts';
import { parsePreflight } from '../../runtime/preflight/parse-preflight.ts';
import type { Preflight } from '../../runtime/preflight/preflight.ts';
import { FileError } from '../files/file-error.ts';
import { makeFolder } from '../files/make-folder.ts';
import { distFolder, packageFolder } from '../sessions/dist-folder.ts';

/** After that it is measured anew, whatever says that nothing has changed. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;
const MAX_BYTES = 1 << 16;
/** What the Vulkan loader and drivers are known to read: some of it changes how arithmetic is compiled. LD_*: another library may be in a driver's place. */
const DRIVER_VARIABLES =
  /^(LD|DYLD|VK|LIBVULKAN|DISABLE_VK|ENABLE_VK|MESA|LP|GALLIVM|GALLIUM|LIBGL|DRI|RADV|ACO|AMD|ANV|INTEL|NIR|TU|NVK|NV|__NV|__GL|__VK|CUDA|ASAHI|AGX|ZINK|DAWN|TINT|SWIFTSHADER|METAL|MTL)(_|$)/;

export interface KeptPreflight {
  readonly preflight: Preflight;
  /** When it was measured, as ISO 8601. */
  readonly since: string;
}

/** LANEWISE_CACHE, or where this user's caches are, by platform; undefined where nothing says so, and for `LANEWISE_CACHE=off`. */
export function cacheFolder(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
  home = homedir(),
): string | undefined {
  const own = env.LANEWISE_CACHE;
  if (own) return own !== 'off' && isAbsolute(own) ? own : undefined;
  // XDG: what is not absolute is ignored.
  const named = env.XDG_CACHE_HOME;
  if (named && isAbsolute(named)) return join(named, 'lanewise');
  if (platform === 'win32') return env.LOCALAPPDATA ? join(env.LOCALAPPDATA, 'lanewise', 'Cache') : undefined;
  if (!isAbsolute(home)) return undefined;
  return platform === 'darwin' ? join(home, 'Library/Caches/lanewise') : join(home, '.cache/lanewise');
}

/** What was kept of that adapter, if all is as it was. What cannot be read, is damaged or was written by somebody else counts as nothing. */
export function readKept(adapter: AdapterReport, folder = cacheFolder()): KeptPreflight | undefined {
  const depends = dependsOn(adapter);
  if (depends === undefined || folder === undefined) return undefined;
  try {
    const kept = readDocument(folder, nameOf(depends));
    if (kept.depends !== depends || typeof kept.since !== 'string') return undefined;
    const age = Date.now() - Date.parse(kept.since);
    // Not from the future either: a clock that was wrong says nothing about age.
    if (!(age >= 0 && age <= MAX_AGE_MS)) return undefined;
    const preflight = parsePreflight(kept.preflight);
    return preflight && preflight.problems.length === 0 ? { preflight, since: kept.since } : undefined;
  } catch {
    return undefined;
  }
}

/** What programs are made for. */
export interface LikelyAdapter extends AdapterFacts {
  readonly limits: Readonly<Record<string, number>>;
  readonly preflight: Preflight;
}

/** What was kept last of an adapter whose `host` is such: likely what will be found, as long as nothing says so yet. */
export function likelyAdapter(host: RegExp, folder = cacheFolder()): LikelyAdapter | undefined {
  if (folder === undefined) return undefined;
  let dated: { readonly name: string; readonly at: number }[];
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(PREFIX));
    dated = names.map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs })).sort((a, b) => b.at - a.at);
  } catch {
    return undefined;
  }
  for (const { name } of dated) {
    const found = readLikely(folder, name, host);
    if (found) return found;
  }
  return undefined;
}

function readLikely(folder: string, name: string, host: RegExp): LikelyAdapter | undefined {
  try {
    const kept = readDocument(folder, name);
    const adapter = fieldsOf(fieldsOf(JSON.parse(textOf(kept.depends))).adapter);
    const preflight = host.test(textOf(adapter.host)) ? parsePreflight(kept.preflight) : undefined;
    const limits = Object.entries(fieldsOf(adapter.limits)).filter((entry): entry is [string, number] => {
      return typeof entry[1] === 'number';
    });
    if (preflight === undefined) return undefined;
    const { vendor, architecture, device, description, host: hostName } = adapter;
    return {
      vendor: textOf(vendor),
      architecture: textOf(architecture),
      device: textOf(device),
      description: textOf(description),
      host: textOf(hostName),
      limits: Object.fromEntries(limits),
      preflight,
    };
  } catch {
    // Damaged.
    return undefined;
  }
}

/** Caches the measurements of an adapter, if they may be cached. A folder that cannot be made or written to is no error. */
export function keep(adapter: AdapterReport, preflight: Preflight, folder = cacheFolder()): void {
  const depends = dependsOn(adapter);
  if (depends === undefined || folder === undefined || preflight.problems.length > 0) return;
  try {
    makeFolder(folder, 0o700);
    if (!isOwn(lstatSync(folder, { bigint: true }), 'folder')) return;
    removeOld(folder);
    // Whole or not at all: another process may read it now, or write the same.
    const path = join(folder, nameOf(depends));
    const temporary = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      const text = JSON.stringify({ since: new Date().toISOString(), preflight, depends });
      writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch (error) {
    // The next run measures again. Only a folder that a person chose is worth a warning: many homes are read-only.
    if (error instanceof FileError && folder === process.env.LANEWISE_CACHE)
      process.emitWarning(`LANEWISE_CACHE: adapter measurements are not cached: ${error.message}`);
  }
}

const PREFIX = 'preflight-';
const nameOf = (depends: string): string => `${PREFIX}${createHash('sha256').update(depends).digest('hex')}.json`;

/** Everything that the facts depend on, as text; undefined where something of it is not known. */
function dependsOn(adapter: AdapterReport): string | undefined {
  const driver = adapter.driver ?? '';
  // A name without a version may be any.
  if (!/\d/.test(driver)) return undefined;
  const probes = probesHash();
  if (probes === undefined) return undefined;
  const variables = Object.entries(process.env).filter(([name]) => DRIVER_VARIABLES.test(name));
  return JSON.stringify({
    probes,
    adapter,
    // Software adapters compile for the processor.
    machine: [process.platform, process.arch, release(), cpus()[0]?.model ?? ''],
    variables: variables.sort(([a], [b]) => (a < b ? -1 : 1)),
  });
}

/** Nothing of what is no document, or somebody else's. Throws where there is none. */
function readDocument(folder: string, name: string): JsonObject {
  if (!isOwn(lstatSync(folder, { bigint: true }), 'folder')) return {};
  const path = join(folder, name);
  const stat = lstatSync(path, { bigint: true });
  return isOwn(stat, 'file') && stat.size <= MAX_BYTES ? fieldsOf(JSON.parse(readFileSync(path, 'utf8'))) : {};
}

let probesKnown: string | undefined;

/** This version of lanewise, and what measures and judges: in a checkout the version stays while that changes. */
function probesHash(): string | undefined {
  if (probesKnown !== undefined) return probesKnown;
  try {
    const folder = join(distFolder(), 'runtime/preflight');
    const hash = createHash('sha256').update(readFileSync(join(packageFolder(), 'package.json')));
    for (const name of readdirSync(folder).sort()) {
      if (name.endsWith('.js')) hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)));
    }
    probesKnown = hash.digest('hex');
  } catch {
    // Not built yet.
  }
  return probesKnown;
}

/** A file or folder of this user, which nobody else may write to, and no link to one. */
function isOwn(stat: BigIntStats, kind: 'file' | 'folder'): boolean {
  if (kind === 'file' ? !stat.isFile() : !stat.isDirectory()) return false;
  // Windows keeps that in lists of its own; its cache folder is the user's.
  if (process.getuid === undefined) return true;
  return stat.uid === BigInt(process.getuid()) && (stat.mode & 0o022n) === 0n;
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith(PREFIX) && Date.now() - statSync(path).mtimeMs > MAX_AGE_MS) rmSync(path, { force: true });
  }
}
