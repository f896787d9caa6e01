// The type of a helper: a function of the prelude.

export interface Helper {
  /** The text of the WGSL function, with a comment above it. */
  readonly code: string;
  /** The names of the helpers that this helper calls. */
  readonly uses?: readonly string[];
}

/** Returns the table. The type of its keys is the union of the helpers' names. */
export function helperTable<const Table extends Readonly<Record<string, Helper>>>(table: Table): Table {
  return table;
}
