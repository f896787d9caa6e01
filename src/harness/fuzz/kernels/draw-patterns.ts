// Draws idioms of compilers that translators are likely to get wrong: addresses from memory and
// structs, and fields of words whose other bits are undefined.
import type { Random } from '../../suites/random.ts';
import type { Dialect } from './dialects.ts';
import { fieldTemplates } from './field-templates.ts';
import type { LaneTemplate } from './lane-template.ts';
import { pointerTemplates } from './pointer-templates.ts';
import type { LaneStatement, Statement } from './tree.ts';

export const patternTemplates: readonly LaneTemplate[] = [...pointerTemplates, ...fieldTemplates];

export function patternStatement(rng: Random, template: LaneTemplate): LaneStatement {
  return {
    kind: 'lane',
    template,
    results: template.results.map(() => rng.below(64)),
    sources: template.sources.map(() => ({ register: rng.below(64) })),
    ...(rng.chance(0.2) ? { guard: { register: rng.below(64), negated: rng.chance(0.3) } } : {}),
  };
}

/** Inserts a statement at any place of a list or of a nested list. */
function insert(rng: Random, list: readonly Statement[], statement: Statement): readonly Statement[] {
  const at = rng.below(list.length + 1);
  const there = list[at];
  const inside = there && rng.chance(0.6) ? insertInside(rng, there, statement) : undefined;
  return inside === undefined ? list.toSpliced(at, 0, statement) : list.with(at, inside);
}

function insertInside(rng: Random, outer: Statement, statement: Statement): Statement | undefined {
  switch (outer.kind) {
    case 'if':
    case 'loop':
    case 'groups':
      return { ...outer, body: insert(rng, outer.body, statement) };
    case 'tangle':
      return { ...outer, first: insert(rng, outer.first, statement) };
    case 'switch':
      return { ...outer, cases: outer.cases.map((list, index) => (index === 0 ? insert(rng, list, statement) : list)) };
    default:
      return undefined;
  }
}

const families = [...new Set(patternTemplates.map(({ family }) => family))];

/**
 * Adds these idioms to some kernels, between statements. They have a separate random stream, so
 * that the other parts of kernels do not change.
 */
export function withPatterns(rng: Random, dialect: Dialect, body: readonly Statement[]): readonly Statement[] {
  if (!rng.chance(0.2)) return body;
  let longer = body;
  for (let count = 1 + rng.below(4); count > 0; count--) {
    const family = families[rng.below(families.length)];
    const possible = patternTemplates.filter((each) => each.family === family && each.dialects.includes(dialect));
    const template = possible[rng.below(possible.length)];
    if (template === undefined) continue;
    longer = insert(rng, longer, patternStatement(rng, template));
  }
  return longer;
}
