// The prelude library: WGSL functions that lowerings call. A program contains the functions that it
// uses, callees first.
import { InternalError } from '../base/invariants.ts';
import { bitHelpers } from './helpers/bits.ts';
import { divideHelpers } from './helpers/divide.ts';
import { doubleApproxHelpers } from './helpers/double-approx.ts';
import { doubleArithmeticHelpers } from './helpers/double-arithmetic.ts';
import { doubleBitHelpers } from './helpers/double-bits.ts';
import { doubleChainHelpers } from './helpers/double-chains.ts';
import { doubleConvertHelpers } from './helpers/double-convert.ts';
import { doubleDivideHelpers } from './helpers/double-divide.ts';
import { doubleOrdinaryHelpers } from './helpers/double-ordinary.ts';
import { doubleRoundHelpers } from './helpers/double-round.ts';
import { floatApproxHelpers } from './helpers/float-approx.ts';
import { floatBitHelpers } from './helpers/float-bits.ts';
import { floatChainHelpers } from './helpers/float-chains.ts';
import { floatConvertHelpers } from './helpers/float-convert.ts';
import { floatHardHelpers } from './helpers/float-hard.ts';
import { floatSizeHelpers } from './helpers/float-sizes.ts';
import { floatSoftHelpers } from './helpers/float-soft.ts';
import { halfHelpers } from './helpers/half.ts';
import { halfApproxHelpers } from './helpers/half-approx.ts';
import { halfBitHelpers } from './helpers/half-bits.ts';
import { halfSoftHelpers } from './helpers/half-soft.ts';
import type { Helper } from './helpers/helper.ts';
import { interpolatorHelpers } from './helpers/interpolator.ts';
import { lockHelpers } from './helpers/lock.ts';
import { matrixHelpers } from './helpers/matrix.ts';
import { smallFloatHelpers } from './helpers/small-float.ts';
import { tensorCoreHelpers } from './helpers/tensor-core.ts';
import { wideHelpers } from './helpers/wide.ts';
import { wordHelpers } from './helpers/word.ts';

const table = {
  ...wordHelpers,
  ...wideHelpers,
  ...lockHelpers,
  ...divideHelpers,
  ...bitHelpers,
  ...floatBitHelpers,
  ...floatSizeHelpers,
  ...floatSoftHelpers,
  ...floatHardHelpers,
  ...floatChainHelpers,
  ...floatConvertHelpers,
  ...floatApproxHelpers,
  ...interpolatorHelpers,
  ...doubleBitHelpers,
  ...doubleRoundHelpers,
  ...doubleArithmeticHelpers,
  ...doubleDivideHelpers,
  ...doubleChainHelpers,
  ...doubleOrdinaryHelpers,
  ...doubleConvertHelpers,
  ...doubleApproxHelpers,
  ...halfHelpers,
  ...halfBitHelpers,
  ...halfSoftHelpers,
  ...halfApproxHelpers,
  ...matrixHelpers,
  ...tensorCoreHelpers,
  ...smallFloatHelpers,
};

export type HelperName = keyof typeof table;

/** All helpers. A program's own names must not equal theirs. */
export const helpers: Readonly<Record<HelperName, Helper>> = table;

const byName: ReadonlyMap<string, Helper> = new Map(Object.entries(helpers));

/**
 * Returns the WGSL text of the helpers and everything that they call, callees first. Throws for an
 * unknown name in a helper's `uses`.
 */
export function renderHelpers(used: Iterable<HelperName>): string {
  const done = new Set<string>();
  const parts: string[] = [];
  const visit = (name: string): void => {
    if (done.has(name)) return;
    done.add(name);
    const helper = byName.get(name);
    if (!helper) throw new InternalError(`unknown helper ${name}`);
    // Absent: a helper without callees.
    for (const callee of helper.uses ?? []) visit(callee);
    parts.push(helper.code.trim());
  };
  for (const name of used) visit(name);
  return parts.length === 0 ? '' : `${parts.join('\n\n')}\n`;
}
