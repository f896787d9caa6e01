// Draws matrix instructions of whole warps.
import type { MatrixMode } from '../../../base/matrix-mode.ts';
import type { Random } from '../../suites/random.ts';
import type { Dialect } from './dialects.ts';
import { matrixTemplates } from './matrix-templates.ts';
import { drawSums } from './matrix-values.ts';
import type { MatrixStatement, Statement } from './tree.ts';

const pick = <T>(rng: Random, list: readonly T[]): T | undefined => list[rng.below(list.length)];

const rows = [...matrixTemplates.keys()];
/** The names of the rows that multiply matrices. */
const products = rows.filter((name) => /^(wmma\.)?mma\./.test(name));

export interface MatrixChoice {
  readonly mode: MatrixMode;
  readonly chance: number;
  /** The names of the rows; undefined for all rows. */
  readonly rows: ReadonlySet<string> | undefined;
}

function draw(rng: Random, dialect: Dialect, { mode, rows: chosen }: MatrixChoice): readonly MatrixStatement[] {
  const isHopper = mode === 'hopper';
  const possible = isHopper && rng.chance(0.8) ? products : rows;
  const row = pick(rng, chosen === undefined ? possible : possible.filter((name) => chosen.has(name))) ?? '';
  const template = pick(
    rng,
    (matrixTemplates.get(row) ?? []).filter(({ dialects }) => dialects.includes(dialect)),
  );
  if (template === undefined) return [];
  const registers = { d: rng.below(64), from: rng.below(64), step: 1 + rng.below(5) };
  const values = isHopper ? drawSums(rng) : rng.chance(0.3) ? 'addends' : 'few';
  return [{ kind: 'matrix', template, ...registers, values }];
}

/**
 * Adds matrix instructions to some kernels, between statements. If every executor has the sums of
 * sm_90, adds them to all kernels. They have a separate random stream, so that the other parts of
 * kernels do not change.
 */
export function withMatrices(
  rng: Random,
  dialect: Dialect,
  body: readonly Statement[],
  choice: MatrixChoice,
): readonly Statement[] {
  if (!rng.chance(choice.mode === 'hopper' ? 1 : choice.chance)) return body;
  let longer = body;
  for (let count = 1 + rng.below(3); count > 0; count--) {
    longer = longer.toSpliced(rng.below(longer.length + 1), 0, ...draw(rng, dialect, choice));
  }
  return longer;
}
