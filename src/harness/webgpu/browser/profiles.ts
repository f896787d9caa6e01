// The browsers' profile folders. A machine that lost its power, or a container that was killed whole, leaves some of 20 MB or more.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerFile, ScratchFolder } from '../../sessions/scratch-folder.ts';

const PREFIX = 'lanewise-chrome-';
/** A folder that is younger may not have its owner's name yet. */
const YOUNG_MS = 60_000;

/** Makes a folder for a profile and temporary files. What earlier processes left is for `removeStaleFolders`, when there is time for it. */
export function makeProfileFolder(parent = tmpdir()): ScratchFolder {
  return new ScratchFolder(PREFIX, parent);
}

/** Removes the profile folders of this user that nobody uses. Returns their names; one that cannot be removed is left. */
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
    // Not through a link, and not somebody else's.
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) return false;
    if (Date.now() - stat.mtimeMs < YOUNG_MS) return false;
    const owner = textOf(() => readFileSync(join(folder, ownerFile), 'utf8'))?.split(' ');
    // Chrome's own lock, a link to `<host>-<process id>`: the browser may outlive the process that started it.
    const lock = /^(.*)-(\d+)$/
      .exec(textOf(() => readlinkSync(join(folder, 'profile', 'SingletonLock'))) ?? '')
      ?.slice(1);
    return [owner, lock].every((user) => user === undefined || hasGone(user[0], user[1]));
  } catch {
    // It went meanwhile.
    return false;
  }
}

/** Processes of other hosts, which may share the folder, cannot be asked after. */
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
