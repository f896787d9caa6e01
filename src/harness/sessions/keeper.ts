// Removes what this process started, however it ends. Signals that a process can handle are the matter of open-sessions.ts. SIGKILL, a
// crash and the kernel's out-of-memory killer leave no time for that, so a second process, the keeper, holds one end of a pipe: when this
// process has gone, the pipe ends, and the keeper kills what is left and removes its folders.
//
// The keeper waits as a shell, which takes a megabyte. Only where something is left does it become the Node program of keeper-child.ts.

import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { bundledProgram } from './dist-folder.ts';
import { type Leftover, leftoverLine, nothingLeft, startOf } from './leftovers.ts';

/** `$0` is Node, `$1` the program. The shell ignores signals that a terminal or a service manager sends to everything. */
const shellProgram = `trap '' HUP INT TERM
records=
while IFS= read -r line; do
  case $line in
    ${nothingLeft}) records= ;;
    *) records="$records
$line" ;;
  esac
done
case $records in '') exit 0 ;; esac
printf '%s\\n' "$records" | exec "$0" "$1"`;

let keeper: ChildProcess | undefined;
const kept = new Set<Leftover>();

/**
 * From now on the keeper removes the folder and kills every process that has its path in the environment. Call it before the folder is
 * made. Returns the function that takes it back.
 */
export function keepFolder(path: string): () => void {
  return keep({ kind: 'folder', path });
}

/**
 * From now on the keeper kills the process, and with `session` all processes of the session that it leads (`detached` in `spawn`).
 * Returns the function that takes it back.
 */
export function keepProcess(pid: number | undefined, kind: 'process' | 'session'): () => void {
  return pid === undefined ? () => undefined : keep({ kind, pid, start: startOf(pid) });
}

function keep(leftover: Leftover): () => void {
  // Windows has neither the shell nor sessions. There, browsers and child processes notice that their parent has gone.
  if (process.platform === 'win32') return () => undefined;
  kept.add(leftover);
  writeLine(leftoverLine('+', leftover));
  return () => {
    if (!kept.delete(leftover)) return;
    writeLine(kept.size > 0 ? leftoverLine('-', leftover) : nothingLeft);
  };
}

/** The pipe takes the line before this function returns, as long as it is not full. */
function writeLine(line: string): void {
  keeper ??= start();
  keeper.stdin?.write(`${line}\n`);
}

function start(): ChildProcess {
  const child = spawn(
    '/bin/sh',
    ['-c', shellProgram, process.execPath, bundledProgram('harness/sessions/keeper-child')],
    {
      // A session of its own: signals for this process's group do not reach it. Its folder must not keep others from being removed.
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  // Without a keeper (the system has no process left) everything still works, and SIGKILL leaves things behind.
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.once('exit', () => {
    if (keeper === child) keeper = undefined;
  });
  // This process does not wait for its keeper.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
