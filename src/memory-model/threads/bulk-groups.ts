// The bulk copies of a thread that are not complete, and the bulk groups that the thread waits for.

/** Reads and writes of copies, as events of the path. */
interface Copies {
  readonly reads: number;
  readonly writes: number;
}

export interface BulkGroups {
  /** The copies that belong to no group. */
  readonly open: Copies;
  /** The groups, the earliest first. */
  readonly groups: readonly Copies[];
}

const none: Copies = { reads: 0, writes: 0 };
export const noBulkGroups: BulkGroups = { open: none, groups: [] };

/** Returns the accesses that precede no event yet. */
export const pendingAccesses = ({ open, groups }: BulkGroups): number =>
  [open, ...groups].reduce((all, { reads, writes }) => all | reads | writes, 0);

/** Adds a copy with the given events. */
export const addCopy = ({ open, groups }: BulkGroups, read: number, write: number): BulkGroups => ({
  open: { reads: open.reads | (1 << read), writes: open.writes | (1 << write) },
  groups,
});

export const commitGroup = ({ open, groups }: BulkGroups): BulkGroups => ({ open: none, groups: [...groups, open] });

/**
 * Waits for all groups but the last `count`, or only until their sources have been read. Returns
 * the groups that remain, and the accesses that are complete.
 */
export function waitForGroups(
  { open, groups }: BulkGroups,
  count: number,
  onlyReads: boolean,
): { readonly rest: BulkGroups; readonly completes: number } {
  const split = Math.max(groups.length - count, 0);
  const [done, later] = [groups.slice(0, split), groups.slice(split)];
  const completes = done.reduce((all, { reads, writes }) => all | reads | (onlyReads ? 0 : writes), 0);
  const unwritten = onlyReads ? done.map(({ writes }) => ({ reads: 0, writes })) : [];
  return { rest: { open, groups: [...unwritten, ...later] }, completes };
}
