// Temporary folders for browsers, compilers and this project's child processes. They are removed
// however this process ends.

import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepFolder } from './keeper.ts';

/** A file in the folder that names its creator, as `<host> <process id>`. */
export const ownerFile = 'owner';

/**
 * How often a removal is retried. Helpers of a killed process may write a last file while they end.
 */
const RETRIES = { maxRetries: 20, retryDelay: 20 } as const;

export class ScratchFolder {
  readonly path: string;
  readonly #release: () => void;

  /**
   * Creates `<parent>/<prefix><random>`. Processes that use the folder must have its path in their
   * environment (`environment`), because the keeper finds them by it. Throws the system's error,
   * without leaving a folder.
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
   * This process's environment, with the folder's path in a variable. On Linux, the path is also
   * TMPDIR; elsewhere, the path of a browser's socket could become too long.
   */
  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, [process.platform === 'linux' ? 'TMPDIR' : 'LANEWISE_SCRATCH']: this.path };
  }

  /** Removes the folder, which no process may use any more. */
  async remove(): Promise<void> {
    try {
      await rm(this.path, { recursive: true, force: true, ...RETRIES });
      this.#release();
    } catch {
      // The keeper retries after this process has ended.
    }
  }

  /**
   * Removes everything that can be removed immediately. The keeper removes files that are still
   * being written.
   */
  removeNow(): void {
    try {
      rmSync(this.path, { recursive: true, force: true });
    } catch {
      // A process is still writing. The keeper removes the folder later.
    }
  }
}
