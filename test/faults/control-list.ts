// Faults in the lowering of a kernel's graph to WGSL control flow. Each names the case under
// test/filetests/wgsl whose execution shows it.
import type { Fault } from './plant.ts';

type Row = readonly [name: string, from: string, to: string, by: string];

const faultsOf = (file: string, rows: readonly Row[]): Fault[] =>
  rows.map(([name, from, to, by]) => ({ name, file: `translate/${file}`, from, to, by }));

export const controlFaults: readonly Fault[] = [
  ...faultsOf('control/structure.ts', [
    [
      'an arm of a switch loses a value that it shares',
      'known.values.push(value)',
      'undefined',
      'Threads without collectives: a switch with arms that share code, and a default.',
    ],
  ]),
  ...faultsOf('control/tidy.ts', [
    [
      'a jump to any label is dropped at the end of a construct',
      'last.kind === kind && last.label === label',
      'last.kind === kind',
      'A switch without warp instructions between two votes.',
    ],
  ]),
  ...faultsOf('control/sink-rest.ts', [
    [
      'code after a loop moves to one of its exits',
      'jumpsOut(others, new Set([loop.label]))',
      'false',
      'Lane code after a loop stays there: the loop has two ways out.',
    ],
  ]),
  ...faultsOf('emit/control-writer.ts', [
    [
      'all labels have one number',
      'this.numbers.get(label) ?? this.numbers.size',
      '0',
      'A switch in a loop of lane code, with a break to a label after a vote.',
    ],
    [
      'a jump through a loop stops at the loop',
      'innermost.passing.push(jump)',
      'undefined',
      'Threads without collectives: a break to an outer loop, and a continue of it.',
    ],
  ]),
  ...faultsOf('emit/values/emitter.ts', [
    [
      'moves are done one by one',
      'other.readers += by',
      'other.readers += 0',
      'Threads without collectives: a loop that swaps two values in each round.',
    ],
    [
      'the last slot is skipped',
      "this.writer.push({ kind: 'repeat', name, count: this.slots, body: stmts })",
      "this.writer.push({ kind: 'repeat', name, count: this.slots - 1, body: stmts })",
      'Slots of 8, 4, 2 and 32 lanes: values that live across a vote are arrays.',
    ],
  ]),
  ...faultsOf('emit/control-writer.ts', [
    [
      'the lanes of the first arm execute the second arm too',
      'live.set(other())',
      'undefined',
      'Both arms of a divergent branch have a vote of their lanes.',
    ],
    [
      'the lanes of the first arm do not come back after the second',
      'live.set(w.either(live.at(), other()))',
      'undefined',
      'A reduction in one arm of a divergent branch, lane code in the other.',
    ],
    [
      'lanes that have exited take the second arm',
      'w.both(live.at(), w.not(yes))',
      'w.not(yes)',
      'Divergent arms with reductions, after some lanes have exited.',
    ],
  ]),
  ...faultsOf('emit/live-mask.ts', [
    [
      'lanes that leave a loop early never come back',
      'this.assign(this.waitingFor(until), w.bool(true))',
      'undefined',
      'A switch of lane code in a loop, of which lanes leave the loop early.',
    ],
    [
      'lanes that left in an earlier round do not come back',
      'w.either(waiting, w.both(live, w.not(stays)))',
      'w.both(live, w.not(stays))',
      'Lanes leave a loop early and rejoin the others after it.',
    ],
    [
      'lanes that came back come back again',
      'this.assign(waiting, w.bool(false))',
      'undefined',
      'Lanes break to an outer loop, out of an inner one with a vote.',
    ],
    [
      'threads that do not exist are active',
      'w.lt(threadNumber(uses, slot), w.u32(threads))',
      'w.bool(true)',
      'A partial last warp: threads that do not exist are not active.',
    ],
  ]),
  ...faultsOf('control/place-masks.ts', [
    [
      'no value is kept for lanes that have left',
      'this.kept.add(value)',
      'undefined',
      'Lanes keep what they had when they left a loop early.',
    ],
    [
      'instructions overwrite kept values',
      'inst.results.every((result) => !this.needs.kept.has(result))',
      'true',
      'Lanes keep what they had when they left a loop early.',
    ],
    [
      'a collective overwrites kept values',
      'inst.results.some((result) => this.needs.kept.has(result))',
      'false',
      'Lanes keep what a reduction gave them when they left a loop early.',
    ],
    [
      'an arm moves values of the other lanes too',
      '!this.guarded',
      'true',
      'An arm that overwrites what the other lanes go on with.',
    ],
    [
      'warps leave a loop with a barrier on their own',
      "barriers ? 'block' : 'subgroup'",
      "'subgroup'",
      'A barrier in a loop that all threads take alike, after some have exited.',
    ],
    [
      'warps without lanes in an arm skip its barriers',
      'body.length === 0 || this.hasBarrier(list)',
      'body.length === 0',
      'Portable: both arms of a divergent branch exchange.',
    ],
  ]),
  ...faultsOf('control/kept-values.ts', [
    [
      'parameters are not kept for lanes that have left',
      'new Set<Definition>(label.params)',
      'new Set<Definition>()',
      'Lanes break to an outer loop, out of an inner one with a vote.',
    ],
  ]),
  ...faultsOf('emit/dispatch/dispatch-writer.ts', [
    [
      'lanes wait in the first class, whatever they wait for',
      'this.emitter.assign(this.wait(), this.numbers.of(at))',
      'this.emitter.assign(this.wait(), w.u32(1))',
      'Lanes wait in classes of different instructions: a reduction, a vote and a shuffle.',
    ],
    [
      'lanes with other masks are of the group',
      'w.eq(mask(slot), members.at(slot))',
      'w.bool(true)',
      'Two groups with masks of their own in one class.',
    ],
    [
      'a group executes before all of its lanes have come',
      'w.and(w.and(members.at(w.u32(0)), alive), w.complement(group))',
      'w.u32(0)',
      'Lanes of one arm come to a reduction later than those of the other.',
    ],
    [
      'groups wait for lanes that have ended',
      "warp.ballot('alive', (slot) => w.ne(this.wait(slot), this.numbers.ended))",
      "warp.ballot('alive', () => w.bool(true))",
      'Lanes that have exited are missing in no group.',
    ],
    [
      'lanes under a false guard lose their old values',
      'this.keepOtherwise(tree.inst)',
      'undefined',
      'Old values of guarded instructions that wait in one class.',
    ],
    [
      'instructions without a mask execute while others still can',
      'w.both(w.eq(this.wait(slot), numbers.of(place)), w.eq(executed, w.u32(0)))',
      'w.eq(this.wait(slot), numbers.of(place))',
      'Active masks of two places, of which the first has lanes that come to the second.',
    ],
  ]),
  ...faultsOf('emit/dispatch/wait-groups.ts', [
    [
      'all members of a class have the constants of the first',
      'args.every((arg) => constantOf(arg) === bits)',
      'args.length > 0',
      'Lanes bring other constants to one shuffle.',
    ],
  ]),
  ...faultsOf('emit/dispatch/dispatch-barriers.ts', [
    [
      'a barrier of the whole block waits for nobody',
      'w.ge(arrived ? w.add(waiting, arrived) : waiting, alive)',
      'w.bool(true)',
      'A dispatched barrier that a warp comes to later than the other.',
    ],
    [
      'votes of one barrier count at the next',
      "clear(number, 'votes')",
      'undefined',
      'A vote of the block, and a barrier without one after it, in a dispatched kernel.',
    ],
  ]),
  ...faultsOf('emit/dispatch/loop-reconvergence.ts', [
    [
      'lanes before a loop wait in the last class',
      "this.numbers.of({ kind: 'loop', loop })",
      'w.u32(this.numbers.lastInWarp - 1)',
      'A converged loop with arms: lanes of both meet in one reduction.',
    ],
  ]),
  ...faultsOf('emit/dispatch/converged-loop.ts', [
    [
      'the lanes of the first arm execute the second, in a converged loop',
      'this.emitter.assign(live(), other())',
      'undefined',
      'A converged loop with arms that have reductions of their own, and one inside the other.',
    ],
  ]),
  ...faultsOf('emit/values/share-arrays.ts', [
    [
      'an array takes the place of one that is still read',
      'other.to < from && other.array.of === array.of',
      'other.array.of === array.of',
      'Slots: many values live at once share arrays.',
    ],
  ]),
];
