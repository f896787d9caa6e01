// Reads what undefined lanes held back from a JSON document. What is not as `Observed` has it is left out: it is an extra.

import { fieldsOf } from '../../base/json-value.ts';
import { undefinedCauses } from '../suites/types.ts';
import { type Observed, type ObservedCounter, observedKinds } from './observed.ts';

/** `observed` of a result; empty for a document that has none. */
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
