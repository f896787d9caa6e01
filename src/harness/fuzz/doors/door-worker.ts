// Runs a door in a thread of its own, so the main thread can detect and end an input that never
// returns.
import { parentPort, workerData } from 'node:worker_threads';
import { type DoorName, openDoor } from './doors.ts';
import { type KnockOptions, knock } from './knock.ts';

export interface DoorWork extends Pick<KnockOptions, 'seed' | 'first' | 'count'> {
  readonly door: DoorName;
  /** The number of the current input, for the watching thread. */
  readonly current: Int32Array<SharedArrayBuffer>;
}

const { door, current, ...options }: DoorWork = workerData;
parentPort?.postMessage(knock(openDoor(door), { ...options, onInput: (index) => Atomics.store(current, 0, index) }));
