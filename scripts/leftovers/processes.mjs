// Finds the processes of a try: those with the try's marker in their environment, and the rest of
// their sessions, because browsers overwrite the environment of their helpers. Linux only: it reads
// /proc.

import { readdirSync, readFileSync } from 'node:fs';

export const markerName = 'LANEWISE_STRESS';

/** Returns every process of the machine, except zombies. */
function running() {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' || state === 'X' ? [] : [{ pid: Number(name), session: Number(session) }];
    } catch {
      // The process has ended.
      return [];
    }
  });
}

function textOf(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Finds the processes of one try. */
export class Watch {
  #marker;
  #sessions = new Set();
  /** The processes that the try itself starts for its own use. */
  #own = new Set();

  constructor(marker) {
    this.#marker = `${markerName}=${marker}`;
  }

  ignore(pid) {
    this.#own.add(pid);
  }

  /** Returns the try's current processes with their command lines. */
  look() {
    const all = running();
    const marked = all.filter(({ pid }) => textOf(pid, 'environ').includes(this.#marker));
    for (const { session } of marked) this.#sessions.add(session);
    const pids = new Set(marked.map(({ pid }) => pid));
    return (
      all
        .filter(({ pid, session }) => (pids.has(pid) || this.#sessions.has(session)) && !this.#own.has(pid))
        .map(({ pid }) => ({ pid, command: textOf(pid, 'cmdline').replaceAll('\0', ' ').trim() }))
        // The command line of a process that is ending is empty.
        .filter(({ command }) => command !== '')
    );
  }

  killAll() {
    for (const { pid } of this.look()) kill(pid, 'SIGKILL');
  }
}

/** Kills a process. Ignores a process that has ended. */
export function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}
