// Tables in columns for a terminal.
import type { Colors } from './text.ts';

/** Returns a table with headings, in columns. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], colors: Colors): string {
  const widths = head.map((heading, column) =>
    // A message in place of rates may be long, so rows with only three cells do not affect the
    // widths.
    Math.max(heading.length, ...rows.map((row) => (row.length > 3 ? (row[column]?.length ?? 0) : 0))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        const last = column === cells.length - 1 && column > 3;
        return column < 2 || last ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  return [colors.bold(line(head)), ...rows.map(line)].join('\n');
}
