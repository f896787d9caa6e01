// The folder of this user's caches, and the files in it.

import { randomBytes } from 'node:crypto';
import { type BigIntStats, lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Returns LANEWISE_CACHE, or the platform's folder for this user's caches. Returns undefined if
 * neither is set, and for `LANEWISE_CACHE=off`.
 */
export function cacheFolder(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
  home = homedir(),
): string | undefined {
  const own = env.LANEWISE_CACHE;
  if (own) return own !== 'off' && isAbsolute(own) ? own : undefined;
  // The XDG specification requires that relative paths are ignored.
  const named = env.XDG_CACHE_HOME;
  if (named && isAbsolute(named)) return join(named, 'lanewise');
  if (platform === 'win32') return env.LOCALAPPDATA ? join(env.LOCALAPPDATA, 'lanewise', 'Cache') : undefined;
  if (!isAbsolute(home)) return undefined;
  return platform === 'darwin' ? join(home, 'Library/Caches/lanewise') : join(home, '.cache/lanewise');
}

/**
 * Whether a file or folder belongs to this user, is not a link, and cannot be written by other
 * users.
 */
export function isOwn(stat: BigIntStats, kind: 'file' | 'folder'): boolean {
  if (kind === 'file' ? !stat.isFile() : !stat.isDirectory()) return false;
  // Windows keeps permissions in access control lists. The cache folder on Windows belongs to the
  // user.
  if (process.getuid === undefined) return true;
  return stat.uid === BigInt(process.getuid()) && (stat.mode & 0o022n) === 0n;
}

/** Whether the folder exists and belongs to this user alone. Throws if the path does not exist. */
export const isOwnFolder = (folder: string): boolean => isOwn(lstatSync(folder, { bigint: true }), 'folder');

/** Writes a file atomically, because another process may be reading or writing it. */
export function writeAtomically(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}
