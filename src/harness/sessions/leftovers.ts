// The processes and folders that a killed process leaves. Reads the list that the keeper receives,
// and removes them.

import { readdirSync, readFileSync, rmSync } from 'node:fs';

export type Leftover =
  | { readonly kind: 'folder'; readonly path: string }
  /**
   * A process or session. `start` is the time at which the process started, in the system's ticks;
   * empty if unknown. It distinguishes the process from a later process with the same number.
   */
  | { readonly kind: 'process' | 'session'; readonly pid: number; readonly start: string };

/** The line that clears the list. */
export const nothingLeft = 'nothing';

export function leftoverLine(sign: '+' | '-', leftover: Leftover): string {
  return `${sign}${JSON.stringify(leftover)}`;
}

/**
 * Returns the leftovers after some lines. The last line may be incomplete, because a process can be
 * killed at any time.
 */
export function leftoversOf(text: string): Leftover[] {
  const left = new Map<string, Leftover>();
  for (const line of text.split('\n')) {
    if (line === nothingLeft) left.clear();
    const record = line.slice(1);
    if (line.startsWith('-')) left.delete(record);
    const leftover = line.startsWith('+') ? parsed(record) : undefined;
    if (leftover) left.set(record, leftover);
  }
  return [...left.values()];
}

function parsed(record: string): Leftover | undefined {
  try {
    return JSON.parse(record);
  } catch {
    return undefined;
  }
}

interface RunningProcess {
  readonly pid: number;
  readonly session: number;
  readonly start: string;
}

/** Returns the time at which a process started, as text; empty if the system does not report it. */
export function startOf(pid: number): string {
  return statOf(String(pid))?.start ?? '';
}

/**
 * Kills the leftover processes, and the processes that use leftover folders, and removes these
 * folders. Does this once, and returns the leftovers that may still exist.
 */
export function removeOnce(leftovers: readonly Leftover[]): Leftover[] {
  const running = runningProcesses();
  return leftovers.filter((leftover) => {
    if (leftover.kind !== 'folder') return killAll(processesOf(leftover, running));
    const isUsed = killAll(usersOf(leftover.path, running));
    try {
      rmSync(leftover.path, { recursive: true, force: true });
    } catch {
      // A process has written another file while it ended, so the folder still exists.
      return true;
    }
    return isUsed;
  });
}

/**
 * Kills every process of the session that `pid` leads. If the system does not list processes, kills
 * the process group instead.
 */
export function killSession(pid: number): void {
  killAll(processesOf({ kind: 'session', pid, start: startOf(pid) }, runningProcesses()));
}

function processesOf(
  { kind, pid, start }: Exclude<Leftover, { readonly kind: 'folder' }>,
  running: readonly RunningProcess[],
): number[] {
  // On systems other than Linux, kill the process group.
  if (running.length === 0) return [kind === 'session' ? -pid : pid];
  const leader = running.find((one) => one.pid === pid);
  if (leader && start !== '' && leader.start !== start) return [];
  if (kind === 'process') return leader ? [pid] : [];
  return running.filter(({ session }) => session === pid).map((one) => one.pid);
}

/**
 * Returns the processes that have the path in their environment. If such a process leads a session,
 * all processes of the session are included, because browsers change the environment of their
 * helpers.
 */
function usersOf(path: string, running: readonly RunningProcess[]): number[] {
  const users = new Set(running.filter(({ pid }) => environmentOf(pid).includes(path)).map(({ pid }) => pid));
  return running.filter(({ pid, session }) => users.has(pid) || users.has(session)).map(({ pid }) => pid);
}

/** Kills processes. Returns whether any of them existed. */
function killAll(pids: readonly number[]): boolean {
  const killed = pids.map((pid) => {
    try {
      process.kill(pid, 'SIGKILL');
      return true;
    } catch {
      // The process has already ended.
      return false;
    }
  });
  return killed.includes(true);
}

/**
 * Returns the processes in /proc; an empty list on systems without /proc. Zombies are excluded,
 * because they have ended.
 */
function runningProcesses(): RunningProcess[] {
  if (process.platform !== 'linux') return [];
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(name) ?? []) : []));
  } catch {
    return [];
  }
}

function statOf(name: string): RunningProcess | undefined {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    // The program's name, in parentheses, may contain any character.
    const [state, , , session, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    return { pid: Number(name), session: Number(session), start: rest[15] ?? '' };
  } catch {
    return undefined;
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // The process has ended, or belongs to another user.
    return '';
  }
}
