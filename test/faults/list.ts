// Faults that the tests plant in the compiler: small changes of its source. Each names the kernel
// that must detect it.
import type { Fault } from './plant.ts';

type Row = readonly [name: string, from: string, to: string, by: string];

const faultsOf = (file: string, rows: readonly Row[]): Fault[] =>
  rows.map(([name, from, to, by]) => ({ name, file: `translate/${file}`, from, to, by }));

export const faults: readonly Fault[] = [
  ...faultsOf('build/wgmma.ts', [
    [
      'a column of a sparse product follows itself',
      'b.imul(row, leading)',
      'b.shlw(row, b.i32(5))',
      'columns of two rows',
    ],
  ]),
  ...faultsOf('build/cluster-shape.ts', [
    [
      'the blocks of a cluster have the alignment of static variables',
      '[...fixed, ...dynamic].map((variable) => variable.align)',
      'fixed.map((variable) => variable.align)',
      'the alignment of a block',
    ],
  ]),
  ...faultsOf('emit/collectives/workgroup-barrier.ts', [
    [
      'storageBarrier is left out',
      '[...buffers.values()].some(({ exchanged }) => exchanged)',
      'false',
      'words exchanged through a buffer',
    ],
    [
      'storageBarrier is left out for shared memory in a buffer',
      'arrays.some(({ buffered }) => buffered)',
      'false',
      'words exchanged through large shared memory',
    ],
    [
      'workgroupBarrier is left out',
      "writer.push({ kind: 'do', call: w.builtin('workgroupBarrier', 'u32') })",
      'undefined',
      'words exchanged through shared memory',
    ],
  ]),
  ...faultsOf('emit/collectives/barrier.ts', [
    ['bar.red.and counts the wrong votes', "kind === 'red.and' ? w.not(own) : own", 'own', 'reductions of a block'],
    [
      'lanes that have exited vote at a barrier',
      'active ? w.both(active(slot), counted) : counted',
      'counted',
      'reductions of a block after some threads have exited',
    ],
  ]),
  ...faultsOf('emit/dispatch/dispatch-barriers.ts', [
    [
      'all barriers are one',
      'number ? w.and(emitter.read(number), w.u32(blockBarriers - 1)) : w.u32(0)',
      'w.u32(0)',
      'barriers with numbers',
    ],
    [
      'barriers wait for all threads',
      'w.select(w.eq(wanted, w.u32(0)), isAll, w.ge(this.lanes.threadsAt(number, repeated), wanted))',
      'isAll',
      'barriers with numbers',
    ],
    [
      'arrivals do not count',
      "this.lanes?.pass(named, this.at(named, 'repeated'))",
      'undefined',
      'barriers with numbers',
    ],
  ]),
  ...faultsOf('emit/dispatch/converged-loops.ts', [
    [
      'a converged loop does not test whether lanes are missing',
      'w.both(w.ne(here, w.u32(0)), w.ne(lanes, w.u32(0)))',
      'w.bool(false)',
      'a loop whose lanes reach a reduction in turns',
    ],
    [
      'masks of other lanes are not compared',
      'w.or(missing(members), others)',
      'missing(members)',
      'a loop with groups whose masks are in registers',
    ],
  ]),
  ...faultsOf('control/converged-loops.ts', [
    [
      'lanes of the other arm have the program counter of the first',
      'this.mark(moveOf(end.else), end.else.to)',
      'this.mark(moveOf(end.else), end.then.to)',
      'a loop whose arms meet',
    ],
  ]),
  ...faultsOf('emit/dispatch/barrier-lanes.ts', [
    [
      'a loop waits for lanes that have ended',
      'w.eq(missing, w.u32(0))',
      'w.bool(false)',
      'counted barriers after some threads have exited',
    ],
  ]),
  ...faultsOf('emit/memory/atomics.ts', [
    ['shared f32 sums are flushed', "place.root.kind === 'array'", 'false', 'subnormal sums in shared memory'],
  ]),
  ...faultsOf('emit/memory/word-updates.ts', [
    [
      'f32 sums in buffers keep subnormal operands',
      "w.helper('f32_flush', 'f32', value)",
      'value',
      'subnormal sums in a buffer',
    ],
    ['inc continues past its limit', 'w.ge(old, operand)', 'w.gt(old, operand)', 'counters that wrap'],
    [
      'dec does not restart at its limit',
      'w.either(w.eq(old, w.u32(0)), w.gt(old, operand))',
      'w.gt(old, operand)',
      'counters that wrap',
    ],
    [
      'signed extremes are unsigned',
      "type !== 'i32' || (isExtreme && isSigned)",
      "type !== 'i32'",
      'counters that wrap',
    ],
    [
      'the other half of a word is lost',
      'w.complement(w.shl(w.u32(0xffff), shift))',
      'w.u32(0)',
      'counters of 16 bits side by side',
    ],
  ]),
  ...faultsOf('emit/memory/locked-steps.ts', [
    [
      'locked sums lose their carry',
      "w.gt(w.swizzle(old, 'x'), w.complement(w.swizzle(operand, 'x')))",
      'w.bool(false)',
      '64-bit updates under locks',
    ],
    [
      'locked signed extremes are unsigned',
      "signed ? 'min_s64' : 'min_u64'",
      "'min_u64'",
      '64-bit updates under locks',
    ],
    [
      'an exchange stores one word twice',
      'w.component(value, index)',
      "w.swizzle(value, 'x')",
      '64-bit updates under locks',
    ],
  ]),
  ...faultsOf('emit/values/parallel-moves.ts', [
    ['moves have any order', 'release(move, 1, [])', 'undefined', 'values that are swapped'],
  ]),
  ...faultsOf('emit/values/emitter.ts', [
    ['guards are forgotten', 'this.read(when)', 'w.bool(true)', 'guards of stores and loads'],
  ]),
  ...faultsOf('emit/values/live-ranges.ts', [
    [
      'values that live at the same time share a variable',
      'found < a.length && placeIn(a, found) <= placeIn(b, index + 1)',
      'false',
      'values that are swapped',
    ],
    [
      'an expression in place reads its operands too late',
      "next.kind === 'result' && this.inlined.has(next)",
      'false',
      'bits of a number that is used later',
    ],
    [
      'a guarded result is written after its operands are read',
      "(operations[op].effect === 'pure' || op === 'matrix-multiply') && results.length === 1 && when === undefined",
      'true',
      'a chain of exchanges under a guard',
    ],
  ]),
  ...faultsOf('emit/values/shared-variables.ts', [
    [
      'parameters are written before the last read of their old values',
      'places.add(ranges.exitOf(from))',
      'undefined',
      'values that are swapped at a join',
    ],
  ]),
  ...faultsOf('passes/compare-next.ts', [
    ['the next count is compared with the last one', 'bits + step', 'bits', 'a loop that counts to a number'],
  ]),
  ...faultsOf('emit/lane/insts.ts', [
    ['signed less than is unsigned', 'w.lt(signed(a), signed(b))', 'w.lt(a, b)', 'signed words'],
    ['signed shifts are unsigned', 'w.shr(signed(a), b)', 'w.shr(a, b)', 'signed words'],
    [
      'select returns the other value',
      'w.select(at(args, 0), at(args, 1), at(args, 2))',
      'w.select(at(args, 0), at(args, 2), at(args, 1))',
      'reductions of a block',
    ],
    [
      'negative constants are added',
      'w.sub(a, w.u32(-constant))',
      'w.add(a, w.u32(-constant))',
      'barriers with numbers',
    ],
  ]),
  ...faultsOf('emit/jumps.ts', [
    ['jumps go to the wrong construct', "2 * known + (kind === 'break' ? 1 : 2)", '1', 'nested loops'],
    [
      'a jump continues after its target',
      'w.eq(this.exits.variable(), this.exits.number(jump))',
      'w.bool(true)',
      'nested loops',
    ],
  ]),
  ...faultsOf('emit/control-writer.ts', [
    [
      'the second arm executes inactive lanes',
      'w.both(live.at(), w.not(yes))',
      'w.not(yes)',
      'lanes that leave one by one',
    ],
    ['the first arm executes all lanes', 'live.set(w.both(live.at(), yes))', 'undefined', 'arms chosen by data'],
    [
      'lanes of an arm do not rejoin',
      'live.set(w.either(live.at(), other()))',
      'undefined',
      'reductions of a block after some threads have exited',
    ],
    ['old values are not kept', 'keeps ? live : undefined', 'undefined', 'values of lanes when they leave a loop'],
    [
      'lanes leave on the wrong condition',
      "change.op === 'leave-if' ? w.not(condition) : condition",
      'condition',
      'a loop that lanes leave',
    ],
  ]),
  ...faultsOf('emit/live-mask.ts', [
    [
      'waiting lanes do not rejoin',
      'w.either(this.at(), waiting)',
      'this.at()',
      'values of lanes when they leave a loop',
    ],
  ]),
  ...faultsOf('emit/collectives/warp.ts', [
    [
      'guarded results overwrite all lanes',
      'w.select(guard(slot), own, emitter.read(otherwise))',
      'own',
      'guards of warp operations',
    ],
    [
      'lanes that have left participate',
      'knowledge.mayMiss(inst) ? live : undefined',
      'undefined',
      'values of lanes when they leave a loop',
    ],
  ]),
  ...faultsOf('emit/memory/generic.ts', [
    ['generic addresses keep their window', 'w.and(word, insideWindow)', 'word', 'addresses of either space'],
    [
      'shared memory has the wrong window',
      'limit >>> 2',
      "space === 'shared' ? 0x3d000000 : limit >>> 2",
      'addresses of either space',
    ],
  ]),
  ...faultsOf('legalize/integers/wide-arithmetic.ts', [
    [
      'the carry into the high word is lost',
      'builder.iadd(builder.iadd(aHigh, bHigh), builder.resize(carry, a.type))',
      'builder.iadd(aHigh, bHigh)',
      '64-bit numbers',
    ],
    [
      'the borrow from the high word is lost',
      'builder.isub(builder.isub(aHigh, bHigh), builder.resize(borrow, a.type))',
      'builder.isub(aHigh, bHigh)',
      '64-bit numbers',
    ],
    ['signed products are unsigned', '[low, high(true)]', '[low, high(false)]', '64-bit numbers'],
    ['the cross products are lost', 'builder.iadd(high(false), cross)', 'high(false)', '64-bit numbers'],
  ]),
  ...faultsOf('legalize/memory/elements.ts', [
    ['all elements of a word are the first', 'builder.i32(at % 32)', 'builder.i32(0)', 'bytes and halves of a buffer'],
    ['only the last element of a word is stored', 'builder.or(before, wide)', 'wide', 'bytes that are stored'],
  ]),
  ...faultsOf('legalize/memory/memory.ts', [
    ['bytes are not moved into place', 'builder.shlw(value, shift)', 'value', 'bytes that are stored'],
    ['bytes are not moved out of place', 'builder.lshrw(whole, shift)', 'whole', 'bytes and halves of a buffer'],
    [
      'a store of a byte loses the rest of the word',
      'builder.and(old, kept)',
      'builder.i32(0)',
      'bytes that are stored',
    ],
    [
      'a byte in shared memory is not cleared',
      "places.updateAt(inst, word, 'and', kept)",
      'undefined',
      'bytes that are stored',
    ],
  ]),
  ...faultsOf('legalize/memory/word-places.ts', [
    ['halves are shifted like bytes', 'unit === 2 ? 4 : 3', '3', 'bytes and halves of a buffer'],
  ]),
  ...faultsOf('legalize/memory/atomics.ts', [
    ['64-bit updates lose their carry', 'builder.iadd(high, carry)', 'high', '64-bit updates'],
  ]),
  ...faultsOf('build/lane/carry.ts', [
    [
      'the flag of sub.cc is the borrow',
      "b.icmp('uge', argAt(args, 0), argAt(args, 1))",
      "b.icmp('ult', argAt(args, 0), argAt(args, 1))",
      'a chain of carries',
    ],
    [
      'the second carry is lost',
      "b.or(b.icmp('ult', first, x), b.icmp('ult', total, first))",
      "b.icmp('ult', first, x)",
      'a chain of carries',
    ],
  ]),
  ...faultsOf('build/memory.ts', [
    [
      'signed bytes are unsigned',
      'registers.write(operand, value, signed)',
      'registers.write(operand, value, false)',
      'bytes and halves of a buffer',
    ],
  ]),
  ...faultsOf('passes/simplify-control-flow.ts', [
    [
      'the operands of a selection are swapped',
      'builder.select(end.condition, then, other)',
      'builder.select(end.condition, other, then)',
      'arms that meet',
    ],
  ]),
  ...faultsOf('passes/hoist-loads.ts', [
    [
      'loads move before stores to the same memory',
      'inst.when === undefined && (isReadOnlyLoad(inst, plan) || isOrderedLoad(inst, plan))',
      "inst.when === undefined && inst.op === 'load'",
      'subnormal sums in a buffer',
    ],
    [
      'loads of ordered memory move before stores to the same word',
      'isSameIndex && (a.offset + bytesOf(load) <= b.offset || b.offset + bytesOf(inst) <= a.offset)',
      'isSameIndex',
      'a word that is stored after an acquire',
    ],
  ]),
  ...faultsOf('passes/unroll/index.ts', [
    [
      'one copy of a loop is missing',
      'copy < Math.max(trips, 1)',
      'copy < Math.max(trips, 1) - 1',
      'a loop of known length',
    ],
    [
      'a loop that tests first has one copy too many',
      "'block' in candidate ? trips : trips - 1",
      'trips',
      'a loop of known length that tests first',
    ],
  ]),
  ...faultsOf('passes/unroll/group-iterations.ts', [
    ['the last iteration of a group is not tested', 'step < groupSize', 'step < 3', 'a loop that loads'],
  ]),
  ...faultsOf('analysis/level-rules.ts', [
    [
      'volatile loads are uniform',
      "order !== 'weak' || this.memory.mayBeLocal(place.root)",
      'this.memory.mayBeLocal(place.root)',
      'a condition from a volatile load',
    ],
  ]),
  ...faultsOf('analysis/level-bounds.ts', [
    ['a value chosen by arms is uniform', 'arg && own && !sameValue(arg, own)', 'false', 'a condition chosen by arms'],
  ]),
];
