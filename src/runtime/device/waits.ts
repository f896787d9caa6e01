// How a caller waits for a device.

import { withTimeLimit } from './turns.ts';

export interface TimeLimit {
  readonly ms: number;
  /** The awaited work, in words. */
  readonly label: string;
}

/** The behavior of a platform while a caller waits for a device. */
export interface Waits {
  /** Waits for `work`. Rejects with `GpuError` 'timeout' at the limit. */
  during<T>(work: Promise<T>, limit?: TimeLimit): Promise<T>;
}

/** The waits in a page, which a device in another process does not block. */
export const plainWaits: Waits = {
  during: (work, limit) => (limit ? withTimeLimit(work, limit.ms, limit.label) : work),
};
