// Removes everything that this process started, however this process ends. open-sessions.ts handles
// the signals that a process can catch. SIGKILL, a crash and the kernel's out-of-memory killer
// leave no time for that. So a second process, the keeper, reads a pipe. When this process has
// ended, the pipe closes, and the keeper kills the remaining processes and removes the folders.
//
// The keeper waits as a shell, which needs a megabyte. Only if something is left does the shell
// start the Node program of keeper-child.ts.

import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { bundledProgram } from './dist-folder.ts';
import { type Leftover, leftoverLine, nothingLeft, startOf } from './leftovers.ts';

/**
 * The program of the shell. `$0` is Node and `$1` is the Node program. The shell ignores signals
 * that a terminal or a service manager sends to all processes.
 */
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
 * Registers a folder. The keeper will remove the folder, and kill every process that has the
 * folder's path in its environment. Must be called before the folder is created. Returns a function
 * that unregisters the folder.
 */
export function keepFolder(path: string): () => void {
  return keep({ kind: 'folder', path });
}

/**
 * Registers a process, which the keeper will kill. With `session`, the keeper will kill all
 * processes of the session that the process leads (`detached` in `spawn`). Returns a function that
 * unregisters the process.
 */
export function keepProcess(pid: number | undefined, kind: 'process' | 'session'): () => void {
  return pid === undefined ? () => undefined : keep({ kind, pid, start: startOf(pid) });
}

function keep(leftover: Leftover): () => void {
  // Windows has neither the shell nor sessions. There, browsers and child processes notice that
  // their parent has ended.
  if (process.platform === 'win32') return () => undefined;
  kept.add(leftover);
  writeLine(leftoverLine('+', leftover));
  return () => {
    if (!kept.delete(leftover)) return;
    writeLine(kept.size > 0 ? leftoverLine('-', leftover) : nothingLeft);
  };
}

/**
 * Writes a line to the keeper. The line is in the pipe before this function returns, unless the
 * pipe is full.
 */
function writeLine(line: string): void {
  keeper ??= start();
  keeper.stdin?.write(`${line}\n`);
}

function start(): ChildProcess {
  const child = spawn(
    '/bin/sh',
    ['-c', shellProgram, process.execPath, bundledProgram('harness/sessions/keeper-child')],
    {
      // The keeper has its own session, so that signals for this process's group do not reach it.
      // Its working directory is `/`, so that it does not prevent the removal of other folders.
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  // If the keeper cannot be started because the system has no process left, everything else works,
  // but SIGKILL leaves processes and folders.
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.once('exit', () => {
    if (keeper === child) keeper = undefined;
  });
  // The keeper must not keep this process running.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
