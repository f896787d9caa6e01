// The copies of a thread that are not complete, and the groups of copies that the thread waits for.

/** The kinds of copies: each has its own groups. */
export type CopyKind = 'async' | 'bulk';

/** Reads and writes of copies, as events of the path. */
interface Copies {
  readonly reads: number;
  readonly writes: number;
}

interface Groups {
  /** The copies that belong to no group. */
  readonly open: Copies;
  /** The groups, the earliest first. */
  readonly closed: readonly Copies[];
}

export type CopyGroups = Readonly<Record<CopyKind, Groups>>;

const none: Copies = { reads: 0, writes: 0 };
const noGroups: Groups = { open: none, closed: [] };
export const noCopies: CopyGroups = { async: noGroups, bulk: noGroups };

/** Returns the accesses that precede no event yet. */
export const pendingAccesses = ({ async, bulk }: CopyGroups): number =>
  [async, bulk]
    .flatMap(({ open, closed }) => [open, ...closed])
    .reduce((all, { reads, writes }) => all | reads | writes, 0);

/** Adds a copy with the given events. */
export function addCopy(copies: CopyGroups, kind: CopyKind, read: number, write: number): CopyGroups {
  const { open, closed } = copies[kind];
  return {
    ...copies,
    [kind]: { open: { reads: open.reads | (1 << read), writes: open.writes | (1 << write) }, closed },
  };
}

export function commitGroup(copies: CopyGroups, kind: CopyKind): CopyGroups {
  const { open, closed } = copies[kind];
  return { ...copies, [kind]: { open: none, closed: [...closed, open] } };
}

/**
 * Waits for all groups but the last `count`, or only until their sources have been read. Returns
 * the groups that remain, and the accesses that are complete.
 */
export function waitForGroups(
  copies: CopyGroups,
  kind: CopyKind,
  count: number,
  onlyReads: boolean,
): { readonly rest: CopyGroups; readonly completes: number } {
  const { open, closed } = copies[kind];
  const split = Math.max(closed.length - count, 0);
  const [done, later] = [closed.slice(0, split), closed.slice(split)];
  const completes = done.reduce((all, { reads, writes }) => all | reads | (onlyReads ? 0 : writes), 0);
  const unwritten = onlyReads ? done.map(({ writes }) => ({ reads: 0, writes })) : [];
  return { rest: { ...copies, [kind]: { open, closed: [...unwritten, ...later] } }, completes };
}
