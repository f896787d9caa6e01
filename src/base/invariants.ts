// Accessors for values that must exist. With a default instead, an error in the compiler would
// cause a wrong result in a lane.

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The last line of the report of an internal error. */
export const reportRequest =
  '  = this is a bug in Lanewise, not in the PTX: please open an issue with the PTX file and the command line';

/**
 * Thrown if an invariant does not hold, which is an error in this program, whatever the PTX is.
 * `message` describes the expectation.
 */
export class InternalError extends Error {
  /** The PTX range of the instruction that was being processed. */
  readonly span: Span | undefined;

  constructor(message: string, { span, cause }: { readonly span?: Span | undefined; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'InternalError';
    this.span = span;
  }
}

/**
 * Throws an error for a missing value. Write `found ?? missing('the home of a value', value)`. This
 * has no cost if the value exists, so it can be used in hot loops.
 */
export function missing(what: string, key?: unknown): never {
  throw new InternalError(`${what} is missing${key === undefined ? '' : `: ${nameOf(key)}`}`);
}

/** Returns an element that must exist. */
export function at<T extends object | string | number | bigint | boolean>(
  list: ArrayLike<T>,
  index: number,
  what: string,
): T {
  return list[index] ?? missing(what, `${index} of ${list.length}`);
}

/** Returns the value of a key that must exist. */
export function get<K, V>(map: { get(key: K): V | undefined }, key: K, what: string): V {
  return map.get(key) ?? missing(what, key);
}

/** Returns the only element of a list that must have exactly one. */
export function only<T extends object | string | number | bigint | boolean>(list: readonly T[], what: string): T {
  if (list.length !== 1) throw new InternalError(`${what}: expected exactly one, got ${list.length}`);
  return at(list, 0, what);
}

/** Throws an error in a case that the types exclude. */
export function unreachable(value: never, what: string): never {
  throw new InternalError(`unknown ${what}: ${nameOf(value)}`);
}

/**
 * Returns a text for a key: a number or name itself, or the number of a value, block or
 * instruction.
 */
function nameOf(key: unknown): string {
  if (typeof key !== 'object' || key === null) return String(key);
  const name = 'name' in key ? key.name : 'id' in key ? key.id : 'op' in key ? key.op : 'kind' in key ? key.kind : '';
  return `\`${String(name)}\``;
}
