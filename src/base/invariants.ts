// Checked invariants. What must be there is read with these accessors: a default in its place would turn a fault of the compiler into a wrong lane.

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The last line of what is said of an internal error. */
export const reportRequest =
  '  = this is a fault of Lanewise, not of the PTX: please open an issue with the PTX file and the command line';

/** An invariant of this program is broken: a bug of its own, whatever the PTX is. `message` says what was expected. */
export class InternalError extends Error {
  /** The instruction that was being processed, as offsets in the PTX. */
  readonly span: Span | undefined;

  constructor(message: string, { span, cause }: { readonly span?: Span | undefined; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'InternalError';
    this.span = span;
  }
}

/** For `found ?? missing('the home of a value', value)`: costs nothing while nothing is missing, so that hot loops use it too. */
export function missing(what: string, key?: unknown): never {
  throw new InternalError(`${what} is missing${key === undefined ? '' : `: ${nameOf(key)}`}`);
}

/** An element that must be there. */
export function at<T extends object | string | number | bigint | boolean>(
  list: ArrayLike<T>,
  index: number,
  what: string,
): T {
  return list[index] ?? missing(what, `${index} of ${list.length}`);
}

/** The value of a key that must be there. */
export function get<K, V>(map: { get(key: K): V | undefined }, key: K, what: string): V {
  return map.get(key) ?? missing(what, key);
}

/** The one element of a list that must have one. */
export function only<T extends object | string | number | bigint | boolean>(list: readonly T[], what: string): T {
  if (list.length !== 1) throw new InternalError(`${what}: one was expected, not ${list.length}`);
  return at(list, 0, what);
}

/** What the types exclude. */
export function unreachable(value: never, what: string): never {
  throw new InternalError(`${what} is not known: ${nameOf(value)}`);
}

/** Numbers and names as they are; of values, blocks and instructions their numbers. */
function nameOf(key: unknown): string {
  if (typeof key !== 'object' || key === null) return String(key);
  const name = 'name' in key ? key.name : 'id' in key ? key.id : 'op' in key ? key.op : 'kind' in key ? key.kind : '';
  return `\`${String(name)}\``;
}
