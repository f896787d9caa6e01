// How long the store of an asynchronous copy may be delayed. PTX completes a copy at a wait for its
// group at the latest. Until then, other accesses of the copied bytes are races, so only barriers
// need to be counted.
import { at, get } from '../../base/invariants.ts';
import { componentsFrom } from '../../base/loop-order.ts';
import type { CopyRowName } from '../../isa/index.ts';
import type { Instruction } from '../../ptx/ast.ts';
import { type BodyBlock, targetsOf } from './function-body.ts';

/** The largest delay that is counted, in barriers. */
const maxDelay = 8;

/**
 * The effect of an instruction on the groups of copies. `all`: it completes every copy. `meets`:
 * the threads of the block wait for each other.
 */
type Effect = 'begins' | 'commits' | 'waits' | 'all' | 'meets' | 'none';

const effects: Readonly<Record<CopyRowName | 'cp.async.mbarrier.arrive' | 'bar.sync' | 'barrier.sync', Effect>> = {
  'cp.async': 'begins',
  'cp.async.policy': 'begins',
  'cp.async.commit_group': 'commits',
  'cp.async.wait_group': 'waits',
  'cp.async.wait_all': 'all',
  'cp.async.mbarrier.arrive': 'all',
  'bar.sync': 'meets',
  'barrier.sync': 'meets',
  'cp.async.bulk.load': 'none',
  'cp.async.bulk.move': 'none',
  'cp.async.bulk.multicast': 'none',
  'cp.async.bulk.store': 'none',
  'cp.async.bulk.prefetch': 'none',
  'cp.async.bulk.commit_group': 'none',
  'cp.async.bulk.wait_group': 'none',
};

const effectOf = ({ row: { name } }: Instruction): Effect =>
  Object.hasOwn(effects, name) ? effects[name as keyof typeof effects] : 'none';
const isCopy = (instruction: Instruction): boolean => effectOf(instruction) === 'begins';
const isWait = (instruction: Instruction): boolean => effectOf(instruction) === 'waits';

/** Numbers of barriers of the block that precede the completion of a copy. */
export interface CopyDelay {
  /** The minimum over all paths. The end of a function and a call count as completions. */
  readonly delay: number;
  /** The minimum over the paths that return to the copy; 0 without such a path. */
  readonly around: number;
}

/** Returns the delay of each copy. */
export function copyDelays(blocks: readonly BodyBlock[]): ReadonlyMap<Instruction, CopyDelay> {
  if (!blocks.some(({ code }) => code.some(isCopy))) return new Map();
  const cycles = cyclesWithCopies(blocks);
  const isInCycle = (from: number, to: number) => cycles.has(from) && cycles.get(from) === cycles.get(to);
  const [delays, repeated] = [countBarriers(blocks, () => true), countBarriers(blocks, isInCycle)];
  return new Map(
    blocks.flatMap(({ code }, number) =>
      code.filter(isCopy).map((copy) => {
        const around = cycles.has(number) ? get(repeated, copy, 'a delay') : 0;
        return [copy, { delay: get(delays, copy, 'a delay'), around }];
      }),
    ),
  );
}

/** For each block on a cycle with a copy, a number that all blocks on cycles with it share. */
function cyclesWithCopies(blocks: readonly BodyBlock[]): ReadonlyMap<number, number> {
  const targets = blocks.map(({ end }) => targetsOf(end));
  const targetsFrom = (block: number) => at(targets, block, 'the targets of a block');
  const isCycle = (component: readonly number[]) =>
    component.length > 1 || component.some((block) => targetsFrom(block).includes(block));
  const withCopies = componentsFrom(0, blocks.length, targetsFrom).filter(
    (component) => isCycle(component) && component.some((block) => blocks[block]?.code.some(isCopy)),
  );
  return new Map(withCopies.flatMap((component, number) => component.map((block) => [block, number] as const)));
}

/**
 * Returns the minimum number of barriers before the completion of each copy, over all paths along
 * the edges for which `isPath` is true.
 */
function countBarriers(
  blocks: readonly BodyBlock[],
  isPath: (from: number, to: number) => boolean,
): ReadonlyMap<Instruction, number> {
  const delays = new Map<Instruction, number>();
  const pending = blocks.flatMap(({ code }) => code.filter(isWait).map(groupsLeft));
  const ages = Math.max(0, ...pending) + 3;
  // The number of barriers from the start of each block to the completion of a copy, by the number
  // of groups that were committed after the copy began.
  const starts = blocks.map(() => Array<number>(ages).fill(maxDelay));
  const solve = (number: number, visit?: (copy: Instruction, delay: number) => void): readonly number[] => {
    const { code, end } = at(blocks, number, 'a block');
    const targets = isLast(end) ? [] : targetsOf(end).filter((to) => isPath(number, to));
    const ends = targets.map((to) => at(starts, to, 'the start of a block'));
    let counts = Array.from({ length: ages }, (_, age) =>
      ends.length === 0 ? 0 : Math.min(...ends.map((counted) => at(counted, age, 'a number of barriers'))),
    );
    for (const instruction of code.toReversed()) {
      if (isCopy(instruction)) visit?.(instruction, at(counts, 0, 'a number of barriers'));
      else counts = before(instruction, counts);
    }
    return counts;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (let number = blocks.length - 1; number >= 0; number--) {
      const counts = solve(number);
      changed ||= counts.some((count, age) => count !== starts[number]?.[age]);
      starts[number] = [...counts];
    }
  }
  for (const number of blocks.keys()) solve(number, (copy, delay) => delays.set(copy, delay));
  return delays;
}

const isLast = ({ kind }: BodyBlock['end']): boolean => kind !== 'jump' && kind !== 'branch' && kind !== 'switch';

/** Returns the number of most recent groups that a wait may leave incomplete. */
const groupsLeft = ({ operands: { n } }: Instruction): number => (n?.kind === 'immediate' ? Number(n.bits) : 0);

/** Returns the numbers of barriers before an instruction, from the numbers after it. */
function before(instruction: Instruction, counts: readonly number[]): number[] {
  const { guard } = instruction;
  const grouped = (age: number): number => at(counts, Math.min(age + 1, counts.length - 1), 'a number of barriers');
  switch (effectOf(instruction)) {
    case 'commits':
      return counts.map((count, age) => (guard === undefined ? grouped(age) : Math.min(count, grouped(age))));
    case 'waits': {
      const left = groupsLeft(instruction);
      return counts.map((count, age) => (age > left ? 0 : count));
    }
    case 'all':
      return counts.map(() => 0);
    case 'meets':
      return guard === undefined ? counts.map((count) => Math.min(count + 1, maxDelay)) : [...counts];
    default:
      return [...counts];
  }
}
