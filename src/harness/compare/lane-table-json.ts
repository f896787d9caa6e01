// Reads the lanes of failed cases from a JSON document. Ignores entries that are not valid
// `CaseLanes`, because these tables are optional.
import { fieldsOf } from '../../base/json-value.ts';
import type { CaseLanes, LaneOutcome, LaneRole, LaneRow, LaneVerdict } from './lane-table.ts';

const roles: readonly LaneRole[] = ['executes', 'idle', 'exited', 'absent'];
const verdicts: readonly LaneVerdict[] = ['agrees', 'differs', 'undefined'];

/** Reads `lanes` of a result. Returns an empty list if the document has none. */
export function caseLanesOf(value: unknown): CaseLanes[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => {
    const { case: query, instruction, block, warp, lanes } = fieldsOf(item);
    if (typeof query !== 'string' || !Array.isArray(lanes)) return [];
    return [
      {
        case: query,
        instruction: typeof instruction === 'string' ? instruction : '',
        block: typeof block === 'number' ? block : 0,
        warp: typeof warp === 'number' ? warp : 0,
        lanes: lanes.flatMap(laneRowOf),
      },
    ];
  });
}

function laneRowOf(value: unknown): LaneRow[] {
  const { lane, role, member, operands, results } = fieldsOf(value);
  const known = roles.find((name) => name === role);
  if (typeof lane !== 'number' || known === undefined) return [];
  const texts = Object.entries(fieldsOf(operands)).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, text] as const] : [],
  );
  const outcomes = Object.entries(fieldsOf(results)).flatMap(([name, outcome]) =>
    outcomeOf(outcome).map((known) => [name, known] as const),
  );
  return [
    {
      lane,
      role: known,
      ...(typeof member === 'boolean' ? { member } : {}),
      operands: Object.fromEntries(texts),
      results: Object.fromEntries(outcomes),
    },
  ];
}

function outcomeOf(value: unknown): LaneOutcome[] {
  const { expected, got, verdict } = fieldsOf(value);
  const known = verdicts.find((name) => name === verdict);
  if (typeof expected !== 'string' || typeof got !== 'string' || known === undefined) return [];
  return [{ expected, got, verdict: known }];
}
