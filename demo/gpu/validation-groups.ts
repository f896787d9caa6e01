// Validation in small pieces, so that results show as they come and a run can be stopped.
import { groupsFor } from '../../src/harness/suites/index.ts';
import { selectSuites } from '../../src/harness/suites/query.ts';

/** The queries of each piece: suites that share kernels stay together. Throws `QueryError`. */
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
