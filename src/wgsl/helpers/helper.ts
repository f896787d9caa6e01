// The type of a helper: a function of the prelude.

export interface Helper {
  /** The WGSL function, with a comment above it. */
  readonly code: string;
  /** The names of the helpers that this helper calls. */
  readonly uses?: readonly string[];
}

/** Keeps each helper's name as a literal type. */
export function helperTable<const Table extends Readonly<Record<string, Helper>>>(table: Table): Table {
  return table;
}
