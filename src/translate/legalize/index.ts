// Replaces operations and types that WGSL lacks, one family after the other. Memory is legalized
// earlier (resolve-memory and memory.ts), so all accesses here are to words. The resulting program
// has only i1, i32 and f32 values, and only the operations that ir/legal.ts permits.
import type { FloatProfile } from '../../base/float-profile.ts';
import { allWorkarounds, type Workarounds } from '../../base/workarounds.ts';
import type { Builder } from '../ir/builder.ts';
import type { Block, Func, Program } from '../ir/nodes.ts';
import type { Type } from '../ir/types.ts';
import { cleanUp } from '../passes/clean-up.ts';
import { removeDeadCode } from '../passes/remove-dead-code.ts';
import { legalizeFloats } from './floats/floats.ts';
import { callsJoinedBy, fmaChains, joinFmaChains } from './floats/fma-chains.ts';
import { legalizeWide } from './integers/i64.ts';
import { legalizeShifts, type MaxOf } from './integers/shifts.ts';
import { legalizeSmallIntegers } from './integers/small-integers.ts';
import { Contents } from './lowering.ts';
import { doublePart, halfPart, matrixWordPart } from './parts.ts';
import { shareSteps } from './share-steps.ts';

export interface LegalizeOptions {
  readonly float: FloatProfile;
  /** Blocks that rarely execute, so that size matters more than speed. */
  readonly rare?: ReadonlySet<Block>;
  /** Default: all workarounds. */
  readonly workarounds?: Workarounds;
  /**
   * Returns the known ranges of the values in a function. The lowering of shifts uses them, after
   * all integers have become words.
   */
  readonly rangesOf?: (func: Func) => MaxOf;
  /**
   * Whether f64 operations of a block share a check of their values, which is fast on GPUs. Drivers
   * that compile for a CPU need minutes for long blocks without branches.
   */
  readonly sharedLooks?: boolean;
  /** Whether the kernel becomes data (`passes/encode`), so that only the number of different operations matters. */
  readonly isEncoded?: boolean;
}

/**
 * Replaces everything that WGSL lacks. Modifies the program in place. Functions whose result types
 * change are replaced by new functions.
 */
export function legalize(program: Program, builder: Builder, options: LegalizeOptions): Program {
  const {
    float,
    workarounds = allWorkarounds,
    rangesOf,
    sharedLooks = false,
    rare = new Set(),
    isEncoded = false,
  } = options;
  for (const func of funcsOf(program)) matrixWordPart.ifLoaded?.hideMatrixWords(func, builder, workarounds);
  const contents = new Contents();
  // If the program has values of a family's types, the family's part of the compiler must be
  // loaded. Otherwise its operations would count as unsupported instructions of the PTX.
  const has = (type: Type): boolean => funcsOf(program).some((func) => contents.of(func).types.has(type));
  if (has('f16') || has('bf16')) {
    const { joinHalfPairs, legalizeHalf } = halfPart.content;
    if (float.packHalf === 'exact') joinHalfPairs(program, builder, contents);
    legalizeHalf(program, builder, float, contents);
  }
  const doubles = has('f64') ? doublePart.content : undefined;
  doubles?.legalizeDoubles(program, builder, contents);
  legalizeFloats(program, builder, { float, workarounds }, contents);
  legalizeSmallIntegers(program, builder, contents);
  legalizeWide(program, builder, contents);
  for (const func of funcsOf(program)) {
    // Remove unused high words first.
    if (contents.isChanged(func)) removeDeadCode(func);
    if (isEncoded) continue;
    if (sharedLooks) doubles?.guardDoubles(func, builder);
    const chains = fmaChains(func);
    if (!shareSteps(func, builder, { float, rare, joined: callsJoinedBy(chains) })) joinFmaChains(chains);
    doubles?.joinDoubleChains(func);
  }
  legalizeShifts(program, builder, workarounds, rangesOf);
  for (const func of funcsOf(program)) cleanUp(func, builder);
  return program;
}

const funcsOf = ({ functions, kernel }: Program): readonly Func[] => [...functions, kernel];
