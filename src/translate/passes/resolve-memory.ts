// Finds the memory that each access reaches, and its place in this memory. A pointer parameter
// whose addresses are only offset and dereferenced becomes a binding of its own, and its addresses
// start at 0. All other global memory (module variables, pointers that are compared, mixed or
// stored) shares one flat heap, in which an address is a byte offset. Variables of shared and local
// memory are arrays.

import { at, get } from '../../base/invariants.ts';
import { allOf, getOrInsert } from '../../base/maps.ts';
import { type Access, type BindingOptions, bindingsFor, findAccesses } from '../analysis/accesses.ts';
import { below, type SpecialRanges, threadRanges } from '../analysis/ranges.ts';
import type { Builder } from '../ir/builder.ts';
import type { Func, Inst, Program } from '../ir/nodes.ts';
import { arraysInWorkgroup, type MemoryPlan } from '../memory-plan.ts';
import { copyPassPart, racePart, variablePart } from '../pass-parts.ts';
import { indexAccesses } from './memory/index-accesses.ts';
import { lowerSymbols } from './memory/lower-symbols.ts';
import { planMemory } from './memory/plan-memory.ts';
import { splitArrays } from './memory/split-arrays.ts';

export interface MemoryOptions extends BindingOptions {
  /** The shape of a block, in threads. */
  readonly block: readonly [number, number, number];
  /**
   * The number of lanes of the workgroup's invocations. This includes lanes without a thread, in
   * incomplete warps and subgroups.
   */
  readonly lanes: number;
  /** The address at which the module's part of the heap begins; 0 by default. */
  readonly heapStart?: number | undefined;
  /**
   * Whether to clamp the bases of array accesses, so that the WGSL compiler does not clamp each
   * access; true by default.
   */
  readonly clampsArrayBases?: boolean;
  /** Receives the instructions that clamp the bases of array accesses. */
  readonly clamps?: Set<Inst>;
}

/**
 * Resolves the memory of all accesses, and returns the memory plan. Changes the program in place.
 * Afterwards no access has a root of kind `address`, and no operation computes addresses. Dead
 * address arithmetic remains for the clean-up.
 */
export function resolveMemory(program: Program, builder: Builder, options: MemoryOptions): MemoryPlan {
  const { heapStart = 0, clampsArrayBases = true, workgroupBytes = Number.POSITIVE_INFINITY } = options;
  const found = findAccesses(program, bindingsFor(program, options), options.heapParams);
  const { accesses, bound } = found;
  const specials = threadRanges(options.block);
  const arrays = splitArrays(program, accesses, heapStart);
  // Absent: without the part, no kernel has mbarriers.
  const split = copyPassPart.ifLoaded?.splitMbarriers(arrays, program.kernel, specials) ?? arrays;
  // Absent: without the part, no access of a kernel may be in a race.
  const toRaces = racePart.ifLoaded?.markRaces(accesses) ?? new Set();
  const planned = planMemory(program, found, split, toRaces);
  const plan =
    arraysInWorkgroup(planned) > workgroupBytes
      ? variablePart.content.placeArrays(planned, split.arrayOf, workgroupBytes)
      : planned;
  lowerSymbols(program, builder, split.layout, bound);
  const context = {
    builder,
    specials,
    dawn: dawnThreadRanges(options),
    clampsArrayBases: clampsArrayBases,
    // Absent: the caller does not need the clamps.
    clamps: options.clamps ?? new Set<Inst>(),
    granuleOf: (access: Access) => {
      const { target } = access;
      if (target.kind === 'buffer') return get(plan.buffers, target.param, 'the buffer of a parameter').granule;
      const array = split.arrayOf.get(access);
      return array === undefined ? 1 : at(plan.arrays, array, 'an array').granule;
    },
    arrayOf: (access: Access) => {
      const array = split.arrayOf.get(access);
      return array === undefined ? undefined : { array, laid: at(split.layout.arrays, array, 'an array') };
    },
  };
  const byFunc = new Map<Func, Access[]>();
  for (const access of accesses) {
    getOrInsert(byFunc, access.func, () => []).push(access);
  }
  for (const func of [program.kernel, ...program.functions]) {
    indexAccesses(func, allOf(byFunc, func), context);
  }
  return plan;
}

/**
 * Returns the ranges of thread indices as Dawn derives them. Dawn knows the number of lanes in
 * whole subgroups, and computes thread indices as quotients and remainders of the lane's number.
 */
function dawnThreadRanges({ block: [x, y, z], lanes }: MemoryOptions): SpecialRanges {
  const ranges = new Map([
    ['%tid.x', below(y * z === 1 ? lanes : x)],
    ['%tid.y', below(z === 1 ? Math.ceil(lanes / x) : y)],
    ['%tid.z', below(Math.ceil(lanes / (x * y)))],
  ]);
  return (name) => ranges.get(name);
}
