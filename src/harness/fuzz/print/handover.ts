// Barriers in memory, and copies that they wait for. All threads of the block come, none has ended: each is counted.
import type { HandoverStatement } from '../kernels/tree.ts';
import type { Printing } from './printing.ts';
import type { Writer } from './writer.ts';

/// A thread's cell.
const cellBytes = 16;
/// Of a bulk copy: some cells, as a copy of known size is written out.
const bulkBytes = (threads: number): number => cellBytes * Math.min(threads, 8);

/// In whatever order they come, the same results.
const combinations = ['add.u32', 'min.s32', 'max.u32', 'and.b32', 'or.b32', 'xor.b32', 'add.u64'] as const;
const combinationOf = ({ a, d, from }: HandoverStatement): string =>
  combinations[(3 * a + d + from) % combinations.length] ?? 'add.u32';

export function printHandover(printing: Printing, statement: HandoverStatement): void {
  const { writer, threads } = printing;
  const { a, d } = statement;
  // To move cells takes two of them.
  const how = statement.how === 'move' && threads < 2 ? 'token' : statement.how;
  const first = writer.temporary('p');
  const cell = writer.provide('cell');
  const phase = writer.provide('phase');
  writer.line(`setp.eq.u32 ${first}, %thread, 0`);
  // Each thread's second arrival comes after its first one, so that a phase ends with a second one.
  const arrivesTwice = how === 'incomplete' || how === 'incompleteDrop';
  writer.line(`@${first} mbarrier.init.shared.b64 [${phase}], ${arrivesTwice ? 2 * threads : threads}`);
  const storesWords = how !== 'bulk' && how !== 'copies' && how !== 'store' && how !== 'reduce';
  // What others change has been written before they do.
  const early = how === 'move' || how === 'send' || how === 'update';
  if (early) writer.line(`st.shared.b32 [${cell}], ${writer.register('r', a)}`);
  // What was written to the cells comes before what copies write there.
  if (how === 'bulk' || how === 'store' || how === 'reduce' || how === 'move') writer.line('fence.proxy.async');
  writer.line('bar.sync 0');
  if (how === 'store' || how === 'reduce') return storeAll(printing, first, statement);
  if (storesWords && !early) writer.line(`st.shared.b32 [${cell}], ${writer.register('r', a)}`);
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
  if (how === 'move') moveCells(printing, first, statement);
  const drop = how === 'drop' || how === 'incompleteDrop' ? '_drop' : '';
  if (arrivesTwice) writer.line(`mbarrier.arrive${drop}.noComplete.shared.b64 ${token}, [${phase}], 1`);
  if (how === 'send' || how === 'update') changeCell(printing, statement, token);
  else if (how !== 'copies') writer.line(`mbarrier.arrive${drop}.shared.b64 ${token}, [${phase}]`);
  const done = writer.temporary('p');
  const again = writer.label();
  writer.place(again);
  if (how === 'token' || drop !== '' || arrivesTwice)
    writer.line(`mbarrier.test_wait.shared.b64 ${done}, [${phase}], ${token}`);
  else writer.line(`mbarrier.${how === 'parity' ? 'try' : 'test'}_wait.parity.shared.b64 ${done}, [${phase}], 0`);
  writer.line(`@!${done} bra ${again}`);
  writer.line(`ld.shared.b64 ${writer.register('d', d)}, [${someCell(printing, statement)}]`);
  writer.line('bar.sync 0');
  writer.line(`@${first} mbarrier.inval.shared.b64 [${phase}]`);
  writer.line('bar.sync 0');
}

/// The first half of the cells that bulk copies take goes to the second one.
function moveCells({ writer, threads }: Printing, first: string, statement: HandoverStatement): void {
  const phase = writer.provide('phase');
  const cells = firstCell(writer);
  const bytes = cellBytes * Math.floor(Math.min(threads, 8) / 2);
  const instruction = statement.a % 2 === 0 ? 'cp.async.bulk' : 'cp.reduce.async.bulk';
  const combination = statement.a % 2 === 0 ? '' : `.${combinationOf(statement)}`;
  writer.line(`@${first} mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [${phase}], ${bytes}`);
  writer.line(
    `@${first} ${instruction}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes${combination} [${cells}+${bytes}], [${cells}], ${bytes}, [${phase}]`,
  );
}

/// A word of a cell: the next thread's, which nobody else writes to, or some thread's, which others may change too.
function changeCell(printing: Printing, statement: HandoverStatement, token: string): void {
  const { writer, threads } = printing;
  const phase = writer.provide('phase');
  const value = writer.register('r', statement.from + 1);
  if (statement.how === 'send') {
    const next = writer.temporary('r');
    writer.line(`add.u32 ${next}, %thread, 1`);
    writer.line(`rem.u32 ${next}, ${next}, ${threads}`);
    writer.line(`sub.s32 ${next}, ${next}, %thread`);
    writer.line(`mad.lo.s32 ${next}, ${next}, ${cellBytes}, ${writer.provide('cell')}`);
    writer.line(`mbarrier.arrive.expect_tx.shared.b64 ${token}, [${phase}], 4`);
    writer.line(`st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [${next}], ${value}, [${phase}]`);
    return;
  }
  const combination = combinationOf(statement);
  const isWide = combination.endsWith('64');
  const other = someCell(printing, statement);
  writer.line(`mbarrier.arrive.expect_tx.shared.b64 ${token}, [${phase}], ${isWide ? 8 : 4}`);
  writer.line(
    `red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.${combination} [${other}], ${isWide ? writer.register('d', statement.from) : value}, [${phase}]`,
  );
}

/// The first cells of the block go to the first part of the block's buffer.
function storeAll({ writer, threads }: Printing, first: string, statement: HandoverStatement): void {
  const [buffer, offset] = [writer.temporary('d'), writer.temporary('d')];
  const own = writer.provide('mem');
  writer.line(`mul.wide.u32 ${offset}, %thread, 32`);
  writer.line(`sub.u64 ${buffer}, ${own}, ${offset}`);
  const cells = firstCell(writer);
  const [instruction, combination] =
    statement.how === 'store' ? ['cp.async.bulk', ''] : ['cp.reduce.async.bulk', `.${combinationOf(statement)}`];
  writer.line(
    `@${first} ${instruction}.global.shared::cta.bulk_group${combination} [${buffer}], [${cells}], ${bulkBytes(threads)}`,
  );
  writer.line(`@${first} cp.async.bulk.commit_group`);
  writer.line(`@${first} cp.async.bulk.wait_group 0`);
  writer.line(`@${first} mbarrier.inval.shared.b64 [${writer.provide('phase')}]`);
  writer.line('bar.sync 0');
  writer.line(`ld.global.b64 ${writer.register('d', statement.d)}, [${own}]`);
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
