// Asynchronous copies and updates, and their transaction counts.
import { anyInstructionText } from '../../suites/rows/instruction-text.ts';
import type { HandoverStatement } from '../kernels/tree.ts';
import { addressIn, type Forms, formsOf, nth, printPhase, rowNamed } from './phase.ts';
import type { Printing } from './printing.ts';
import type { Writer } from './writer.ts';

/** The number of bytes of a thread's cell. */
export const cellBytes = 16;
/**
 * Returns the number of bytes of a bulk copy, which is the size of several cells. It must be a
 * constant.
 */
const bulkBytes = (threads: number): number => cellBytes * Math.min(threads, 8);

const expected = (writer: Writer, forms: Forms, guard: string, tx: number): void =>
  printPhase(writer, { row: 'mbarrier.expect_tx', forms, operands: { tx: `${tx}` }, guard });

/** Creates a cache policy if the modifiers name one. */
export function policyFor(writer: Writer, level: string | undefined): { readonly policy?: string } {
  if (level === undefined) return {};
  const policy = writer.temporary('d');
  writer.line(`createpolicy.fractional.L2::evict_first.b64 ${policy}, 0f3f800000`);
  return { policy };
}

/** Copies from the input into the first cells. */
export function copyIn({ writer, threads }: Printing, guard: string, { form }: HandoverStatement, forms: Forms): void {
  const to = `[${firstCell(writer)}]`;
  const bytes = bulkBytes(threads);
  const mods = nth(formsOf('cp.async.bulk.load'), form);
  expected(writer, forms, guard, bytes);
  const policy = policyFor(writer, mods.level);
  const operands = {
    to,
    a: `[${writer.provide('base')}]`,
    n: `${bytes}`,
    bar: `[${writer.provide('phase')}]`,
    ...policy,
  };
  writer.line(`${guard}${anyInstructionText(rowNamed('cp.async.bulk.load'), mods, operands)}`);
}

/** Moves the first half of the bulk copy's cells to the second half. */
export function moveCells(
  { writer, threads }: Printing,
  guard: string,
  { form }: HandoverStatement,
  forms: Forms,
): void {
  const cells = firstCell(writer);
  const bytes = cellBytes * Math.floor(Math.min(threads, 8) / 2);
  const name = form % 2 === 0 ? 'cp.async.bulk.move' : 'cp.reduce.async.bulk.move';
  expected(writer, forms, guard, bytes);
  const operands = { to: `[${cells}+${bytes}]`, a: `[${cells}]`, n: `${bytes}`, bar: `[${writer.provide('phase')}]` };
  writer.line(`${guard}${anyInstructionText(rowNamed(name), nth(formsOf(name), form >>> 1), operands)}`);
}

/**
 * Copies or adds the block's first cells to the start of its buffer. If the instruction adds
 * floats, the cells contain whole numbers.
 */
export function storeAll(
  { writer, threads }: Printing,
  first: string,
  { how, form }: HandoverStatement,
  forms: Forms,
): void {
  const guard = `@${first} `;
  const [buffer, offset] = [writer.temporary('d'), writer.temporary('d')];
  writer.line(`mul.wide.u32 ${offset}, %thread, 32`);
  writer.line(`sub.u64 ${buffer}, ${writer.provide('mem')}, ${offset}`);
  const name = how === 'store' ? 'cp.async.bulk.store' : 'cp.reduce.async.bulk.store';
  const mods = nth(formsOf(name), form);
  const policy = policyFor(writer, mods.level);
  const operands = { to: `[${buffer}]`, a: `[${firstCell(writer)}]`, n: `${bulkBytes(threads)}`, ...policy };
  writer.line(`${guard}${anyInstructionText(rowNamed(name), mods, operands)}`);
  writer.line(`${guard}cp.async.bulk.commit_group`);
  if (forms.next() % 2 === 1) writer.line(`${guard}cp.async.bulk.wait_group.read 0`);
  writer.line(`${guard}cp.async.bulk.wait_group 0`);
}

/**
 * Changes a word of a cell. This is the next thread's cell, which only this thread writes, or some
 * thread's cell, which others may change, too.
 */
export function changeCell(printing: Printing, statement: HandoverStatement, state: string, forms: Forms): void {
  const { writer, threads } = printing;
  const name = statement.how === 'send' ? 'st.async' : 'red.async';
  const mods = nth(formsOf(name), statement.form);
  const { type = 'b32', op } = mods;
  const count = Number(mods.vec?.slice(1) ?? 1);
  const bytes = (count * Number(type.slice(1))) / 8;
  const drops = forms.next() % 2 === 1 ? '_drop' : '';
  const cell = statement.how === 'send' ? nextCell(writer, threads) : someCell(printing, statement);
  printPhase(writer, { row: `mbarrier.arrive${drops}.expect_tx`, forms, operands: { d: state, tx: `${bytes}` } });
  const letter = type.endsWith('64') ? 'd' : type === 'f32' ? 'f' : 'r';
  const values = Array.from({ length: count }, (_, index) => writer.register(letter, statement.from + 1 + index));
  // The result of `inc` or `dec` does not depend on the order only if all threads use the same
  // bound.
  const value = op === 'inc' || op === 'dec' ? '9' : count === 1 ? values.join() : `{${values.join(', ')}}`;
  const [a, bar] = [cell, writer.provide('phase')].map((place) => `[${addressIn(writer, mods.space, place)}]`);
  writer.line(anyInstructionText(rowNamed(name), mods, { a: a ?? '', b: value, bar: bar ?? '' }));
}

/** Sums the pending counts over the threads, because each thread reads a different count. */
export function sumOfMissing({ writer }: Printing, { d, from }: HandoverStatement, state: string): void {
  const [missing, cells] = [writer.temporary('r'), firstCell(writer)];
  writer.line(`mbarrier.pending_count.b64 ${missing}, ${state}`);
  writer.line('bar.sync 0');
  writer.line(`red.shared.add.u32 [${cells}+12], ${missing}`);
  writer.line('bar.sync 0');
  writer.line(`ld.shared.b32 ${writer.register('r', d + from)}, [${cells}+12]`);
}

function nextCell(writer: Writer, threads: number): string {
  const next = writer.temporary('r');
  writer.line(`add.u32 ${next}, %thread, 1`);
  writer.line(`rem.u32 ${next}, ${next}, ${threads}`);
  writer.line(`sub.s32 ${next}, ${next}, %thread`);
  writer.line(`mad.lo.s32 ${next}, ${next}, ${cellBytes}, ${writer.provide('cell')}`);
  return next;
}

export function firstCell(writer: Writer): string {
  const cells = writer.temporary('r');
  writer.line(`shl.b32 ${cells}, %thread, 4`);
  writer.line(`sub.u32 ${cells}, ${writer.provide('cell')}, ${cells}`);
  return cells;
}

/** Returns the address of the cell that a register selects. */
export function someCell({ writer, threads }: Printing, { from }: { readonly from: number }): string {
  const other = writer.temporary('r');
  writer.line(`rem.u32 ${other}, ${writer.register('r', from)}, ${threads}`);
  writer.line(`sub.s32 ${other}, ${other}, %thread`);
  writer.line(`mad.lo.s32 ${other}, ${other}, ${cellBytes}, ${writer.provide('cell')}`);
  return other;
}
