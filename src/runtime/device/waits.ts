// Somebody waits for a device.

import { withTimeLimit } from './turns.ts';

export interface TimeLimit {
  readonly ms: number;
  /** What is waited for, in words. */
  readonly label: string;
}

/** What a platform does while somebody waits for a device. */
export interface Waits {
  /** Rejects with `GpuError` 'timeout' at the limit. */
  during<T>(work: Promise<T>, limit?: TimeLimit): Promise<T>;
}

/** Of a page: a device in another process holds nothing up. */
export const plainWaits: Waits = {
  during: (work, limit) => (limit ? withTimeLimit(work, limit.ms, limit.label) : work),
};
