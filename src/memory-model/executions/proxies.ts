// Proxy-preserved base causality order: base causality order between accesses that use different
// proxies or aliases requires a fence on the way.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#proxy-preserved-base-causality-order
import { at } from '../../base/invariants.ts';
import { type Access, type Event, isAccess, type ProxyFence, samePath } from '../event.ts';
import { add, eachEvent, emptyRelation, has, type Relation, rowOf } from '../relation.ts';
import { type Candidate, initialThread } from './candidate.ts';

/** Whether a fence, by its index, is one that an order requires next. */
type Step = (fence: ProxyFence, index: number) => boolean;

/**
 * Returns the pairs of `overlapping`, which are in base causality order, that remain in
 * proxy-preserved base causality order.
 */
export function proxyPreserved(candidate: Candidate, overlapping: Relation, base: Relation): Relation {
  const { events, placements, completions } = candidate;
  const fences = events.flatMap((event, index) => (event.kind === 'proxyFence' ? [[event, index] as const] : []));
  const isPlain = (event: Event): boolean => !isAccess(event) || (event.proxy === 'generic' && event.view === 0);
  if (events.every(isPlain)) return overlapping;
  const preserved = emptyRelation(events.length);
  for (const [first, left] of events.entries()) {
    eachEvent(rowOf(overlapping, first), (last) => {
      const right = at(events, last, 'event');
      if (isAccess(left) && isAccess(right) && isPreserved(first, left, last, right)) add(preserved, first, last);
    });
  }
  return preserved;

  function isPreserved(first: number, left: Access, last: number, right: Access): boolean {
    if (samePath(left, right) && (left.proxy === 'generic' || isSameBlock(left, right))) return true;
    const steps: Step[] = [];
    // The fence must be in the block of the access that does not use the generic proxy.
    if (left.proxy !== 'generic') {
      const leaves: Step = (fence, index) => fence.completes === undefined || has(completions, first, index);
      steps.push((fence, index) => isBeside(fence, left) && leaves(fence, index));
    }
    if (left.view !== right.view) steps.push((fence) => fence.of === 'alias');
    if (right.proxy !== 'generic') steps.push((fence) => isBeside(fence, right) && fence.completes === undefined);
    return isLinked(first, steps, last);
  }

  /** Whether the fences of all steps follow in base causality order. */
  function isLinked(from: number, [step, ...rest]: readonly Step[], to: number): boolean {
    if (step === undefined) return has(base, from, to);
    return fences.some(([fence, index]) => has(base, from, index) && step(fence, index) && isLinked(index, rest, to));
  }

  /** Whether the fence is for accesses such as this one, which a thread of its block makes. */
  function isBeside(fence: ProxyFence, access: Access): boolean {
    const reaches = fence.space === undefined || fence.space === access.space;
    return fence.of === access.proxy && reaches && isSameBlock(fence, access);
  }

  function isSameBlock(left: Event, right: Event): boolean {
    if (left.thread === initialThread || right.thread === initialThread) return false;
    return blockOf(left) === blockOf(right);
  }

  function blockOf({ thread }: Event): number {
    return at(placements, thread, 'place of a thread').block;
  }
}
