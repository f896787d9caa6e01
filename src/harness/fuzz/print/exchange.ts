// Passes values through shared memory. Each thread has a word, which other threads read between two
// barriers.

import type { ExchangeStatement } from '../kernels/tree.ts';
import { maskText, type Place } from './masks.ts';
import type { Printing } from './printing.ts';
import { liveLanes } from './warp.ts';

export function printExchange(printing: Printing, statement: ExchangeStatement, place: Place): void {
  if (statement.among === 'lanes') return amongLanes(printing, statement, place);
  if (statement.among === 'block') return amongBlock(printing, statement);
  if (statement.among === 'arrivals') return amongWarps(printing, statement);
  return atomically(printing, statement);
}

function amongLanes({ writer, everyLaneLives }: Printing, { d, a, from }: ExchangeStatement, { mask }: Place): void {
  const own = writer.provide('own');
  const lane = writer.provide('lane');
  const live = liveLanes(writer, false, everyLaneLives, mask);
  const other = writer.temporary('r');
  const bit = writer.temporary('r');
  const there = writer.temporary('p');
  writer.line(`st.shared.b32 [${own}], ${writer.source('r', a)}`);
  writer.line(`bar.warp.sync ${maskText(writer, mask)}`);
  writer.line(`and.b32 ${other}, ${writer.source('r', from)}, 31`);
  writer.line(`shr.u32 ${bit}, ${live}, ${other}`);
  writer.line(`and.b32 ${bit}, ${bit}, 1`);
  writer.line(`setp.ne.u32 ${there}, ${bit}, 0`);
  writer.line(`selp.b32 ${other}, ${other}, ${lane}, ${there}`);
  writer.line(`sub.u32 ${other}, ${other}, ${lane}`);
  writer.line(`shl.b32 ${other}, ${other}, 2`);
  writer.line(`add.u32 ${other}, ${own}, ${other}`);
  writer.line(`ld.shared.b32 ${writer.register('r', d)}, [${other}]`);
  writer.line(`bar.warp.sync ${maskText(writer, mask)}`);
}

function amongBlock(printing: Printing, statement: ExchangeStatement): void {
  const { writer } = printing;
  const cell = anyCell(printing, statement);
  writer.line(`st.shared.b32 [${writer.provide('own')}], ${writer.source('r', statement.a)}`);
  printBarrier(printing, { ...statement, a: statement.a.register });
  writer.line(`ld.shared.b32 ${writer.register('r', statement.d)}, [${cell}]`);
  writer.line('bar.sync 0');
}

/**
 * Prints an exchange between warps. Odd warps store, arrive and continue; even warps wait for them
 * and read. Barrier 0 is not used, because all warps synchronize there afterwards, and it would
 * count the second arrival of an odd warp as the arrival of another warp.
 */
function amongWarps(printing: Printing, statement: ExchangeStatement): void {
  const { writer, threads, everyThreadLives } = printing;
  if (threads <= 32 || !everyThreadLives) return amongBlock(printing, statement);
  const cell = anyCell(printing, statement);
  const odd = writer.temporary('p');
  const number = writer.temporary('r');
  const [arrive, end] = [writer.label(), writer.label()];
  const { arrival, d, a } = statement;
  writer.line(`st.shared.b32 [${writer.provide('own')}], ${writer.source('r', a)}`);
  writer.line(`shr.u32 ${number}, %thread, 5`);
  writer.line(`and.b32 ${number}, ${number}, 1`);
  writer.line(`setp.ne.u32 ${odd}, ${number}, 0`);
  writer.line(`@${odd} bra.uni ${arrive}`);
  printBarrier(printing, { barrier: arrival.replace('.arrive', '.sync'), d, a: a.register });
  writer.line(`ld.shared.b32 ${writer.register('r', d)}, [${cell}]`);
  writer.line(`bra.uni ${end}`);
  writer.place(arrive);
  printBarrier(printing, { barrier: arrival, d, a: a.register });
  writer.place(end);
  writer.line('bar.sync 0');
}

function atomically(printing: Printing, statement: ExchangeStatement): void {
  const { writer } = printing;
  const cell = anyCell(printing, statement);
  writer.line('bar.sync 0');
  writer.line(`red.shared.${statement.operation} [${cell}], ${writer.source('r', statement.a)}`);
  printBarrier(printing, { ...statement, a: statement.a.register });
  writer.line(`ld.shared.b32 ${writer.register('r', statement.d)}, [${cell}]`);
  writer.line('bar.sync 0');
}

/** Returns the address of some thread's word. */
function anyCell({ writer, threads }: Printing, { from }: ExchangeStatement): string {
  writer.provide('own');
  const cell = writer.temporary('r');
  writer.line(`rem.u32 ${cell}, ${writer.source('r', from)}, ${threads}`);
  writer.line(`shl.b32 ${cell}, ${cell}, 2`);
  writer.line(`add.u32 ${cell}, ${cell}, %words`);
  return cell;
}

/**
 * Prints a barrier. In its text, `D`, `P` and `Q` are registers, because a barrier may also vote.
 * `B` is a register with its number, `N` is the number of threads in whole warps, and `M` is a
 * register with that number. If threads have ended, the number of threads is unknown. If only some
 * blocks of a cluster reach the place, the block's barrier replaces the cluster's.
 */
export function printBarrier(
  { writer, threads, everyThreadLives, clusterBlocks, blocksTogether }: Printing,
  { barrier: given, d, a }: { readonly barrier: string; readonly d: number; readonly a: number },
): void {
  const isOfCluster = given.includes('barrier.cluster');
  const text = isOfCluster && clusterBlocks > 1 && !blocksTogether ? 'bar.sync 0' : given;
  const count = 32 * Math.ceil(threads / 32);
  const inRegister = (value: number): string => {
    const register = writer.temporary('r');
    writer.line(`and.b32 ${register}, ${writer.provide('full')}, ${value}`);
    return register;
  };
  const texts: Readonly<Record<string, () => string>> = {
    D: () => writer.register('r', d + 1),
    P: () => writer.register('p', a),
    Q: () => writer.register('p', d),
    B: () => inRegister(1 + ((d + a) % 15)),
    N: () => `${count}`,
    M: () => inRegister(count),
  };
  const counted = everyThreadLives ? text : text.replace(/, [MN]\b/g, '');
  const line = counted.replace(/\b[BDMNPQ]\b/g, (name) => texts[name]?.() ?? name);
  for (const each of line.split('; ')) writer.line(each);
}
