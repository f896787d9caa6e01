// Splits a validation into small pieces, so that results appear early and the validation can be
// canceled.
import { groupsFor } from '../../src/harness/suites/index.ts';
import { selectSuites } from '../../src/harness/suites/query.ts';

/**
 * Returns the queries of each piece. Suites that share kernels are in the same piece. Throws
 * `QueryError` for an invalid query.
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
