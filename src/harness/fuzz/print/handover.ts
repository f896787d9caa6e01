// Prints mbarriers, and copies that complete on them. All threads of the block must be alive,
// because each of them is counted.
import type { HandoverStatement } from '../kernels/tree.ts';
import { cellBytes, changeCell, copyIn, moveCells, someCell, storeAll, sumOfMissing } from './handover-copies.ts';
import { Forms, printPhase } from './phase.ts';
import type { Printing } from './printing.ts';

/**
 * The ways in which a thread's second arrival completes the phase. `byState`: those in which
 * threads wait with the state that an arrival returned.
 */
const twice: readonly string[] = ['incomplete', 'incompleteDrop', 'count'];
const byState: readonly string[] = ['token', 'drop', ...twice];

export function printHandover(printing: Printing, statement: HandoverStatement): void {
  const { writer, threads } = printing;
  const { a, d } = statement;
  const forms = new Forms(statement.form);
  // A move needs two threads.
  const how = statement.how === 'move' && threads < 2 ? 'token' : statement.how;
  const first = writer.temporary('p');
  const cell = writer.provide('cell');
  writer.provide('phase');
  writer.line(`setp.eq.u32 ${first}, %thread, 0`);
  const guard = `@${first} `;
  // Each thread's second arrival follows its first arrival, so a second arrival completes the
  // phase. In other forms, one arrival may count as several.
  const arrivesTwice = twice.includes(how);
  const isCounted = !arrivesTwice && ['token', 'parity', 'drop', 'pledge', 'move'].includes(how);
  const each = isCounted ? 1 + (forms.next() % 3) : 1;
  const number = arrivesTwice ? 2 * threads : each * threads;
  printPhase(writer, { row: 'mbarrier.init', forms, operands: { n: `${number}` }, guard });
  // Threads write their cells before other threads change these cells.
  const early = how === 'move' || how === 'send' || how === 'update';
  if (early) writer.line(`st.shared.b32 [${cell}], ${writer.register('r', a)}`);
  // Order the generic writes to the cells before the asynchronous writes.
  if (how === 'bulk' || how === 'store' || how === 'reduce' || how === 'move') writer.line('fence.proxy.async');
  writer.line('bar.sync 0');
  if (how === 'store' || how === 'reduce') {
    storeAll(printing, first, statement, forms);
    printPhase(writer, { row: 'mbarrier.inval', forms, guard });
    writer.line('bar.sync 0');
    writer.line(`ld.global.b64 ${writer.register('d', d)}, [${writer.provide('mem')}]`);
    return;
  }
  if (!early && how !== 'bulk' && how !== 'copies') writer.line(`st.shared.b32 [${cell}], ${writer.register('r', a)}`);
  const keepsState = byState.includes(how);
  const state = writer.temporary('d');
  const arrive = (row: string, operands: Readonly<Record<string, string>> = {}) =>
    printPhase(writer, { row, forms, operands: { d: state, ...operands }, keepsState });
  // This is the last phase, so any thread may drop out.
  const drops = how === 'drop' || how === 'incompleteDrop' || (isCounted && !keepsState && forms.next() % 3 === 2);
  const drop = drops ? '_drop' : '';
  if (how === 'copies') {
    writer.line(`cp.async.ca.shared.global [${cell}], [${writer.provide('in')}+16], ${cellBytes}`);
    const isExpected = printsOwnArrival(printing, forms);
    if (isExpected) arrive('mbarrier.arrive');
  }
  if (how === 'bulk') copyIn(printing, guard, statement, forms);
  if (how === 'move') moveCells(printing, guard, statement, forms);
  if (how === 'pledge') printPhase(writer, { row: 'mbarrier.expect_tx', forms, operands: { tx: '12' } });
  if (arrivesTwice) arrive(`mbarrier.arrive${drop}.noComplete`, { n: '1' });
  if (how === 'count') sumOfMissing(printing, statement, state);
  if (how === 'send' || how === 'update') changeCell(printing, statement, state, forms);
  else if (how !== 'copies') {
    const isTold = each > 1 || forms.next() % 3 === 1;
    arrive(`mbarrier.arrive${drop}`, isTold ? { n: `${each}` } : {});
  }
  if (how === 'pledge') printPhase(writer, { row: 'mbarrier.complete_tx', forms, operands: { tx: '12' } });
  waitForPhase(printing, forms, keepsState ? state : undefined);
  writer.line(`ld.shared.b64 ${writer.register('d', d)}, [${someCell(printing, statement)}]`);
  writer.line('bar.sync 0');
  printPhase(writer, { row: 'mbarrier.inval', forms, guard });
  writer.line('bar.sync 0');
}

/**
 * Emits the arrival of the thread's copies. Returns whether that arrival adds to the pending count.
 * If so, the thread must also arrive itself.
 */
function printsOwnArrival({ writer }: Printing, forms: Forms): boolean {
  const row = 'cp.async.mbarrier.arrive';
  const isExpected = forms.next() % 2 === 1;
  printPhase(writer, { row, forms, having: ({ noinc }) => (noinc === undefined) === isExpected });
  return isExpected;
}

function waitForPhase({ writer }: Printing, forms: Forms, state: string | undefined): void {
  const done = writer.temporary('p');
  const again = writer.label();
  const word = forms.next() % 2 === 1 ? 'try' : 'test';
  const time = word === 'try' && forms.next() % 2 === 1 ? { time: '40' } : {};
  writer.place(again);
  printPhase(writer, {
    row: `mbarrier.${word}_wait${state === undefined ? '.parity' : ''}`,
    forms,
    operands: { d: done, ...(state === undefined ? { parity: '0' } : { state }), ...time },
  });
  writer.line(`@!${done} bra ${again}`);
}
