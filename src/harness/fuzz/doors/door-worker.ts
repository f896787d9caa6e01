// Runs a door in a separate thread, so that the main thread can detect and end an input that never
// returns.
import { parentPort, workerData } from 'node:worker_threads';
import { type DoorName, openDoor } from './doors.ts';
import { type KnockOptions, knock } from './knock.ts';

export interface DoorWork extends Pick<KnockOptions, 'seed' | 'first' | 'count'> {
  readonly door: DoorName;
  /** The number of the current input. The thread that watches for hanging inputs reads it. */
  readonly current: Int32Array<SharedArrayBuffer>;
}

const { door, current, ...options }: DoorWork = workerData;
parentPort?.postMessage(knock(openDoor(door), { ...options, onInput: (index) => Atomics.store(current, 0, index) }));
