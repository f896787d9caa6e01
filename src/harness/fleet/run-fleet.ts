// Work on a fleet: every machine does every piece, whichever of its sessions is free. What a lost or hung session had goes to another;
// sessions that come late join in.

import { messageOf } from '../../runtime/device/gpu-error.ts';
import type { KernelExecutor } from '../executors/executor.ts';

/** An executor, as far as the fleet itself is concerned. */
type Session = Pick<KernelExecutor, 'describe' | 'close'>;

/** A part of the work that a session does at one go. */
export interface Piece<Outcome, Executor extends Session = KernelExecutor> {
  /** Unique, and the same in every run of the same work. */
  readonly id: string;
  run(executor: Executor, machine: string): Promise<Outcome>;
  /** Why the session did not get through it, if it did not: another may. */
  brokenBy(outcome: Outcome): string | undefined;
}

export interface FleetRunMachine<Executor extends Session = KernelExecutor> {
  readonly name: string;
  readonly sessions: number;
  open(): Promise<Executor>;
}

export interface FleetOptions<Outcome, Executor extends Session = KernelExecutor> {
  readonly machines: readonly FleetRunMachine<Executor>[];
  readonly pieces: readonly Piece<Outcome, Executor>[];
  /** Pieces that a machine has done before. */
  readonly isDone: (machine: string, piece: string) => boolean;
  /** A machine on which no session is open for so long is given up; milliseconds. */
  readonly waitMs: number;
  /** One machine after the other. */
  readonly inTurn?: boolean;
  /** Between two attempts to open a session, milliseconds. */
  readonly retryMs?: number;
  readonly onOpened?: (machine: string, executor: Executor) => void;
  /** Called once a machine and piece: at the end, or after the second session that did not get through it. */
  readonly onPiece: (machine: string, piece: string, outcome: Outcome) => void;
  /** A session did not open, or was lost with a piece that another one takes. */
  readonly onTrouble?: (machine: string, message: string) => void;
}

/** What became of a machine. */
export interface MachineEnd {
  readonly machine: string;
  /** Pieces that it did not do, and why it was given up; none where all is done. */
  readonly left: readonly string[];
  readonly reason: string;
}

/** Sessions that may fail at a piece before it counts as the piece's failure. */
const attemptsAtPiece = 2;
const defaultRetryMs = 3_000;

/** Resolves when every machine has done all pieces, or was given up. Never rejects for what a session does. */
export async function runFleet<Outcome, Executor extends Session>(
  options: FleetOptions<Outcome, Executor>,
): Promise<MachineEnd[]> {
  const { machines, inTurn = false } = options;
  if (!inTurn) return await Promise.all(machines.map((machine) => runMachine(machine, options)));
  const ends: MachineEnd[] = [];
  for (const machine of machines) ends.push(await runMachine(machine, options));
  return ends;
}

async function runMachine<Outcome, Executor extends Session>(
  machine: FleetRunMachine<Executor>,
  options: FleetOptions<Outcome, Executor>,
): Promise<MachineEnd> {
  const { isDone, waitMs, retryMs = defaultRetryMs } = options;
  const queue = options.pieces.filter(({ id }) => !isDone(machine.name, id));
  const attempts = new Map<string, number>();
  /** Pieces that are not done: in the queue, or under way. */
  const left = new Set(queue.map(({ id }) => id));
  let open = 0;
  let lastOpen = performance.now();
  let reason = '';
  const isGivenUp = (): boolean => open === 0 && performance.now() - lastOpen > waitMs;

  const take = async (executor: Executor): Promise<boolean> => {
    const piece = queue.shift();
    if (!piece) {
      // Another session may yet fail at what it has.
      await pause(100);
      return true;
    }
    const outcome = await piece.run(executor, machine.name);
    const broken = piece.brokenBy(outcome);
    const attempt = (attempts.get(piece.id) ?? 0) + 1;
    attempts.set(piece.id, attempt);
    if (broken !== undefined && attempt < attemptsAtPiece) {
      queue.push(piece);
      options.onTrouble?.(machine.name, `${piece.id} goes to another session: ${broken}`);
    } else {
      left.delete(piece.id);
      options.onPiece(machine.name, piece.id, outcome);
    }
    return broken === undefined;
  };

  const session = async (): Promise<void> => {
    while (left.size > 0 && !isGivenUp()) {
      let executor: Executor;
      try {
        executor = await machine.open();
      } catch (error) {
        reason = messageOf(error);
        options.onTrouble?.(machine.name, `no session: ${reason.split('\n')[0]}`);
        await pause(retryMs);
        continue;
      }
      open++;
      options.onOpened?.(machine.name, executor);
      try {
        while (left.size > 0 && (await take(executor)));
      } finally {
        open--;
        lastOpen = performance.now();
        await executor.close();
      }
    }
  };

  await Promise.all(Array.from({ length: Math.min(machine.sessions, queue.length) }, session));
  return { machine: machine.name, left: [...left], reason: left.size > 0 ? reason : '' };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
