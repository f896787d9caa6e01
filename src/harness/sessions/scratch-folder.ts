// Folders for what a browser, a compiler or a program of ours writes while it runs. They go however this process ends.

import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepFolder } from './keeper.ts';

/** In a folder: who made it, as `<host> <process id>`. */
export const ownerFile = 'owner';

/** Helpers of a process that was killed may write a last file while they end. */
const RETRIES = { maxRetries: 20, retryDelay: 20 } as const;

export class ScratchFolder {
  readonly path: string;
  readonly #release: () => void;

  /**
   * Makes `<parent>/<prefix><random>`. Processes that are started for it must have its path in their environment (`environment`), by which
   * the keeper finds them. Throws the system's error, and leaves no folder then.
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
   * This process's environment with the folder for temporary files. Elsewhere than on Linux the path of a browser's socket there could
   * grow too long.
   */
  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, [process.platform === 'linux' ? 'TMPDIR' : 'LANEWISE_SCRATCH']: this.path };
  }

  /** Removes it, once nothing uses it any more. */
  async remove(): Promise<void> {
    try {
      await rm(this.path, { recursive: true, force: true, ...RETRIES });
      this.#release();
    } catch {
      // The keeper tries again when this process has ended.
    }
  }

  /** Removes what can be removed at once. What still writes there is the keeper's. */
  removeNow(): void {
    try {
      rmSync(this.path, { recursive: true, force: true });
    } catch {
      // A process was still writing.
    }
  }
}
