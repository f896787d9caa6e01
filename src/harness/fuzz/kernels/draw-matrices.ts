// Draws matrix instructions of whole warps.
import type { Random } from '../../suites/random.ts';
import type { Dialect } from './dialects.ts';
import { matrixTemplates } from './matrix-templates.ts';
import type { MatrixStatement, Statement } from './tree.ts';

const pick = <T>(rng: Random, list: readonly T[]): T | undefined => list[rng.below(list.length)];

function draw(rng: Random, dialect: Dialect): readonly MatrixStatement[] {
  const row = pick(rng, [...matrixTemplates.keys()]) ?? '';
  const template = pick(
    rng,
    (matrixTemplates.get(row) ?? []).filter(({ dialects }) => dialects.includes(dialect)),
  );
  if (template === undefined) return [];
  const registers = { d: rng.below(64), from: rng.below(64), step: 1 + rng.below(5) };
  return [{ kind: 'matrix', template, ...registers, ...(rng.chance(0.3) ? { subnormal: true } : {}) }];
}

/**
 * Adds matrix instructions to a few kernels, between statements. They have a random stream of their
 * own, so all other kernels stay the same.
 */
export function withMatrices(rng: Random, dialect: Dialect, body: readonly Statement[]): readonly Statement[] {
  if (!rng.chance(0.15)) return body;
  let longer = body;
  for (let count = 1 + rng.below(3); count > 0; count--) {
    longer = longer.toSpliced(rng.below(longer.length + 1), 0, ...draw(rng, dialect));
  }
  return longer;
}
