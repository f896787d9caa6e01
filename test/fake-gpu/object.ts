// What all objects of a device have. Other objects refer to a device through this interface, as imports must not go in a circle.

import type { FakeError } from './errors.ts';
import type { Limits } from './limits.ts';
import type { Timeline } from './timeline.ts';

/** What a device is to its objects. */
export interface Owner {
  readonly values: Limits;
  readonly timeline: Timeline;
  readonly enabled: ReadonlySet<string>;
  readonly subgroupSize: number;
  readonly maxSteps: number;
  readonly isLost: boolean;
  report(error: FakeError): void;
  /** Takes so many bytes of the device's memory. False if it lacks room. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** Takes the device away. */
  lose(message: string): void;
  /** Nanoseconds of the device's clock, which each call moves on. */
  now(): bigint;
}

export class FakeObject {
  label: string;
  readonly owner: Owner;
  /** Whether making it has failed: whatever uses it fails, too. */
  readonly isInvalid: boolean;

  constructor(owner: Owner, label: string | undefined, isInvalid: boolean) {
    this.owner = owner;
    this.label = label ?? '';
    this.isInvalid = isInvalid;
  }
}

/** The fake's own object that a caller passes. Throws TypeError for another one, as WebIDL does. */
export function own<T extends object>(type: abstract new (...args: never) => T, value: unknown): T {
  if (value instanceof type) return value;
  throw new TypeError(`the value is no ${type.name}`);
}

/** The first fault of `checks`: each is a condition that must hold, with the message if it does not. */
export function firstFault(checks: Iterable<readonly [holds: boolean, message: string]>): string | undefined {
  for (const [holds, message] of checks) if (!holds) return message;
  return undefined;
}
