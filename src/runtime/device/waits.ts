// The ways in which a caller waits for a device.

import { withTimeLimit } from './turns.ts';

export interface TimeLimit {
  readonly ms: number;
  /** A description of the awaited work. */
  readonly label: string;
}

/** The behavior of a platform while a caller waits for a device. */
export interface Waits {
  /** Waits for `work`. Rejects with `GpuError` 'timeout' at the limit. */
  during<T>(work: Promise<T>, limit?: TimeLimit): Promise<T>;
}

/** The waits in a page. The device is in another process and does not block the page. */
export const plainWaits: Waits = {
  during: (work, limit) => (limit ? withTimeLimit(work, limit.ms, limit.label) : work),
};
