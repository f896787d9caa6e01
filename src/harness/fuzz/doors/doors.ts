// The doors by name.
import { caseDoor } from './case-door.ts';
import type { Door } from './door.ts';
import { mergeDoor } from './merge-door.ts';
import { ptxDoor } from './ptx-door.ts';
import { wireDoor } from './wire-door.ts';

export const doorNames = ['ptx', 'case', 'merge', 'wire'] as const;
export type DoorName = (typeof doorNames)[number];

/**
 * Each door's share of the inputs. The shares depend on the cost, because PTX needs a hundred times
 * as long as a message.
 */
export const doorShares: Readonly<Record<DoorName, number>> = { ptx: 0.03, case: 0.35, merge: 0.07, wire: 0.55 };

const makers: Readonly<Record<DoorName, () => Door>> = {
  ptx: () => ptxDoor(),
  case: () => caseDoor(),
  merge: () => mergeDoor(),
  wire: () => wireDoor(),
};

export function openDoor(name: DoorName): Door {
  return makers[name]();
}
