// Marks accesses of several words that must be one step, because threads race for the words. PTX
// splits a vector into its elements and lets weak accesses be torn, but GPUs with CUDA access up to
// 16 bytes at once. Programs rely on it: in CUB, a status and its value are one vector.
import { type Access, type AccessInst, isWide, races, updatesApart } from '../../analysis/accesses.ts';
import type { Origin } from '../../analysis/origins.ts';

/**
 * Returns the accesses that race, and all that may reach the same objects. Two pointer parameters
 * point to different objects. Marks those of several words.
 */
export function markRaces(accesses: readonly Access[]): ReadonlySet<AccessInst> {
  const racing = accesses.filter(
    ({ inst }) => races(inst) || (inst.op === 'atomic' && isWide(inst) && !updatesApart(inst)),
  );
  if (racing.length === 0) return new Set();
  const origins = new Set<Origin>(racing.flatMap(({ points }) => [...points.origins]));
  const all = racing.some(isAnywhere);
  const found = accesses.filter(
    (access) => all || isAnywhere(access) || [...access.points.origins].some((origin) => origins.has(origin)),
  );
  for (const { inst } of found) {
    if (!isWide(inst) || inst.op === 'atomic') continue;
    if (inst.op === 'load') inst.attrs = { ...inst.attrs, whole: true };
    else inst.attrs = { ...inst.attrs, whole: true };
  }
  return new Set(found.map(({ inst }) => inst));
}

/** Whether the analysis does not know the objects that an access may reach. */
const isAnywhere = ({ points: { origins, untracked, anyVariable } }: Access): boolean =>
  untracked || anyVariable || origins.size === 0;
