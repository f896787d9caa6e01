// Which processes belong to a try: those with its marker in their environment, and the rest of their sessions, since browsers overwrite
// the environment of their helpers. Linux only: it reads /proc.

import { readdirSync, readFileSync } from 'node:fs';

export const markerName = 'LANEWISE_STRESS';

/** Every process of the machine. One that has ended and waits for its parent to notice counts as gone. */
function running() {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' || state === 'X' ? [] : [{ pid: Number(name), session: Number(session) }];
    } catch {
      // It ended meanwhile.
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

/** Follows the processes of one try. */
export class Watch {
  #marker;
  #sessions = new Set();
  /** Processes that the try itself needs. */
  #own = new Set();

  constructor(marker) {
    this.#marker = `${markerName}=${marker}`;
  }

  ignore(pid) {
    this.#own.add(pid);
  }

  /** The try's processes as they are now, with their command lines. */
  look() {
    const all = running();
    const marked = all.filter(({ pid }) => textOf(pid, 'environ').includes(this.#marker));
    for (const { session } of marked) this.#sessions.add(session);
    const pids = new Set(marked.map(({ pid }) => pid));
    return (
      all
        .filter(({ pid, session }) => (pids.has(pid) || this.#sessions.has(session)) && !this.#own.has(pid))
        .map(({ pid }) => ({ pid, command: textOf(pid, 'cmdline').replaceAll('\0', ' ').trim() }))
        // A process that ends has no command line any more.
        .filter(({ command }) => command !== '')
    );
  }

  killAll() {
    for (const { pid } of this.look()) kill(pid, 'SIGKILL');
  }
}

/** One that has gone is no error. */
export function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone.
  }
}
