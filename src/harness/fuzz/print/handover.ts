// Barriers in memory, and copies that they wait for. All threads of the block come, none has ended: each is counted.
import type { HandoverStatement } from '../kernels/tree.ts';
import type { Printing } from './printing.ts';
import type { Writer } from './writer.ts';

/// A thread's cell.
const cellBytes = 16;
/// Of a bulk copy: some cells, as a copy of known size is written out.
const bulkBytes = (threads: number): number => cellBytes * Math.min(threads, 8);

export function printHandover(printing: Printing, statement: HandoverStatement): void {
  const { writer, threads } = printing;
  const { how, a, d } = statement;
  const first = writer.temporary('p');
  const cell = writer.provide('cell');
  const phase = writer.provide('phase');
  writer.line(`setp.eq.u32 ${first}, %thread, 0`);
  writer.line(`@${first} mbarrier.init.shared.b64 [${phase}], ${threads}`);
  // What was written to the cells comes before what copies write there.
  if (how === 'bulk' || how === 'store') writer.line('fence.proxy.async');
  writer.line('bar.sync 0');
  if (how === 'store') return storeAll(printing, first, d);
  if (how !== 'bulk' && how !== 'copies') writer.line(`st.shared.b32 [${cell}], ${writer.register('r', a)}`);
  if (how === 'copies') {
    writer.line(`cp.async.ca.shared.global [${cell}], [${writer.provide('in')}+16], ${cellBytes}`);
    writer.line(`cp.async.mbarrier.arrive.noinc.shared.b64 [${phase}]`);
  }
  const token = writer.temporary('d');
  if (how === 'bulk') {
    const cells = firstCell(writer);
    writer.line(`@${first} mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [${phase}], ${bulkBytes(threads)}`);
    writer.line(
      `@${first} cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [${cells}], [${writer.provide('base')}], ${bulkBytes(threads)}, [${phase}]`,
    );
  }
  if (how !== 'copies') writer.line(`mbarrier.arrive${how === 'drop' ? '_drop' : ''}.shared.b64 ${token}, [${phase}]`);
  const done = writer.temporary('p');
  const again = writer.label();
  writer.place(again);
  if (how === 'token' || how === 'drop') writer.line(`mbarrier.test_wait.shared.b64 ${done}, [${phase}], ${token}`);
  else writer.line(`mbarrier.${how === 'parity' ? 'try' : 'test'}_wait.parity.shared.b64 ${done}, [${phase}], 0`);
  writer.line(`@!${done} bra ${again}`);
  writer.line(`ld.shared.b64 ${writer.register('d', d)}, [${someCell(printing, statement)}]`);
  writer.line('bar.sync 0');
  writer.line(`@${first} mbarrier.inval.shared.b64 [${phase}]`);
  writer.line('bar.sync 0');
}

/// The first cells of the block go to the first part of the block's buffer.
function storeAll({ writer, threads }: Printing, first: string, d: number): void {
  const [buffer, offset] = [writer.temporary('d'), writer.temporary('d')];
  const own = writer.provide('mem');
  writer.line(`mul.wide.u32 ${offset}, %thread, 32`);
  writer.line(`sub.u64 ${buffer}, ${own}, ${offset}`);
  const cells = firstCell(writer);
  writer.line(`@${first} cp.async.bulk.global.shared::cta.bulk_group [${buffer}], [${cells}], ${bulkBytes(threads)}`);
  writer.line(`@${first} cp.async.bulk.commit_group`);
  writer.line(`@${first} cp.async.bulk.wait_group 0`);
  writer.line(`@${first} mbarrier.inval.shared.b64 [${writer.provide('phase')}]`);
  writer.line('bar.sync 0');
  writer.line(`ld.global.b64 ${writer.register('d', d)}, [${own}]`);
}

function firstCell(writer: Writer): string {
  const cells = writer.temporary('r');
  writer.line(`shl.b32 ${cells}, %thread, 4`);
  writer.line(`sub.u32 ${cells}, ${writer.provide('cell')}, ${cells}`);
  return cells;
}

/// That of the thread that a register says.
function someCell({ writer, threads }: Printing, { from }: HandoverStatement): string {
  const other = writer.temporary('r');
  writer.line(`rem.u32 ${other}, ${writer.register('r', from)}, ${threads}`);
  writer.line(`sub.s32 ${other}, ${other}, %thread`);
  writer.line(`mad.lo.s32 ${other}, ${other}, ${cellBytes}, ${writer.provide('cell')}`);
  return other;
}
