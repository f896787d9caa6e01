// The base of all objects of a device. Objects refer to a device through this interface, because
// import cycles are forbidden.

import type { FakeError } from './errors.ts';
import type { Limits } from './limits.ts';
import type { Timeline } from './timeline.ts';

/** The parts of a device that its objects use. */
export interface Owner {
  readonly values: Limits;
  readonly timeline: Timeline;
  readonly enabled: ReadonlySet<string>;
  readonly subgroupSize: number;
  readonly maxSteps: number;
  readonly isLost: boolean;
  report(error: FakeError): void;
  /** Allocates bytes of the device's memory. Returns false if there is not enough memory. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** Loses the device. */
  lose(message: string): void;
  /** Returns the time of the device's clock in nanoseconds. Each call advances the clock. */
  now(): bigint;
}

export class FakeObject {
  label: string;
  readonly owner: Owner;
  /** Whether the object is invalid. Every use of an invalid object fails. */
  readonly isInvalid: boolean;

  constructor(owner: Owner, label: string | undefined, isInvalid: boolean) {
    this.owner = owner;
    this.label = label ?? '';
    this.isInvalid = isInvalid;
  }
}

/**
 * Checks that an object from a caller is an object of the fake, and returns the object. Throws
 * TypeError for other objects, as in WebIDL.
 */
export function own<T extends object>(type: abstract new (...args: never) => T, value: unknown): T {
  if (value instanceof type) return value;
  throw new TypeError(`the value is not a ${type.name}`);
}

/** Returns the message of the first check that fails, or undefined if none fails. */
export function firstFault(checks: Iterable<readonly [holds: boolean, message: string]>): string | undefined {
  for (const [holds, message] of checks) if (!holds) return message;
  return undefined;
}
