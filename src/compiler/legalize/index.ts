// Turns what WGSL lacks into what it has, a family at a time. Memory comes before (resolve-memory and memory.ts): its accesses are of words here. After this
// there are only i1, i32 and f32, and only operations that ir/legal.ts lets be.
import type { FloatProfile } from '../../base/float-profile.ts';
import type { Builder } from '../ir/builder.ts';
import type { Func, Program } from '../ir/nodes.ts';
import { cleanUp } from '../passes/clean-up.ts';
import { legalizeFloats } from './floats.ts';
import { legalizeWide } from './i64.ts';
import { legalizeShifts, type MaxOf } from './shifts.ts';
import { legalizeSmallIntegers } from './small-integers.ts';

export interface LegalizeOptions {
  readonly float: FloatProfile;
  /// What is known of the values of a function; asked for shift amounts, once all integers are words.
  readonly rangesOf?: (func: Func) => MaxOf;
}

export function legalize(program: Program, builder: Builder, { float, rangesOf }: LegalizeOptions): Program {
  let current = legalizeFloats(program, builder, float);
  current = legalizeSmallIntegers(current, builder);
  current = legalizeWide(current, builder);
  // High words that nobody reads go first.
  for (const func of funcsOf(current)) cleanUp(func, builder);
  current = legalizeShifts(current, builder, rangesOf);
  for (const func of funcsOf(current)) cleanUp(func, builder);
  return current;
}

const funcsOf = ({ functions, kernel }: Program): readonly Func[] => [...functions, kernel];
