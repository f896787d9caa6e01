// Faults of the translator, each with the kernel that shows it.
import type { Fault } from './plant.ts';

type Row = readonly [name: string, from: string, to: string, by: string];

const faultsOf = (file: string, rows: readonly Row[]): Fault[] =>
  rows.map(([name, from, to, by]) => ({ name, file: `translate/${file}`, from, to, by }));

export const faults: readonly Fault[] = [
  ...faultsOf('emit/barrier.ts', [
    [
      'storageBarrier is left out',
      'heap.written || [...buffers.values()].some(({ read, written }) => read && written)',
      'false',
      '',
    ],
    [
      'workgroupBarrier is left out',
      "writer.push({ kind: 'do', call: w.builtin('workgroupBarrier', 'u32') })",
      'undefined',
      '',
    ],
    ['bar.red.and counts the wrong votes', "kind === 'red.and' ? w.not(own) : own", 'own', ''],
    ['lanes that have gone vote at a barrier', 'active ? w.both(active(slot), counted) : counted', 'counted', ''],
  ]),
  ...faultsOf('emit/dispatch-barriers.ts', [
    [
      'all barriers are one',
      'number ? w.and(emitter.read(number), w.u32(barrierCount - 1)) : w.u32(0)',
      'w.u32(0)',
      '',
    ],
    ['barriers wait for all threads', 'w.select(w.eq(wanted, w.u32(0)), alive, wanted)', 'alive', ''],
    ['arrivals do not count', 'w.add(waiting, arrived)', 'waiting', ''],
  ]),
  ...faultsOf('emit/atomics.ts', [
    ['shared f32 sums are flushed', "place.root.kind === 'array'", 'false', ''],
    ['f32 sums in buffers keep subnormal operands', "w.helper('f32_flush', 'f32', value)", 'value', ''],
    ['inc goes on past its limit', 'w.ge(old, operand)', 'w.gt(old, operand)', ''],
    ['dec does not start again', 'w.either(w.eq(old, w.u32(0)), w.gt(old, operand))', 'w.gt(old, operand)', ''],
    [
      'signed extremes are unsigned',
      "(type === 'f32' && op === 'add') || (isExtreme && isSigned)",
      "type === 'f32' && op === 'add'",
      '',
    ],
  ]),
  ...faultsOf('emit/emitter.ts', [
    ['moves go in any order', 'other !== move && other.params.has(move.param)', 'false', ''],
    ['guards are forgotten', 'this.read(when)', 'w.bool(true)', ''],
  ]),
  ...faultsOf('emit/insts.ts', [
    ['signed less than is unsigned', 'w.lt(signed(a), signed(b))', 'w.lt(a, b)', ''],
    ['signed shifts are unsigned', 'w.shr(signed(a), b)', 'w.shr(a, b)', ''],
    [
      'select takes the other value',
      'w.select(at(args, 0), at(args, 1), at(args, 2))',
      'w.select(at(args, 0), at(args, 2), at(args, 1))',
      '',
    ],
    ['negative constants are added', 'w.sub(a, w.u32(-constant))', 'w.add(a, w.u32(-constant))', ''],
  ]),
  ...faultsOf('emit/lane-code.ts', [
    ['jumps go to the wrong construct', "2 * known + (kind === 'break' ? 1 : 2)", '1', ''],
    ['a jump that arrived goes on', 'w.eq(this.exits.variable(), this.exits.number(jump))', 'w.bool(true)', ''],
  ]),
  ...faultsOf('emit/structured.ts', [
    ['the second arm takes lanes that were not there', 'w.both(mask.at(), w.not(yes))', 'w.not(yes)', ''],
    ['the first arm takes all lanes', 'mask.set(w.both(mask.at(), yes))', 'undefined', ''],
    ['lanes of an arm stay behind', 'mask.set(w.either(mask.at(), other()))', 'undefined', ''],
    ['old values are not kept', 'keep ? live : undefined', 'undefined', ''],
    ['lanes leave on the wrong condition', 'step.negated ? w.not(condition) : condition', 'condition', ''],
  ]),
  ...faultsOf('emit/live-mask.ts', [
    ['lanes that wait are not let back in', 'w.either(this.at(), waiting)', 'this.at()', ''],
    ['lanes that have gone come back', 'w.both(live, stays)', 'stays', ''],
  ]),
  ...faultsOf('emit/warp.ts', [
    ['guarded results overwrite all lanes', 'w.select(guard(slot), own, emitter.read(otherwise))', 'own', ''],
    ['lanes that have gone take part', 'knowledge.mayMiss(inst) ? live : undefined', 'undefined', ''],
  ]),
  ...faultsOf('emit/generic.ts', [
    ['generic addresses keep their window', 'w.u32(0x1ffffff)', 'w.u32(0x3fffffff)', ''],
    ['shared memory has the wrong window', 'w.u32(sharedWindow >>> 2)', 'w.u32(0x10000000)', ''],
  ]),
  ...faultsOf('legalize/wide-arithmetic.ts', [
    [
      'the carry into the high word is lost',
      'builder.iadd(builder.iadd(aHigh, bHigh), builder.resize(carry, a.type))',
      'builder.iadd(aHigh, bHigh)',
      '',
    ],
    [
      'the borrow from the high word is lost',
      'builder.isub(builder.isub(aHigh, bHigh), builder.resize(borrow, a.type))',
      'builder.isub(aHigh, bHigh)',
      '',
    ],
    ['signed products are unsigned', '[low, high(true)]', '[low, high(false)]', ''],
    ['the cross products are lost', 'builder.iadd(high(false), cross)', 'high(false)', ''],
  ]),
  ...faultsOf('legalize/elements.ts', [
    ['all elements of a word are the first', 'builder.i32(at % 32)', 'builder.i32(0)', ''],
    ['only the last element of a word is stored', 'builder.or(before, wide)', 'wide', ''],
  ]),
  ...faultsOf('legalize/memory.ts', [
    ['bytes are not moved into place', 'builder.shlw(value, shift)', 'value', ''],
    ['bytes are not moved out of place', 'builder.lshrw(whole, shift)', 'whole', ''],
    ['what a store of a byte keeps is lost', 'builder.and(old, kept)', 'builder.i32(0)', ''],
    ['a byte in shared memory is not cleared', "places.updateAt(inst, word, 'and', kept)", 'undefined', ''],
  ]),
  ...faultsOf('legalize/word-places.ts', [
    ['halves are shifted like bytes', 'unit === 2 ? 4 : 3', '3', ''],
    [
      'constant indexes may lie outside',
      'Math.min(Math.max(place.offset, 0), (granule === 1 ? words - 1 : limit) * 4)',
      'place.offset',
      '',
    ],
  ]),
  ...faultsOf('legalize/atomics.ts', [['64-bit updates lose their carry', 'builder.iadd(high, carry)', 'high', '']]),
  ...faultsOf('build/lane/carry.ts', [
    [
      'the flag of sub.cc is the borrow',
      "b.icmp('uge', at(args, 0), at(args, 1))",
      "b.icmp('ult', at(args, 0), at(args, 1))",
      '',
    ],
    [
      'the second carry is lost',
      "b.or(b.icmp('ult', first, x), b.icmp('ult', total, first))",
      "b.icmp('ult', first, x)",
      '',
    ],
  ]),
  ...faultsOf('build/memory.ts', [
    [
      'signed bytes are unsigned',
      'registers.write(operand, value, signed)',
      'registers.write(operand, value, false)',
      '',
    ],
  ]),
  ...faultsOf('passes/simplify-control-flow.ts', [
    [
      'values of two ways are swapped',
      'builder.select(end.condition, then, other)',
      'builder.select(end.condition, other, then)',
      '',
    ],
  ]),
  ...faultsOf('passes/hoist-loads.ts', [
    [
      'loads pass by stores to what they read',
      'inst.when === undefined && isReadOnlyLoad(inst, plan)',
      "inst.when === undefined && inst.op === 'load'",
      '',
    ],
  ]),
  ...faultsOf('passes/unroll/index.ts', [
    ['one copy of a loop is missing', 'copy < Math.max(trips, 1)', 'copy < Math.max(trips, 1) - 1', ''],
    ['one copy of a loop that tests first is too many', "'block' in candidate ? trips : trips - 1", 'trips', ''],
  ]),
  ...faultsOf('passes/unroll/group-iterations.ts', [
    ['a group of iterations is not tested to its end', 'step < groupSize', 'step < 3', ''],
  ]),
  ...faultsOf('analysis/value-levels.ts', [
    [
      'volatile loads are the same in all lanes',
      "order !== 'weak' || this.memory.mayBeLocal(place.root)",
      'this.memory.mayBeLocal(place.root)',
      '',
    ],
    [
      'what arms choose is the same in all lanes',
      'edges.some(({ args: { [index]: arg } }) => arg && own && !sameValue(arg, own))',
      'false',
      '',
    ],
  ]),
  ...faultsOf('analysis/thread-values.ts', [
    ["a lane's mask is one bit short", '(1 << (thread % 32)) - 1', '(1 << (thread % 32 >> 1)) - 1', ''],
  ]),
];
