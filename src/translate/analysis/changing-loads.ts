// Finds weak loads whose results may differ between threads of a block that load from the same
// address, because another warp stores in between.
//
// Two threads that load from one address between the same two barriers of the block get the same
// value, unless a store is ordered after one load and before the other. A thread observes such an
// order by a strong read (a load that is not weak, or an atomic with a result) together with a
// fence or an acquire. It does so between the same two barriers, because a barrier makes all
// preceding stores visible to all threads. So a load is safe if the stretch between its barriers
// contains neither a strong read nor a possible store to its memory. Barriers do not synchronize
// other blocks: their stores to global memory may occur at any time.
import { at, missing } from '../../base/invariants.ts';
import { flowGraph } from '../graph/index.ts';
import { isAccess, isFence } from '../ir/access-orders.ts';
import { IdMap } from '../ir/id-map.ts';
import type { Root } from '../ir/memory.ts';
import type { Func, Inst, InstNamed, Program } from '../ir/nodes.ts';

type Load = InstNamed<'load'>;

/** Identifies memory that accesses can share: a buffer, an array, the heap, or any memory. */
type MemoryKey = string;

/** A part of the kernel that threads execute between the same two barriers of the block. */
interface Stretch {
  readsStrongly: boolean;
  readonly written: Set<MemoryKey>;
}

/** Whether an instruction waits for some threads of the block, but not for all. */
const waitsForSome = (inst: Inst): boolean => inst.op === 'barrier' && inst.attrs.kind === 'yield';

/** Whether an instruction may read a strong store of another thread. */
export function readsStrongly(inst: Inst): boolean {
  if (inst.op === 'load') return inst.attrs.order !== 'weak';
  return (inst.op === 'atomic' || inst.op === 'half' || inst.op === 'cell') && inst.results.length > 0;
}

const isBlockBarrier = (inst: Inst): boolean =>
  inst.op === 'barrier' && inst.when === undefined && inst.attrs.kind !== 'arrive' &&
  inst.attrs.kind !== 'yield' && inst.attrs.kind !== 'cluster.arrive'; // biome-ignore format: two lines

const instsOf = (func: Func): readonly Inst[] => func.blocks.flatMap(({ insts }) => insts);

const makeStretch = (): Stretch => ({ readsStrongly: false, written: new Set() });

/**
 * Returns a function that tests whether the result of a weak load may differ between threads of a
 * block. The memory of the program must be resolved. The first test analyzes the program.
 */
export function changingLoads(program: Pick<Program, 'kernel' | 'functions'>): (load: Load) => boolean {
  let found: ChangingLoads | undefined;
  return (load) => {
    found ??= new ChangingLoads(program);
    return found.has(load);
  };
}

class ChangingLoads {
  /**
   * The stretch of each load of the kernel; undefined if only barriers order the accesses of
   * threads.
   */
  private readonly stretches: IdMap<Inst, Stretch> | undefined;
  /** The accesses of device functions, which may be called in any stretch. */
  private readonly called = makeStretch();
  private readonly all = makeStretch();

  constructor({ kernel, functions }: Pick<Program, 'kernel' | 'functions'>) {
    const calledInsts = functions.flatMap(instsOf);
    const insts = [...instsOf(kernel), ...calledInsts];
    if (!insts.some((inst) => isFence(inst) || waitsForSome(inst)) || !insts.some(readsStrongly)) return;
    for (const inst of calledInsts) addTo(this.called, inst);
    for (const inst of insts) addTo(this.all, inst);
    this.stretches = stretchesOf(kernel);
  }

  has(load: Load): boolean {
    if (this.stretches === undefined) return false;
    const stretch = this.stretches.get(load) ?? this.all;
    if (!stretch.readsStrongly && !this.called.readsStrongly) return false;
    const { root } = load.attrs.place;
    const reaches = (written: ReadonlySet<MemoryKey>) => mayReach(root, written);
    // Shared memory is private to the block, so other blocks cannot store to it.
    return root.kind === 'array' ? reaches(stretch.written) || reaches(this.called.written) : reaches(this.all.written);
  }
}

function addTo(stretch: Stretch, inst: Inst): void {
  if (readsStrongly(inst)) stretch.readsStrongly = true;
  if (isAccess(inst) && inst.op !== 'load') stretch.written.add(keyOf(inst.attrs.place.root));
}

function keyOf(root: Root): MemoryKey {
  switch (root.kind) {
    case 'buffer':
    case 'param':
      return `${root.kind} ${root.param}`;
    case 'array':
      return `array ${root.array}`;
    case 'heap':
    case 'instructions':
      return root.kind;
    case 'generic':
    case 'address':
      return 'anywhere';
  }
}

function mayReach(root: Root, written: ReadonlySet<MemoryKey>): boolean {
  const key = keyOf(root);
  return key === 'anywhere' ? written.size > 0 : written.has(key) || written.has('anywhere');
}

/**
 * Returns the stretch of each weak load of the kernel. A stretch is all code that no barrier
 * separates.
 */
function stretchesOf(kernel: Func): IdMap<Inst, Stretch> {
  const { blocks, successors, predecessors } = flowGraph(kernel);
  const begins: (Stretch | undefined)[] = blocks.map(() => undefined);
  const ends: (Stretch | undefined)[] = blocks.map(() => undefined);
  const isWhole = blocks.map(({ insts }) => !insts.some(isBlockBarrier));
  /** Blocks that have just been assigned a stretch, which their neighbors share. */
  const queue: number[] = [];
  const reach = (block: number, isBegin: boolean, stretch: Stretch) => {
    if ((isBegin ? begins : ends)[block] !== undefined) return;
    if (isBegin || isWhole[block]) begins[block] = stretch;
    if (!isBegin || isWhole[block]) ends[block] = stretch;
    queue.push(block);
  };
  blocks.forEach((_, start) => {
    for (const isBegin of [true, false]) {
      const stretch = makeStretch();
      reach(start, isBegin, stretch);
      for (let block = queue.pop(); block !== undefined; block = queue.pop()) {
        if (begins[block] === stretch)
          for (const from of at(predecessors, block, 'the predecessors of a block')) reach(from, false, stretch);
        if (ends[block] === stretch)
          for (const to of at(successors, block, 'the successors of a block')) reach(to, true, stretch);
      }
    }
  });
  const found = new IdMap<Inst, Stretch>();
  blocks.forEach(({ insts }, block) => {
    const first = begins[block] ?? missing('the stretch that a block begins in', block);
    const final = ends[block] ?? missing('the stretch that a block ends in', block);
    const last = insts.findLastIndex(isBlockBarrier);
    let stretch = first;
    insts.forEach((inst, index) => {
      if (isBlockBarrier(inst)) stretch = index === last ? final : makeStretch();
      addTo(stretch, inst);
      if (inst.op === 'load' && inst.attrs.order === 'weak') found.set(inst, stretch);
    });
  });
  return found;
}
