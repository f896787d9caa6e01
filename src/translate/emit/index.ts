// Chooses how a kernel is written, and writes it: once to learn what its code needs, once more knowing it.

import { workgroupSize } from '../../base/lane-plan.ts';
import { helpers } from '../../wgsl/helpers.ts';
import { Names } from '../../wgsl/names.ts';
import { bindingsFor, findBuffers } from '../find-buffers.ts';
import type { TranslateOptions } from '../index.ts';
import { isBlockBarrier, isCollective, type Kernel } from '../ir.ts';
import { accessWords, addressOperand, type Granule, needsAtomics } from '../memory-access.ts';
import type { WgslProgram } from '../program.ts';
import { structure, type Tree } from '../structure.ts';
import { tidyTree } from '../tidy-tree.ts';
import { analyzeUniformity, type Uniformity } from '../uniformity.ts';
import { isWholeBarrier } from './barrier.ts';
import { DispatchEmitter } from './dispatch.ts';
import { emitInstruction } from './lane.ts';
import { TreeEmitter } from './lane-tree.ts';
import { joinNeeds, noNeeds, type StraightNeeds, sameNeeds } from './live-mask.ts';
import { assemble } from './program-text.ts';
import { Scope, type ScopeOptions, type Storage } from './scope.ts';
import { emitTrap } from './status.ts';
import { StraightEmitter } from './straight.ts';

/// Names that main and the warp helpers use beside those of registers.
const ownNames = [
  ...Object.keys(helpers),
  ...[
    'warp',
    'lane',
    'tid',
    'thread',
    'ctaid',
    'nctaid',
    'subgroup',
    'subgroup_lane',
    'warp_in_subgroup',
    'workgroup',
    'workgroups',
    'block_number',
  ],
  ...[
    'params',
    'Params',
    'heap',
    'status',
    'live',
    'pc',
    'wait',
    'executed',
    's',
    'clock',
    'never',
    'exit_to',
    'state',
  ],
  ...[
    'load_generic',
    'store_generic',
    'any_in_block',
    'block_flag',
    'barrier_count',
    'barriers',
    'Barrier',
    'block_state',
    'threads_alive',
  ],
  ...[
    'threads_released',
    'waiting_here',
    'wanted_here',
    'votes',
    'alive_now',
    'waiting_there',
    'wanted_there',
    'done',
    'id',
    'was_live',
    'taken',
  ],
  ...[
    'subgroup_count',
    'warp_ballot',
    'warp_shuffle',
    'warp_add',
    'warp_min_u32',
    'warp_max_u32',
    'warp_min_s32',
    'warp_max_s32',
    'warp_and',
    'warp_or',
    'warp_xor',
  ],
];

/// Dawn takes 127 statements inside each other, where a construct and its `{ }` count apart.
const deepestWgsl = 56;

export function emitProgram(kernel: Kernel, options: TranslateOptions): WgslProgram {
  const { plan, block } = options;
  const instructions = kernel.blocks.flatMap(({ code }) => code);
  const threads = block[0] * block[1] * block[2];
  const usesWarps = instructions.some((instruction) => instruction.row.kind === 'warp');
  const mapping = usesWarps || threads > (options.maxInvocations ?? 1024) ? 'warps' : 'threads';
  const slots = mapping === 'warps' ? plan.slots : 1;
  const { layout } = kernel;
  const buffers = findBuffers(kernel.blocks, kernel.params, bindingsFor(options.maxStorageBuffers));
  const atomics = new Set<string>();
  const written = new Set<string>();
  const read = new Set<string>();
  let heapWritten = false;
  const granules = new Map<string, Granule>();
  for (const instruction of instructions) {
    const address = addressOperand(instruction);
    if (address === undefined || address.place) continue;
    const target = buffers.targetOf(instruction, address);
    const isLoad = instruction.row.name.startsWith('ld');
    if (target === 'heap' || target === 'generic') {
      if (needsAtomics(instruction)) atomics.add('heap');
      if (!isLoad) heapWritten = true;
    } else if (typeof target !== 'string') {
      const { buffer } = target;
      if (needsAtomics(instruction)) atomics.add(buffer);
      (isLoad ? read : written).add(buffer);
      const words = accessWords(instruction);
      if (words > (granules.get(buffer) ?? 1)) granules.set(buffer, words);
    }
  }
  const uniformity = analyzeUniformity(kernel, block);
  const structured = structure(kernel.blocks);
  const tree = structured && tidyTree(structured);
  let reason =
    tree === undefined
      ? 'its control flow is irreducible or nests too deeply'
      : obstacleOf(kernel, tree, uniformity, threads);
  const hasCollectives = instructions.some(isCollective);
  let mode: WgslProgram['mode'] =
    reason !== undefined || tree === undefined
      ? 'dispatch'
      : hasCollectives || mapping === 'warps'
        ? 'straight'
        : 'threads';

  const scopeOptions = (): ScopeOptions => {
    const names = new Names(ownNames);
    for (const param of kernel.params) names.of(buffers.bound.has(param.name) ? `=${param.name}` : `.${param.name}`);
    for (const { key, name } of layout.arrays) names.of(`@${key}`, name);
    return {
      source: kernel.source,
      plan,
      float: options.float,
      block,
      names,
      layout,
      buffers,
      params: kernel.params,
      mapping,
      slots,
      atomics,
      granules,
      exchangesInBuffers: heapWritten || [...read].some((buffer) => written.has(buffer)),
    };
  };
  let needs: StraightNeeds = { ...noNeeds, masked: plan.kind === 'wide' && !allReal(kernel, uniformity) };
  const write = (storage: (register: string) => Storage): Scope => {
    const scope = new Scope(scopeOptions(), storage);
    if (mode === 'dispatch') {
      new DispatchEmitter(scope, kernel).emit();
    } else if (mode === 'straight' && tree) {
      const partial = mapping === 'warps' && (threads % 32 !== 0 || threads % Math.max(plan.subgroupSize, 32) !== 0);
      const emitter = new StraightEmitter(scope, kernel, uniformity, needs);
      emitter.emit(tree, partial);
      needs = joinNeeds(needs, emitter.mask.found);
    } else if (tree) {
      writeThreads(scope, kernel, tree);
    }
    return scope;
  };
  // Needs only grow: no lane leaves, some leave, some come back.
  let draft: Scope;
  let before: StraightNeeds;
  do {
    before = needs;
    draft = write(() => 'slots');
  } while (!sameNeeds(needs, before));
  if (mode !== 'dispatch' && draft.out.deepest > deepestWgsl) {
    mode = 'dispatch';
    reason = 'it nests too deeply';
    draft = write(() => 'slots');
  }
  const local = draft.localRegisters();
  const scope = write((register) => (local.has(register) ? 'let' : 'slots'));
  return assemble({
    scope,
    kernel: kernel.name,
    mode,
    reason,
    workgroupSize: mapping === 'warps' ? workgroupSize(plan, threads) : threads,
    written,
    foldedGrid: foldedGrid(options),
  });
}

function foldedGrid({ grid, maxWorkgroups = 65535 }: TranslateOptions): WgslProgram['foldedGrid'] {
  return grid?.some((size) => size > maxWorkgroups) ? grid : undefined;
}

/// Whether every branch is one that all lanes of a wide subgroup take alike.
function allReal(kernel: Kernel, uniformity: Uniformity): boolean {
  return kernel.blocks.every(({ end }) => end.kind !== 'branch' || uniformity.level(end.guard.register.name) >= 2);
}

function obstacleOf(
  kernel: Kernel,
  tree: readonly Tree[],
  uniformity: Uniformity,
  threads: number,
): string | undefined {
  if (uniformity.obstacle) return uniformity.obstacle;
  const barrier = kernel.blocks
    .flatMap(({ code }) => code)
    .find((instruction) => isBlockBarrier(instruction) && !isWholeBarrier(instruction, threads));
  if (barrier) return `${barrier.row.name} of part of the block`;
  return tree.some((item) => switchesAroundCollectives(kernel, item))
    ? 'a brx.idx around a warp instruction'
    : undefined;
}

function switchesAroundCollectives(kernel: Kernel, tree: Tree, inside = false): boolean {
  const any = (list: readonly Tree[], within: boolean) =>
    list.some((item) => switchesAroundCollectives(kernel, item, within));
  switch (tree.kind) {
    case 'code':
      return inside && (kernel.blocks[tree.block]?.code.some(isCollective) ?? false);
    case 'switch':
      return tree.arms.some((arm) => any(arm.body, true));
    case 'if':
      return any(tree.then, inside) || any(tree.else, inside);
    case 'loop':
    case 'block':
      return any(tree.body, inside);
    default:
      return false;
  }
}

/// A kernel without collectives: each thread is an invocation that may return.
function writeThreads(scope: Scope, kernel: Kernel, tree: readonly Tree[]): void {
  const emitter = new TreeEmitter(scope, {
    blockCode: (block) => kernel.blocks[block]?.code ?? [],
    instructions: (code) => {
      for (const instruction of code) emitInstruction(scope, instruction);
    },
    exit: () => scope.out.line('return;'),
    trap: () => {
      emitTrap(scope);
      scope.out.line('return;');
    },
    leave: () => undefined,
  });
  emitter.list(dropLastExit(tree));
}

/// `exit` at the very end says nothing.
function dropLastExit(list: readonly Tree[]): readonly Tree[] {
  const last = list[list.length - 1];
  if (last?.kind === 'exit') return dropLastExit(list.slice(0, -1));
  if (last?.kind !== 'if') return list;
  return [...list.slice(0, -1), { ...last, then: dropLastExit(last.then), else: dropLastExit(last.else) }];
}
