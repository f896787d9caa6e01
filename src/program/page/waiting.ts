// How a program in a page waits for its device. WebAssembly suspends it (JSPI), or it has a thread of
// its own, which blocks. The second way needs shared memory.

import { sharingHeaders } from '../../base/sharing-headers.ts';

/** Whether WebAssembly can suspend programs. */
export const canSuspend = (): boolean => 'Suspending' in WebAssembly;

/** Returns why programs cannot run in this page, or undefined if they can. */
export function waitingProblem(): string | undefined {
  if (canSuspend() || globalThis.crossOriginIsolated) return undefined;
  const headers = Object.entries(sharingHeaders).map(([name, value]) => `\`${name}: ${value}\``);
  return `This browser cannot suspend programs (JSPI), and this page has no shared memory: its server must send ${headers.join(' and ')}.`;
}
