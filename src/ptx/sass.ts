import type { Cursor } from './cursor.ts';
import type { Reporter } from './reporter.ts';
import type { RawStatement } from './syntax.ts';
export function parseSass(_cursor: Cursor, _reporter: Reporter): readonly RawStatement[] {
  return [];
}
