// Queries, which select suites: `shfl.sync`, `shfl.sync:up`, `*:*:guard`,
// `shfl.sync:up:register#17`.
import { nearestAll } from '../../ptx/index.ts';
import type { Suite } from './types.ts';

/**
 * An error for a query that is invalid or selects nothing. Its message suggests the nearest
 * queries.
 */
export class QueryError extends Error {
  /** Creates an error. */
  constructor(message: string) {
    super(message);
    this.name = 'QueryError';
  }
}

export interface Selection {
  /** The numbers of the selected cases of each suite, by the suite's id, or `all`. */
  readonly suites: ReadonlyMap<string, 'all' | ReadonlySet<number>>;
}

/**
 * Returns the suites that at least one query selects. Without queries, returns all suites. Throws
 * `QueryError` for a query that selects no suite, and suggests ids of the suites that `every`
 * returns.
 */
export function selectSuites(
  suites: readonly Suite[],
  queries: readonly string[],
  every: () => readonly Suite[],
): Selection {
  const selected = new Map<string, 'all' | Set<number>>();
  if (queries.length === 0) return { suites: new Map(suites.map(({ id }) => [id, 'all'])) };
  for (const query of queries) {
    const { text, index } = parseQuery(query);
    const pattern = idPattern(text);
    const matching = suites.filter(({ id }) => pattern.test(id));
    if (matching.length === 0) throw new QueryError(unknownQuery(query, every()));
    for (const { id } of matching) {
      const before = selected.get(id);
      if (index === undefined || before === 'all') selected.set(id, 'all');
      else selected.set(id, new Set([...(before ?? []), index]));
    }
  }
  return { suites: selected };
}

function parseQuery(query: string): { text: string; index: number | undefined } {
  const [, text = '', number] = /^([^#]*)(?:#(\d+))?$/.exec(query) ?? [];
  if (text === '')
    throw new QueryError(`invalid query '${query}': expected a form such as shfl.sync:up or shfl.sync:up:register#17`);
  return { text, index: number === undefined ? undefined : Number(number) };
}

/**
 * Returns a function that returns whether a query may select suites of a row. Throws `QueryError`
 * for an invalid query.
 */
export function mayMatchRow(queries: readonly string[]): (row: string) => boolean {
  const rows = queries.map((query) => idPattern(parseQuery(query).text.split(':', 1)[0] ?? ''));
  return (row) => rows.some((pattern) => pattern.test(row));
}

/**
 * Returns a pattern for the ids that a query such as `shfl.sync:*:guard` selects. Each part of the
 * id begins with the corresponding part of the query, and `*` matches any text within one part.
 */
export function idPattern(text: string): RegExp {
  const segments = text.split(':').map((segment) => (segment === '' ? '*' : segment));
  const source = segments.map((segment) => segment.split(/\*+/).map(escapeText).join('[^:]*')).join(':');
  return new RegExp(`^${source}(:|$)`);
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function unknownQuery(query: string, suites: readonly Suite[]): string {
  const [text = ''] = query.split('#');
  const depth = text.split(':').length;
  const names = new Set(suites.map(({ id }) => id.split(':').slice(0, depth).join(':')));
  return `no suite matches '${query}'; did you mean ${nearestAll(text, names, 3).join(', ')}?`;
}
