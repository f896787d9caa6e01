// Splits a validation into small pieces, so that results appear early and the validation can be
// canceled.
import { groupsFor, selectFrom } from '../../src/harness/suites/index.ts';

/**
 * Returns the queries of each piece. Suites that share kernels are in the same piece. Throws
 * `QueryError` for an invalid query.
 */
export function selectedGroups(queries: readonly string[]): string[][] {
  const groups = groupsFor(queries);
  const { suites: selected } = selectFrom(groups, queries);
  return groups.flatMap(({ suites }) => {
    const piece = suites.flatMap(({ id }) => {
      const cases = selected.get(id);
      if (cases === undefined) return [];
      return cases === 'all' ? [id] : [...cases].map((index) => `${id}#${index}`);
    });
    return piece.length === 0 ? [] : [piece];
  });
}
