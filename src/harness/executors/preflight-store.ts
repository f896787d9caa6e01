// Caches measurements of adapters between processes, in the user's cache folder. For Node.
//
// A wrong measurement produces wrong lanes. So the measurements are stored with everything on which
// they depend, and used only if all of it is unchanged, word for word. Nothing is stored if a
// dependency is unknown (no driver version, a browser on another machine), or if the adapter has
// problems. Commands that measure or validate an adapter do not use the cache.

import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import type { AdapterFacts } from '../../base/adapter-facts.ts';
import { fieldsOf, type JsonObject, textOf } from '../../base/json-value.ts';
import type { AdapterReport } from '../../runtime/device/job.ts';
import { parsePreflight } from '../../runtime/preflight/parse-preflight.ts';
import type { Preflight } from '../../runtime/preflight/preflight.ts';
import { cacheFolder, isOwn, isOwnFolder, writeAtomically } from '../files/cache-folder.ts';
import { FileError } from '../files/file-error.ts';
import { makeFolder } from '../files/make-folder.ts';
import { distFolder, packageFolder } from '../sessions/dist-folder.ts';

/**
 * The maximum age of measurements in milliseconds. An adapter is measured again after this time,
 * even if nothing has changed.
 */
const MAX_AGE_MS = 30 * 24 * 3_600_000;
const MAX_BYTES = 1 << 16;
/**
 * Variables that the Vulkan loader and drivers are known to read. Some of them change the
 * compilation of arithmetic, and LD_* may replace a driver's library.
 */
const DRIVER_VARIABLES =
  /^(LD|DYLD|VK|LIBVULKAN|DISABLE_VK|ENABLE_VK|MESA|LP|GALLIVM|GALLIUM|LIBGL|DRI|RADV|ACO|AMD|ANV|INTEL|NIR|TU|NVK|NV|__NV|__GL|__VK|CUDA|ASAHI|AGX|ZINK|DAWN|TINT|SWIFTSHADER|METAL|MTL)(_|$)/;

export interface KeptPreflight {
  readonly preflight: Preflight;
  /** The time of the measurement as ISO 8601. */
  readonly since: string;
}

/**
 * Returns the cached measurements of the adapter if all dependencies are unchanged. Ignores a file
 * that cannot be read, is damaged, or belongs to another user.
 */
export function readKept(adapter: AdapterReport, folder = cacheFolder()): KeptPreflight | undefined {
  const depends = dependsOn(adapter);
  if (depends === undefined || folder === undefined) return undefined;
  try {
    const kept = readDocument(folder, nameOf(depends));
    if (kept.depends !== depends || typeof kept.since !== 'string') return undefined;
    const age = Date.now() - Date.parse(kept.since);
    // A time in the future means that a clock was wrong, so the age is unknown.
    if (!(age >= 0 && age <= MAX_AGE_MS)) return undefined;
    const preflight = parsePreflight(kept.preflight);
    return preflight && preflight.problems.length === 0 ? { preflight, since: kept.since } : undefined;
  } catch {
    return undefined;
  }
}

/** The properties of an adapter on which programs depend. */
export interface LikelyAdapter extends AdapterFacts {
  readonly limits: Readonly<Record<string, number>>;
  readonly preflight: Preflight;
}

/**
 * Returns the latest cached adapter whose `host` matches. It is the most likely adapter until the
 * actual adapter is known.
 */
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
    // The file is damaged, so no adapter is known.
    return undefined;
  }
}

/**
 * Caches the measurements of an adapter, if they may be cached. Failing to create or write the
 * folder is not an error.
 */
export function keep(adapter: AdapterReport, preflight: Preflight, folder = cacheFolder()): void {
  const depends = dependsOn(adapter);
  if (depends === undefined || folder === undefined || preflight.problems.length > 0) return;
  try {
    makeFolder(folder, 0o700);
    if (!isOwnFolder(folder)) return;
    removeOld(folder);
    const text = JSON.stringify({ since: new Date().toISOString(), preflight, depends });
    writeAtomically(join(folder, nameOf(depends)), text);
  } catch (error) {
    // The next run will measure again. Only a folder that the user chose deserves a warning,
    // because many home folders are read-only.
    if (error instanceof FileError && folder === process.env.LANEWISE_CACHE)
      process.emitWarning(`LANEWISE_CACHE: adapter measurements are not cached: ${error.message}`);
  }
}

const PREFIX = 'preflight-';
const nameOf = (depends: string): string => `${PREFIX}${createHash('sha256').update(depends).digest('hex')}.json`;

/**
 * Returns a text of everything on which the measurements depend; undefined if a dependency is
 * unknown.
 */
function dependsOn(adapter: AdapterReport): string | undefined {
  const driver = adapter.driver ?? '';
  // A driver name without a version does not identify the driver.
  if (!/\d/.test(driver)) return undefined;
  const probes = probesHash();
  if (probes === undefined) return undefined;
  const variables = Object.entries(process.env).filter(([name]) => DRIVER_VARIABLES.test(name));
  return JSON.stringify({
    probes,
    adapter,
    // Software adapters compile for the CPU, so their measurements depend on the CPU.
    machine: [process.platform, process.arch, release(), cpus()[0]?.model ?? ''],
    variables: variables.sort(([a], [b]) => (a < b ? -1 : 1)),
  });
}

/**
 * Reads a document. Returns an empty document if the file is not valid JSON or belongs to another
 * user. Throws if there is no file.
 */
function readDocument(folder: string, name: string): JsonObject {
  if (!isOwnFolder(folder)) return {};
  const path = join(folder, name);
  const stat = lstatSync(path, { bigint: true });
  return isOwn(stat, 'file') && stat.size <= MAX_BYTES ? fieldsOf(JSON.parse(readFileSync(path, 'utf8'))) : {};
}

let probesKnown: string | undefined;

/**
 * Returns a hash of the version, and of the code that measures and judges. In a checkout, the code
 * changes while the version stays the same.
 */
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
    // The build is missing, so the code is unknown.
  }
  return probesKnown;
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith(PREFIX) && Date.now() - statSync(path).mtimeMs > MAX_AGE_MS) rmSync(path, { force: true });
  }
}
