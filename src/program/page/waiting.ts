// How a program in a page waits for its device. WebAssembly suspends it (JSPI), or it has a thread of
// its own, which blocks. The second way needs shared memory.

/** The headers with which a server allows a page to share memory between its threads. */
export const sharingHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
} as const;

/** Whether WebAssembly can suspend programs. */
export const canSuspend = (): boolean => 'Suspending' in WebAssembly;

/** Returns why programs cannot run in this page, or undefined if they can. */
export function waitingProblem(): string | undefined {
  if (canSuspend() || globalThis.crossOriginIsolated) return undefined;
  const headers = Object.entries(sharingHeaders).map(([name, value]) => `\`${name}: ${value}\``);
  return `This browser cannot suspend programs (JSPI), and this page has no shared memory: its server must send ${headers.join(' and ')}.`;
}
