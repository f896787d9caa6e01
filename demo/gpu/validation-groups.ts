// Splits validation into small pieces, to show results early and to permit canceling.
import { groupsFor } from '../../src/harness/suites/index.ts';
import { selectSuites } from '../../src/harness/suites/query.ts';

/**
 * Returns the queries of each piece: suites that share kernels stay together. Throws `QueryError`.
 */
export function selectedGroups(queries: readonly string[]): string[][] {
  const groups = groupsFor(queries);
  const { suites: selected } = selectSuites(
    groups.flatMap(({ suites }) => suites),
    queries,
  );
  return groups.flatMap(({ suites }) => {
    const piece = suites.flatMap(({ id }) => {
      const cases = selected.get(id);
      if (cases === undefined) return [];
      return cases === 'all' ? [id] : [...cases].map((index) => `${id}#${index}`);
    });
    return piece.length === 0 ? [] : [piece];
  });
}
