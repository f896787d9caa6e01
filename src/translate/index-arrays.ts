// Makes addresses of shared and local memory indexes into arrays. Accesses of a block whose addresses differ by constants share one base,
// computed in words, so that each is the base plus a constant; and where Dawn cannot prove that they stay inside the array, that base is
// clamped, so that Dawn need not clamp each of them.

import { type LanePlan, workgroupSize } from '../base/lane-plan.ts';
import { ArrayAccesses } from './array-accesses.ts';
import { baseOf } from './array-bases.ts';
import { findDawnRanges } from './dawn-ranges.ts';
import { findBuffers } from './find-buffers.ts';
import { isCollective, type Kernel } from './ir.ts';
import { LinearForms } from './linear-forms.ts';
import { addressOperand } from './memory-access.ts';
import { splitArrays } from './split-arrays.ts';
import { below, findRanges, type Range, threadRanges } from './value-ranges.ts';
import { writeBases } from './write-bases.ts';

export interface IndexOptions {
  readonly block: readonly [number, number, number];
  readonly sharedBytes?: number;
  readonly plan: LanePlan;
}

export function indexArrays(kernel: Kernel, options: IndexOptions): Kernel {
  // How many buffers have bindings of their own does not matter here.
  const buffers = findBuffers(kernel.blocks, kernel.params, 0);
  const { layout, arrayOf } = splitArrays(kernel, buffers, options.sharedBytes ?? 0);
  const reachesArrays = kernel.blocks.some(({ code }) =>
    code.some((instruction) => {
      const address = addressOperand(instruction);
      return address !== undefined && arrayOf(instruction, address) !== undefined;
    }),
  );
  if (!reachesArrays) return { ...kernel, layout };
  const forms = new LinearForms(kernel.blocks, layout);
  const dawn = dawnThreadRanges(options);
  const knowledge = {
    ranges: findRanges(kernel.blocks, threadRanges(options.block)),
    dawn: findDawnRanges(kernel.blocks, (name) => dawn.get(name)),
    forms,
  };
  const accesses = new ArrayAccesses(forms);
  kernel.blocks.forEach(({ code }, block) => {
    accesses.enter(block);
    code.forEach((instruction, index) => {
      // What lanes do together may stand between WGSL blocks.
      if (isCollective(instruction)) accesses.close();
      const address = addressOperand(instruction);
      const array = address && arrayOf(instruction, address);
      if (address && array) accesses.add(instruction, index, address, array);
      forms.define(instruction);
    });
  });
  const based = accesses.clusters.map((cluster) => ({ cluster, base: baseOf(cluster, knowledge) }));
  return { ...kernel, layout, blocks: writeBases(kernel.blocks, based, accesses.places, forms) };
}

/// Dawn sees the invocations of whole subgroups, and thread indexes as quotients and remainders of their number.
function dawnThreadRanges({ block: [x, y, z], plan }: IndexOptions): ReadonlyMap<string, Range> {
  const invocations = workgroupSize(plan, x * y * z) * plan.slots;
  return new Map([
    ['%tid.x', below(y * z === 1 ? invocations : x)],
    ['%tid.y', below(z === 1 ? Math.ceil(invocations / x) : y)],
    ['%tid.z', below(Math.ceil(invocations / (x * y)))],
  ]);
}
