// Manages the browsers' profile folders. A power loss, or the end of a whole container, leaves
// folders of 20 MB or more.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerFile, ScratchFolder } from '../../sessions/scratch-folder.ts';

const PREFIX = 'lanewise-chrome-';
/** The age in milliseconds up to which a folder may not yet contain its owner's name. */
const YOUNG_MS = 60_000;

/**
 * Creates a folder for a profile and temporary files. `removeStaleFolders` removes the folders of
 * earlier processes.
 */
export function makeProfileFolder(parent = tmpdir()): ScratchFolder {
  return new ScratchFolder(PREFIX, parent);
}

/**
 * Removes unused profile folders of this user and returns their names. Skips folders that cannot be
 * removed.
 */
export async function removeStaleFolders(parent = tmpdir()): Promise<string[]> {
  const removed: string[] = [];
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (!name.startsWith(PREFIX) || !isStale(folder)) continue;
    const done = await rm(folder, { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
    if (done) removed.push(name);
  }
  return removed;
}

function isStale(folder: string): boolean {
  try {
    // Skip links and the folders of other users.
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) return false;
    if (Date.now() - stat.mtimeMs < YOUNG_MS) return false;
    const owner = textOf(() => readFileSync(join(folder, ownerFile), 'utf8'))?.split(' ');
    // Chrome's own lock is a link to `<host>-<process id>`. The browser may outlive the process
    // that started it.
    const lock = /^(.*)-(\d+)$/
      .exec(textOf(() => readlinkSync(join(folder, 'profile', 'SingletonLock'))) ?? '')
      ?.slice(1);
    return [owner, lock].every((user) => user === undefined || hasGone(user[0], user[1]));
  } catch {
    // Another process has removed the folder.
    return false;
  }
}

/**
 * Whether a process has ended. Returns false for a process of another host, which may share the
 * folder, because this cannot be checked.
 */
function hasGone(host: string | undefined, pid: string | undefined): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function textOf(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
