// Reads the observed values of undefined lanes from a JSON document. Ignores invalid entries,
// because these values are optional.

import { fieldsOf } from '../../base/json-value.ts';
import { undefinedCauses } from '../suites/types.ts';
import { type Observed, type ObservedCounter, observedKinds } from './observed.ts';

/** Reads `observed` of a result. Returns an empty record if the document has none. */
export function observedOf(value: unknown): Observed {
  const causes = fieldsOf(value);
  const observed: ObservedCounter = {};
  for (const cause of undefinedCauses) {
    const counts = fieldsOf(causes[cause]);
    const known = observedKinds.flatMap((kind) => {
      const count = counts[kind];
      return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? [[kind, count] as const] : [];
    });
    if (known.length > 0) observed[cause] = Object.fromEntries(known);
  }
  return observed;
}
