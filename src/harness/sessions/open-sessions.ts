// Everything started here (browsers, child processes, folders) is closed however the program ends.

import { once } from 'node:events';
import { constants } from 'node:os';
import { setImmediate } from 'node:timers';

export interface Closable {
  /** Closes in order; may take a moment. */
  close(): Promise<void>;
  /** Closes at once and without waiting, when the program is exiting. */
  kill(): void;
}

/** On a signal, how long the orderly way may take. */
const GRACE_MS = 5_000;
/** Turns of the event loop until a signal that has arrived is handled: two with Node 20. */
const SIGNAL_TURNS = 3;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What the command line promises for Ctrl-C (128 + SIGINT); others follow the same rule. */
const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

const open = new Set<Closable>();
let hasHandlers = false;

/** Puts `closable` under the program's signal and exit handlers. Returns the function that takes it off. */
export function guard(closable: Closable): () => void {
  if (!hasHandlers) {
    hasHandlers = true;
    for (const signal of SIGNALS) process.on(signal, onSignal);
    process.on('exit', killAll);
  }
  open.add(closable);
  return () => {
    if (open.delete(closable) && open.size === 0) removeHandlers(SIGNAL_TURNS);
  };
}

/** Node drops a signal that has arrived if its handler is removed before the event loop comes to it. So the handlers stay for some turns of the loop. */
function removeHandlers(turns: number): void {
  if (open.size > 0 || !hasHandlers) return;
  if (turns > 0) return void setImmediate(removeHandlers, turns - 1);
  hasHandlers = false;
  for (const signal of SIGNALS) process.off(signal, onSignal);
  process.off('exit', killAll);
}

function onSignal(signal: NodeJS.Signals): void {
  const closing = Promise.allSettled([...open].map((closable) => closable.close()));
  const late = new Promise((done) => setTimeout(done, GRACE_MS).unref());
  void Promise.race([closing, late]).then(() => process.exit(exitCodeOf(signal)));
}

function killAll(): void {
  for (const closable of open) closable.kill();
}

/** Kills a process and the group that it leads; one that has gone already is no error. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  // Windows has no groups: there the browser's helpers notice that their parent has gone.
  for (const target of process.platform === 'win32' ? [pid] : [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // Gone, or never a group leader.
    }
  }
}

/** Waits until a process has exited, `ms` at most. */
export async function exited(
  child: NodeJS.EventEmitter & { exitCode: number | null; signalCode: string | null },
  ms: number,
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await once(child, 'exit', { signal: AbortSignal.timeout(ms) }).catch(() => undefined);
}
