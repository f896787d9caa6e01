// Closes everything that this program started (browsers, child processes, folders), however the
// program ends.

import { once } from 'node:events';
import { constants } from 'node:os';
import { setImmediate } from 'node:timers';

export interface Closable {
  /** Closes in an orderly way, which may take a moment. */
  close(): Promise<void>;
  /** Closes immediately, without waiting, while the program exits. */
  kill(): void;
}

/** The time limit for an orderly close after a signal, in milliseconds. */
const GRACE_MS = 5_000;
/**
 * The number of turns of the event loop after which a signal that has arrived is certainly handled.
 * Node 20 needs two turns.
 */
const SIGNAL_TURNS = 3;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/**
 * Returns the exit code that the command line documents for Ctrl-C (128 + SIGINT), and the
 * corresponding code for other signals.
 */
const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

const open = new Set<Closable>();
let hasHandlers = false;

/**
 * Registers `closable` with the program's signal and exit handlers. Returns a function that
 * unregisters it.
 */
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

/**
 * Removes the signal handlers after some turns of the event loop. Node drops a signal that has
 * arrived if its handler is removed before the event loop handles the signal.
 */
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

/** Kills a process and the group that it leads. Ignores a process that has ended. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  // Windows has no process groups. There, the browser's helpers notice that their parent has ended.
  for (const target of process.platform === 'win32' ? [pid] : [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // The process has ended, or never led a group.
    }
  }
}

/** Waits until a process has exited, for at most `ms` milliseconds. */
export async function exited(
  child: NodeJS.EventEmitter & { exitCode: number | null; signalCode: string | null },
  ms: number,
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await once(child, 'exit', { signal: AbortSignal.timeout(ms) }).catch(() => undefined);
}
