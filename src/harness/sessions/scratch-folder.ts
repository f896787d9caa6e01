// Temporary folders for browsers, compilers and programs of this project. They are removed however
// this process ends.

import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepFolder } from './keeper.ts';

/** The name of a file in the folder that names the folder's creator, as `<host> <process id>`. */
export const ownerFile = 'owner';

/**
 * The retries of a removal. They are needed because helpers of a killed process may write a last
 * file while they end.
 */
const RETRIES = { maxRetries: 20, retryDelay: 20 } as const;

export class ScratchFolder {
  readonly path: string;
  readonly #release: () => void;

  /**
   * Creates the folder `<parent>/<prefix><random>`. Processes that use the folder must have its
   * path in their environment (`environment`), so that the keeper finds them. If the folder cannot
   * be created, throws the system's error.
   */
  constructor(prefix: string, parent = tmpdir()) {
    this.path = join(parent, `${prefix}${randomBytes(6).toString('hex')}`);
    this.#release = keepFolder(this.path);
    try {
      mkdirSync(this.path, { mode: 0o700 });
      writeFileSync(join(this.path, ownerFile), `${hostname()} ${process.pid}`);
    } catch (error) {
      this.removeNow();
      this.#release();
      throw error;
    }
  }

  /**
   * The environment of this process, with the folder's path. The path is TMPDIR only on Linux,
   * because elsewhere the path of a browser's socket could become too long.
   */
  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, [process.platform === 'linux' ? 'TMPDIR' : 'LANEWISE_SCRATCH']: this.path };
  }

  /** Removes the folder. No process may use it any more. */
  async remove(): Promise<void> {
    try {
      await rm(this.path, { recursive: true, force: true, ...RETRIES });
      this.#release();
    } catch {
      // The keeper will retry after this process has ended.
    }
  }

  /**
   * Removes everything that can be removed immediately. The keeper will remove files that are still
   * being written.
   */
  removeNow(): void {
    try {
      rmSync(this.path, { recursive: true, force: true });
    } catch {
      // A process is still writing. The keeper will remove the folder.
    }
  }
}
