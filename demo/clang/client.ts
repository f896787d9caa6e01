// The page's client of the worker that compiles CUDA.
import { WorkerClient } from '../workers/client.ts';
import type { ClangRequests } from './messages.ts';

export type ClangClient = WorkerClient<ClangRequests>;

/**
 * The maximum time between two messages of the worker, in milliseconds. The worker does not send
 * messages while it starts 75 MB of WebAssembly, and while it compiles a file.
 */
const silenceMs = 120_000;

/** Creates the client of the worker. `script` is the address of the worker's script. */
export function openClang(script: string): ClangClient {
  return new WorkerClient<ClangRequests>({
    script,
    name: 'clang',
    limitMs: () => silenceMs,
    inTurn: true,
    overrun: () => `The compiler did not answer for ${silenceMs / 1000} s and was stopped.`,
  });
}
