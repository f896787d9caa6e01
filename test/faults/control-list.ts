// Faults that the tests plant in the lowering of control-flow graphs to WGSL. Each fault is a small
// change of the source, and names the case under test/filetests/wgsl that must detect it.
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
      'Lane code after a loop stays there: the loop has two exits.',
    ],
  ]),
  ...faultsOf('emit/jumps.ts', [
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
  ...faultsOf('emit/values/parallel-moves.ts', [
    [
      'moves are sequential',
      'other.readers += by',
      'other.readers += 0',
      'Threads without collectives: a loop that swaps two values in each round.',
    ],
  ]),
  ...faultsOf('emit/values/emitter.ts', [
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
      'the lanes of the first arm do not rejoin after the second',
      'live.set(w.either(live.at(), other()))',
      'undefined',
      'A reduction in one arm of a divergent branch, lane code in the other.',
    ],
    [
      'lanes that have exited execute the second arm',
      'w.both(live.at(), w.not(yes))',
      'w.not(yes)',
      'Divergent arms with reductions, after some lanes have exited.',
    ],
  ]),
  ...faultsOf('emit/live-mask.ts', [
    [
      'lanes that leave a loop early never rejoin',
      'this.emitter.assign(this.waitingFor(until), w.bool(true))',
      'undefined',
      'A switch of lane code from which lanes leave a loop early.',
    ],
    [
      'lanes that left in an earlier round do not rejoin',
      'w.either(waiting, w.both(live, w.not(stays)))',
      'w.both(live, w.not(stays))',
      'Lanes leave a loop early and rejoin the others after it.',
    ],
    [
      'lanes that rejoined rejoin again',
      'this.emitter.assign(waiting, w.bool(false))',
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
      'this.found.kept.add(value)',
      'undefined',
      'Lanes that leave a loop early keep their values.',
    ],
    [
      'instructions overwrite kept values',
      'inst.results.every((result) => !this.needs.kept.has(result))',
      'true',
      'Lanes that leave a loop early keep their values.',
    ],
    [
      'a collective overwrites kept values',
      'inst.results.some((result) => this.needs.kept.has(result))',
      'false',
      'Lanes that leave a loop early keep the result of a reduction.',
    ],
    [
      'an arm also moves values of the other lanes',
      '!this.guarded',
      'true',
      'An arm that overwrites a value that the other lanes use later.',
    ],
    [
      'warps leave a loop with a barrier separately',
      "barriers ? 'block' : 'subgroup'",
      "'subgroup'",
      'A barrier in a uniform loop, after some threads have exited.',
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
      'lanes always wait in the first class',
      'this.emitter.assign(this.wait(), this.numbers.of(at))',
      'this.emitter.assign(this.wait(), w.u32(1))',
      'Lanes wait in classes of different instructions: a reduction, a vote and a shuffle.',
    ],
    [
      'lanes with other masks join the group',
      'w.eq(mask(slot), members.at(slot))',
      'w.bool(true)',
      'Two groups with different masks in one class.',
    ],
    [
      'a group executes before all of its lanes have arrived',
      'w.and(w.and(members.at(w.u32(0)), alive), w.complement(group))',
      'w.u32(0)',
      'Lanes of one arm reach a reduction later than those of the other.',
    ],
    [
      'groups wait for lanes that have ended',
      "warp.ballot('alive', (slot) => w.ne(this.wait(slot), this.numbers.ended))",
      "warp.ballot('alive', () => w.bool(true))",
      'Groups do not wait for lanes that have exited.',
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
      'Active masks at two places, where lanes of the first also reach the second.',
    ],
  ]),
  ...faultsOf('emit/dispatch/wait-groups.ts', [
    [
      'all members of a class use the constants of the first',
      'args.every((arg) => constantOf(arg) === bits)',
      'args.length > 0',
      'Lanes reach one shuffle with different constants.',
    ],
  ]),
  ...faultsOf('emit/dispatch/dispatch-barriers.ts', [
    [
      'a barrier of the whole block does not wait',
      'w.ge(arrived ? w.add(waiting, arrived) : waiting, alive)',
      'w.bool(true)',
      'A dispatched barrier that one warp reaches later than the other.',
    ],
    [
      'votes of one barrier count at the next',
      "clear(number, 'votes')",
      'undefined',
      'A vote of the block and then a barrier without a vote, in a dispatched kernel.',
    ],
  ]),
  ...faultsOf('emit/dispatch/converged-loops.ts', [
    [
      'lanes before a loop wait in the last class',
      "this.numbers.of({ kind: 'loop', head: loop.header })",
      'w.u32(this.numbers.lastInWarp - 1)',
      'A converged loop with arms: lanes of both meet in one reduction.',
    ],
    [
      'lanes execute an instruction without lanes of its mask',
      'w.and(w.and(members, alive), w.complement(here))',
      'w.u32(0)',
      'A converged loop with arms: lanes of both meet in one reduction.',
    ],
  ]),
  ...faultsOf('control/converged-loops.ts', [
    [
      'the lanes of the second arm execute the first arm in a converged loop',
      'this.inArm(otherwise, join)',
      'this.inArm(then, join)',
      'A converged loop with nested arms that have their own reductions.',
    ],
  ]),
  ...faultsOf('../wgsl/tree/share-arrays.ts', [
    [
      'an array shares the variable of one that is still read',
      'other.to < from && other.array.of === array.of',
      'other.array.of === array.of',
      'Slots: many values that are live at once share arrays.',
    ],
  ]),
];
