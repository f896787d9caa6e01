// What a process leaves behind if it is killed: processes and folders. How the keeper hears of them, and how it removes them.

import { readdirSync, readFileSync, rmSync } from 'node:fs';

export type Leftover =
  | { readonly kind: 'folder'; readonly path: string }
  /** `start`: when the process started, in the system's ticks; '' where that is unknown. Another process may have its number later. */
  | { readonly kind: 'process' | 'session'; readonly pid: number; readonly start: string };

/** The line that takes everything back. */
export const nothingLeft = 'nothing';

export function leftoverLine(sign: '+' | '-', leftover: Leftover): string {
  return `${sign}${JSON.stringify(leftover)}`;
}

/** What is left after some lines. The last one may be cut off: a process is killed at any time. */
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

/** When a process started, as text; '' where the system does not tell. */
export function startOf(pid: number): string {
  return statOf(String(pid))?.start ?? '';
}

/** Kills what is left and removes its folders, once. Returns what may still be there. */
export function removeOnce(leftovers: readonly Leftover[]): Leftover[] {
  const running = runningProcesses();
  return leftovers.filter((leftover) => {
    if (leftover.kind !== 'folder') return killAll(processesOf(leftover, running));
    const isUsed = killAll(usersOf(leftover.path, running));
    try {
      rmSync(leftover.path, { recursive: true, force: true });
    } catch {
      // A process that is about to end wrote another file.
      return true;
    }
    return isUsed;
  });
}

/** Kills every process of the session that `pid` leads, where the system lists processes, or else its process group. */
export function killSession(pid: number): void {
  killAll(processesOf({ kind: 'session', pid, start: startOf(pid) }, runningProcesses()));
}

function processesOf(
  { kind, pid, start }: Exclude<Leftover, { readonly kind: 'folder' }>,
  running: readonly RunningProcess[],
): number[] {
  // Elsewhere than on Linux: the group.
  if (running.length === 0) return [kind === 'session' ? -pid : pid];
  const leader = running.find((one) => one.pid === pid);
  if (leader && start !== '' && leader.start !== start) return [];
  if (kind === 'process') return leader ? [pid] : [];
  return running.filter(({ session }) => session === pid).map((one) => one.pid);
}

/**
 * Processes that have the path in their environment, and with the leader of a session the rest of it: browsers change their helpers'
 * environment.
 */
function usersOf(path: string, running: readonly RunningProcess[]): number[] {
  const users = new Set(running.filter(({ pid }) => environmentOf(pid).includes(path)).map(({ pid }) => pid));
  return running.filter(({ pid, session }) => users.has(pid) || users.has(session)).map(({ pid }) => pid);
}

/** Whether there was any to kill. */
function killAll(pids: readonly number[]): boolean {
  const killed = pids.map((pid) => {
    try {
      process.kill(pid, 'SIGKILL');
      return true;
    } catch {
      // It has ended.
      return false;
    }
  });
  return killed.includes(true);
}

/** Empty where the system has no /proc. A process that has ended, and waits for its parent to notice, counts as gone. */
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
    // The program's name, in parentheses, may hold anything.
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
    // It has ended, or belongs to somebody else.
    return '';
  }
}
