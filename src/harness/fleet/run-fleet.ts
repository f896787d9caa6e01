// Distributes work over a fleet. Every machine does every piece, in any of its free sessions. If a
// session is lost or hangs, its piece moves to another session. Sessions may open late.

import { messageOf } from '../../runtime/device/gpu-error.ts';
import type { KernelExecutor } from '../executors/executor.ts';

/** The part of an executor that the fleet itself uses. */
type Session = Pick<KernelExecutor, 'describe' | 'close'>;

/** A unit of work for one session. */
export interface Piece<Outcome, Executor extends Session = KernelExecutor> {
  /** The id of the piece. It is unique, and the same in every run of the same work. */
  readonly id: string;
  run(executor: Executor, machine: string): Promise<Outcome>;
  /**
   * Returns the reason why the session did not finish the piece, so that another session can try
   * it. Returns undefined if the session finished the piece.
   */
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
  /** Whether the machine finished the piece in an earlier run. */
  readonly isDone: (machine: string, piece: string) => boolean;
  /** The time in milliseconds after which a machine without an open session is given up. */
  readonly waitMs: number;
  /** Whether the machines work one after the other. */
  readonly inTurn?: boolean;
  /** The delay between two attempts to open a session, in milliseconds. */
  readonly retryMs?: number;
  readonly onOpened?: (machine: string, executor: Executor) => void;
  /**
   * Called once for each machine and piece: when a session has finished the piece, or when a second
   * session has failed to finish it.
   */
  readonly onPiece: (machine: string, piece: string, outcome: Outcome) => void;
  /**
   * Receives a message if a session does not open, or if it is lost and its piece moves to another
   * session.
   */
  readonly onTrouble?: (machine: string, message: string) => void;
}

/** The outcome of a machine. */
export interface MachineEnd {
  readonly machine: string;
  /** The unfinished pieces of a machine that was given up; empty if all are finished. */
  readonly left: readonly string[];
  readonly reason: string;
}

/**
 * The number of sessions that may fail at a piece before the failure is attributed to the piece.
 */
const attemptsAtPiece = 2;
const defaultRetryMs = 3_000;

/**
 * Resolves when every machine has finished all pieces or was given up. A failed session does not
 * reject the promise.
 */
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
  /** The unfinished pieces, which are queued or in progress. */
  const left = new Set(queue.map(({ id }) => id));
  let open = 0;
  let lastOpen = performance.now();
  let reason = '';
  const isGivenUp = (): boolean => open === 0 && performance.now() - lastOpen > waitMs;

  const take = async (executor: Executor): Promise<boolean> => {
    const piece = queue.shift();
    if (!piece) {
      // Another session may still fail and return its piece to the queue.
      await pause(100);
      return true;
    }
    const outcome = await piece.run(executor, machine.name);
    const broken = piece.brokenBy(outcome);
    const attempt = (attempts.get(piece.id) ?? 0) + 1;
    attempts.set(piece.id, attempt);
    if (broken !== undefined && attempt < attemptsAtPiece) {
      queue.push(piece);
      options.onTrouble?.(machine.name, `${piece.id} moves to another session: ${broken}`);
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
