// Compares the results of a translated instruction with those of the reference.
import {
  type ApproximateRowName,
  approximate,
  type Bits,
  isAllowedResult,
  laneFunctions,
} from '../../src/cpu-ref/index.ts';
import type { LaneRowName } from '../../src/isa/index.ts';
import { isKnown, type LaneCase } from './kernel.ts';
import type { Variant } from './variants.ts';

/** Describes the first difference of a case. Returns undefined if all vectors agree. */
export function firstDifference(laneCase: LaneCase, results: readonly (readonly Bits[])[]): string | undefined {
  const { variant, presentation, vectors } = laneCase;
  for (const [row, sources] of vectors.entries()) {
    const effective = effectiveSources(laneCase, sources);
    const expected = laneFunctions[variant.row](variant.mods, effective);
    const got = results[row] ?? [];
    for (const [i, result] of variant.results.entries()) {
      const [want = 0, have = 0] = [expected[i], got[i]];
      if (isRight(variant, effective, want, have)) continue;
      const operands = effective.map(hex).join(', ');
      return `${variant.label}, ${presentation}: ${result.name} of (${operands}) is ${hex(have)}, not ${hex(want)}`;
    }
  }
  return undefined;
}

/** Returns the operands of a vector. Constants have the values of the first vector. */
function effectiveSources(laneCase: LaneCase, sources: readonly Bits[]): Bits[] {
  return sources.map((value, i) => (isKnown(laneCase, i) ? (laneCase.vectors[0]?.[i] ?? value) : value));
}

function isRight({ row, mods }: Variant, sources: readonly Bits[], want: Bits, have: Bits): boolean {
  if (want === have) return true;
  return typeof have === 'number' && isApproximate(row) && isAllowedResult(row, mods, sources, have);
}

function isApproximate(row: LaneRowName): row is ApproximateRowName {
  return row in approximate;
}

function hex(value: Bits): string {
  return `0x${value.toString(16)}`;
}
