// The thread of a program in a browser that cannot suspend WebAssembly. It blocks while it waits for
// the device, which another thread owns.
import { memoryFiles } from '../host/memory-files.ts';
import { runBlocking } from '../host/run-blocking.ts';
import type { ProgramMessage, ProgramStart } from '../protocol.ts';
import type { ProgramWorker } from '../run-program.ts';

/** The name of the worker, by which a script that has several roles recognizes this one. */
const hostThreadName = 'program-host';

interface HostThreadStart {
  readonly start: ProgramStart;
  readonly files: readonly (readonly [path: string, bytes: Uint8Array])[];
}

/** Starts the thread. `script` is the address of a module that calls `runHostThread`. */
export function startHostThread(script: string, message: HostThreadStart): ProgramWorker {
  const worker = new Worker(script, { type: 'module', name: hostThreadName });
  worker.postMessage(message);
  const failed = new Promise<never>((_, reject) =>
    worker.addEventListener('error', ({ message }) => reject(new Error(message || `cannot load ${script}`))),
  );
  failed.catch(() => undefined);
  return {
    failed,
    onMessage: (receive) =>
      worker.addEventListener('message', ({ data }: MessageEvent<ProgramMessage>) => receive(data)),
    close: async () => worker.terminate(),
  };
}

/** Runs the program of the first message, which is among `early` or has not arrived. */
export function runHostThread(early: readonly MessageEvent<HostThreadStart>[] = []): void {
  const run = ({ data: { start, files } }: MessageEvent<HostThreadStart>): void => {
    const post = (message: ProgramMessage): void => postMessage(message);
    runBlocking(start, { files: memoryFiles(files), readInput: () => 0 }, post).catch(reportError);
  };
  const [first] = early;
  if (first !== undefined) run(first);
  else addEventListener('message', run, { once: true });
}
