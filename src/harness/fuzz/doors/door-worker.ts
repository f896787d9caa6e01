// Knocks at a door in a thread of its own, so that an input which never returns can be told and ended.
import { parentPort, workerData } from 'node:worker_threads';
import { type DoorName, openDoor } from './doors.ts';
import { type KnockOptions, knock } from './knock.ts';

export interface DoorWork extends Pick<KnockOptions, 'seed' | 'first' | 'count'> {
  readonly door: DoorName;
  /** The number of the input that is being taken, for whoever watches. */
  readonly current: Int32Array<SharedArrayBuffer>;
}

const { door, current, ...options }: DoorWork = workerData;
parentPort?.postMessage(knock(openDoor(door), { ...options, onInput: (index) => Atomics.store(current, 0, index) }));
