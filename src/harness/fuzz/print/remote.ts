// Prints accesses of other blocks' shared memory. All threads of all blocks of a cluster reach them
// together. Barriers of the cluster order them after earlier accesses and before later ones.
import { anyInstructionText } from '../../suites/rows/instruction-text.ts';
import { clusterBarriers } from '../kernels/barrier-texts.ts';
import { losesRemoteUpdates } from '../kernels/native-departures.ts';
import type { ClusterStatement } from '../kernels/tree.ts';
import { cellBytes, firstCell, policyFor, someCell } from './handover-copies.ts';
import { addressIn, Forms, formsOf, nth, printPhase, rowNamed } from './phase.ts';
import type { Printing } from './printing.ts';
import type { Writer } from './writer.ts';

/** Operations whose result does not depend on their order. */
const reductions = ['add.u32', 'min.s32', 'max.u32', 'and.b32', 'or.b32', 'xor.b32', 'add.u64', 'max.s64'] as const;
const updates = ['add.u32', 'min.s32', 'max.u32', 'and.b32', 'or.b32', 'xor.b32', 'add.u64'] as const;

const loads = [
  'ld.shared::cluster',
  'ld.weak.shared::cluster',
  'ld.volatile.shared::cluster',
  'ld.relaxed.cluster.shared::cluster',
  'ld.acquire.cluster.shared::cluster',
] as const;
const stores = [
  'st.shared::cluster',
  'st.weak.shared::cluster',
  'st.volatile.shared::cluster',
  'st.relaxed.cluster.shared::cluster',
  'st.release.cluster.shared::cluster',
] as const;

export function printRemote(printing: Printing, statement: ClusterStatement): void {
  const { writer } = printing;
  const forms = new Forms(statement.form);
  const { how, a, d } = statement;
  const cell = writer.provide('cell');
  const sync = () => {
    for (const line of nth(clusterBarriers, forms.next()).split('; ')) writer.line(line);
  };
  const rank = otherRank(printing, forms);
  switch (how) {
    case 'rank':
      return printRank(printing, statement, rank);
    case 'load':
    case 'generic':
      writer.line(`st.shared.b32 [${cell}], ${writer.register('r', a)}`);
      sync();
      loadFrom(printing, statement, rank, forms);
      return sync();
    case 'store':
      sync();
      storeTo(printing, statement, rank, forms);
      sync();
      return writer.line(`ld.shared.b64 ${writer.register('d', d)}, [${cell}]`);
    case 'reduce':
      sync();
      reduceIn(printing, statement, rank, forms);
      sync();
      writer.line(`ld.shared.b64 ${writer.register('d', d)}, [${someCell(printing, statement)}]`);
      return writer.line('bar.sync 0');
    default:
      return printPhases(printing, statement, rank, forms, sync);
  }
}

/**
 * Returns a register with the rank of a block: a fixed distance from the own block in all threads,
 * or another distance in each thread. The threads with one number all name different blocks.
 */
function otherRank({ writer, clusterBlocks }: Printing, forms: Forms): string {
  const rank = writer.temporary('r');
  writer.line(`mov.u32 ${rank}, %cluster_ctarank`);
  writer.line(`add.u32 ${rank}, ${rank}, ${1 + (forms.next() % 4)}`);
  if (forms.next() % 3 === 2) writer.line(`add.u32 ${rank}, ${rank}, %thread`);
  writer.line(`rem.u32 ${rank}, ${rank}, ${clusterBlocks}`);
  return rank;
}

/** Returns the address in another block of a variable, or of a place of shared memory. */
function inBlock(writer: Writer, place: string, rank: string): string {
  const [own, mapped] = [writer.temporary('r'), writer.temporary('r')];
  writer.line(`mov.u32 ${own}, ${place}`);
  writer.line(`mapa.shared::cluster.u32 ${mapped}, ${own}, ${rank}`);
  return mapped;
}

/** Returns the generic address of a cell in another block. */
function genericIn(writer: Writer, cell: string, rank: string): string {
  const mapped = writer.temporary('d');
  writer.line(`mapa.u64 ${mapped}, ${addressIn(writer, undefined, cell)}, ${rank}`);
  return mapped;
}

function loadFrom(printing: Printing, statement: ClusterStatement, rank: string, forms: Forms): void {
  const { writer } = printing;
  const { d, how } = statement;
  const cell = forms.next() % 2 === 1 ? someCell(printing, statement) : writer.provide('cell');
  if (how === 'generic') return writer.line(`ld.b64 ${writer.register('d', d)}, [${genericIn(writer, cell, rank)}]`);
  const at = inBlock(writer, cell, rank);
  const load = nth(loads, forms.next());
  const width = forms.next() % 3;
  if (width === 0) return writer.line(`${load}.b32 ${writer.register('r', d)}, [${at}]`);
  if (width === 1) return writer.line(`${load}.b64 ${writer.register('d', d)}, [${at}+8]`);
  const [first, second] = writer.results(['r', 'r'], [d, d + 1]);
  writer.line(`${load}.v2.b32 {${first}, ${second}}, [${at}]`);
}

function storeTo({ writer }: Printing, { a }: ClusterStatement, rank: string, forms: Forms): void {
  const cell = writer.provide('cell');
  if (forms.next() % 4 === 3)
    return writer.line(`st.b32 [${genericIn(writer, cell, rank)}], ${writer.register('r', a)}`);
  const at = inBlock(writer, cell, rank);
  const store = nth(stores, forms.next());
  const width = forms.next() % 4;
  if (width === 0) writer.line(`${store}.b32 [${at}+4], ${writer.register('r', a)}`);
  else if (width === 1) writer.line(`${store}.b64 [${at}], ${writer.register('d', a)}`);
  else if (width === 2)
    writer.line(`${store}.v2.b32 [${at}], {${writer.register('r', a)}, ${writer.register('r', a + 1)}}`);
  else writer.line(`${store}.b16 [${at}+2], ${writer.register('h', a)}`);
}

function reduceIn(printing: Printing, statement: ClusterStatement, rank: string, forms: Forms): void {
  const { writer } = printing;
  const at = inBlock(writer, someCell(printing, statement), rank);
  const operation = nth(reductions, forms.next());
  if (losesRemoteUpdates(operation)) printing.native = false;
  const letter = operation.endsWith('64') ? 'd' : 'r';
  const value = writer.register(letter, statement.a);
  const scope = nth(['', '.relaxed.cluster', '.acq_rel.cluster', '.release.cluster', '.relaxed.gpu'], forms.next());
  if (scope.includes('acq') || forms.next() % 2 === 0) {
    // The old value depends on the order.
    const old = writer.temporary(letter);
    return writer.line(`atom${scope}.shared::cluster.${operation} ${old}, [${at}], ${value}`);
  }
  writer.line(`red${scope}.shared::cluster.${operation} [${at}], ${value}`);
}

function printRank({ writer }: Printing, { d }: ClusterStatement, rank: string): void {
  const [found, own] = [writer.temporary('r'), writer.temporary('r')];
  const result = writer.register('r', d);
  const at = inBlock(writer, writer.provide('cell'), rank);
  writer.line(`getctarank.shared::cluster.u32 ${found}, ${at}`);
  writer.line(`getctarank.u64 ${own}, ${genericIn(writer, writer.provide('cell'), rank)}`);
  writer.line(`mad.lo.u32 ${result}, ${result}, 31, ${found}`);
  writer.line(`mad.lo.u32 ${result}, ${result}, 31, ${own}`);
}

/** Prints accesses that complete on the mbarrier of the other block. */
function printPhases(
  printing: Printing,
  statement: ClusterStatement,
  rank: string,
  forms: Forms,
  sync: () => void,
): void {
  const { writer, threads } = printing;
  const { how, a, d } = statement;
  const [first, cell] = [writer.temporary('p'), writer.provide('cell')];
  writer.line(`setp.eq.u32 ${first}, %thread, 0`);
  const guard = `@${first} `;
  printPhase(writer, { row: 'mbarrier.init', forms: new Forms(0), operands: { n: `${threads}` }, guard });
  writer.line('fence.mbarrier_init.release.cluster');
  if (how === 'copy') {
    writer.line(`st.shared.b32 [${cell}], ${writer.register('r', a)}`);
  }
  if (how === 'copy' || how === 'multicast') writer.line('fence.proxy.async');
  sync();
  const remote = inBlock(writer, writer.provide('phase'), rank);
  if (how === 'arrive') {
    storeTo(printing, statement, rank, forms);
    writer.line(`mbarrier.arrive.release.cluster.shared::cluster.b64 _, [${remote}]`);
  } else if (how === 'copy') copyTo(printing, guard, rank, remote);
  else if (how === 'multicast') copyToAll(printing, first, statement.form);
  else {
    const operation = how === 'send' ? nth(['b32', 'b64'], forms.next()) : nth(updates, forms.next());
    const [bytes, letter] = operation.endsWith('64') ? ([8, 'd'] as const) : ([4, 'r'] as const);
    arriveFor(writer, bytes);
    const opcode =
      how === 'send'
        ? 'st.async.shared::cluster.mbarrier::complete_tx::bytes'
        : 'red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster';
    writer.line(`${opcode}.${operation} [${inBlock(writer, cell, rank)}], ${writer.register(letter, a)}, [${remote}]`);
  }
  waitForBlock(writer, forms);
  writer.line(`ld.shared.b64 ${writer.register('d', d)}, [${cell}]`);
  sync();
  printPhase(writer, { row: 'mbarrier.inval', forms: new Forms(0), guard });
  writer.line('bar.sync 0');
}

/** Prints an arrival of each thread at the own mbarrier, which expects bytes for it. */
function arriveFor(writer: Writer, bytes: number): void {
  writer.line(`mbarrier.arrive.expect_tx.shared.b64 ${writer.temporary('d')}, [phase], ${bytes}`);
}

/** Copies the first cells to the following cells of another block. `guard` selects one thread. */
function copyTo({ writer, threads }: Printing, guard: string, rank: string, remote: string): void {
  const bytes = cellBytes * Math.floor(Math.min(threads, 8) / 2);
  writer.line(`${guard}mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [phase], ${bytes}`);
  const cells = firstCell(writer);
  const to = inBlock(writer, cells, rank);
  const opcode = 'cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes';
  writer.line(`${guard}${opcode} [${to}+${bytes}], [${cells}], ${bytes}, [${remote}]`);
  arriveFor(writer, 0);
}

/**
 * Copies words of the input to the first cells of the other blocks, or of all blocks. `first` is true
 * in the first thread of each block.
 */
function copyToAll({ writer, threads, clusterBlocks }: Printing, first: string, form: number): void {
  const bytes = cellBytes * Math.min(threads, 8);
  const [own, isFirst, mask] = [writer.temporary('r'), writer.temporary('p'), writer.temporary('h')];
  const all = 2 ** clusterBlocks - 1;
  const named = form % 2 === 1 && all > 1 ? all - 1 : all;
  writer.line(`mov.u32 ${own}, %cluster_ctarank`);
  writer.line(`shr.u32 ${own}, ${named}, ${own}`);
  writer.line(`and.b32 ${own}, ${own}, 1`);
  writer.line(`setp.ne.and.u32 ${isFirst}, ${own}, 0, ${first}`);
  writer.line(`@${isFirst} mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [phase], ${bytes}`);
  arriveFor(writer, 0);
  writer.line(`mov.u32 ${own}, %cluster_ctarank`);
  writer.line(`setp.eq.and.u32 ${isFirst}, ${own}, 0, ${first}`);
  writer.line(`mov.b16 ${mask}, ${named}`);
  const mods = nth(formsOf('cp.async.bulk.multicast'), form >>> 1);
  const texts = { to: `[${firstCell(writer)}]`, a: `[${writer.provide('base')}]`, n: `${bytes}`, bar: '[phase]', mask };
  const operands = { ...texts, ...policyFor(writer, mods.level) };
  writer.line(`@${isFirst} ${anyInstructionText(rowNamed('cp.async.bulk.multicast'), mods, operands)}`);
}

function waitForBlock(writer: Writer, forms: Forms): void {
  const done = writer.temporary('p');
  const again = writer.label();
  const word = forms.next() % 2 === 1 ? 'try' : 'test';
  writer.place(again);
  writer.line(`mbarrier.${word}_wait.parity.acquire.cluster.shared::cta.b64 ${done}, [phase], 0`);
  writer.line(`@!${done} bra ${again}`);
}
