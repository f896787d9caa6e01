// Threads of a block that change the same cells concurrently. Each thread changes some thread's
// cell, and after a barrier reads a cell.
import type { Contention } from '../kernels/contentions.ts';
import { addsSharedPair } from '../kernels/native-departures.ts';
import type { ContendStatement } from '../kernels/tree.ts';
import { printBarrier } from './exchange.ts';
import type { Printing } from './printing.ts';

/** Formats an address in a cell. Shared addresses have 32 bits. */
interface Cell {
  readonly at: (offset: number) => string;
  /** The suffix of the state space: `.shared`, `.global`, or empty for generic addresses. */
  readonly space: string;
}

export function printContention(printing: Printing, statement: ContendStatement): void {
  const { writer } = printing;
  const { contention } = statement;
  const { operation, bits, count } = contention;
  if (addsSharedPair(`red.${statement.space}.${operation} `)) printing.facts.add('adds shared pairs');
  const own = ownCell(printing, statement.space);
  const cell = someCell(printing, statement);
  // Sums stay whole if the initial value is whole. If a thread has ended, its initial value is 0.
  if (contention.value === 'whole') {
    if (!printing.everyLaneLives) {
      writer.line('bar.sync 0');
      clear(printing, cell, count * bits);
      writer.line('bar.sync 0');
    }
    for (let index = 0; index < count; index++)
      writer.line(
        `st${own.space}.b${bits} ${own.at((index * bits) / 8)}, ${wholeNumber(printing, contention, statement.from, index)}`,
      );
  }
  writer.line('bar.sync 0');
  const values = Array.from({ length: count }, (_, index) => valueText(printing, statement, index));
  const value = count === 1 ? (values[0] ?? '') : `{${values.join(', ')}}`;
  if (contention.compares === 'cell') writer.line(`red${cell.space}.${operation} ${cell.at(0)}, ${value}`);
  else {
    const name = bits === 64 ? 'd' : bits === 16 ? 'h' : 'r';
    const old = writer.temporary(name);
    if (operation.startsWith('cas')) printSwaps(printing, contention, cell, old, value);
    else writer.line(`atom${cell.space}.${operation} ${old}, ${cell.at(0)}, ${value}`);
    const wide = writer.temporary('d');
    writer.line(bits === 64 ? `mov.b64 ${wide}, ${old}` : `cvt.u64.u${bits} ${wide}, ${old}`);
    writer.line(`red${cell.space}.add.u64 ${cell.at(8)}, ${wide}`);
  }
  printBarrier(printing, statement);
  readCell(printing, statement, cell);
  writer.line('bar.sync 0');
  if (!operation.startsWith('exch')) return;
  // The order of exchanges is undefined, so it is also undefined which value the sum of the old
  // values lacks.
  clear(printing, cell, 128);
  writer.line('bar.sync 0');
}

/** Zeroes the first bits of a cell. Several threads may do this at the same time. */
function clear({ writer }: Printing, cell: Cell, bits: number): void {
  for (let offset = 0; offset < bits; offset += 64) writer.line(`red${cell.space}.and.b64 ${cell.at(offset / 8)}, 0`);
}

/**
 * Reads the cell's final value, and combines it with the next word: the sum of the old values, or
 * the rest of a wide vector.
 */
function readCell({ writer }: Printing, { contention, d }: ContendStatement, cell: Cell): void {
  const { bits, count } = contention;
  const result = writer.register('d', d);
  const word = writer.temporary('d');
  writer.line(`ld${cell.space}.b64 ${result}, ${cell.at(0)}`);
  if (contention.compares !== 'olds' && bits * count <= 64) return;
  writer.line(`ld${cell.space}.b64 ${word}, ${cell.at(8)}`);
  // The sum of all values of exchanges is fixed, so add it. Combine floating-point bits by xor.
  writer.line(`${contention.compares === 'olds' ? 'add.u64' : 'xor.b64'} ${result}, ${result}, ${word}`);
}

/**
 * Prints an addition by a compare-and-swap loop, which retries until no other thread interferes.
 */
function printSwaps(
  { writer }: Printing,
  { operation, bits }: Contention,
  cell: Cell,
  old: string,
  value: string,
): void {
  const [assumed, sum] = [0, 1].map(() => writer.temporary(bits === 64 ? 'd' : bits === 16 ? 'h' : 'r'));
  const again = writer.temporary('p');
  const start = writer.label();
  writer.line(`ld.volatile${cell.space}.b${bits} ${old}, ${cell.at(0)}`);
  writer.place(start);
  writer.line(`mov.b${bits} ${assumed}, ${old}`);
  writer.line(`add.u${bits} ${sum}, ${assumed}, ${value}`);
  writer.line(`atom${cell.space}.${operation} ${old}, ${cell.at(0)}, ${assumed}, ${sum}`);
  writer.line(`setp.ne.u${bits} ${again}, ${old}, ${assumed}`);
  writer.line(`@${again} bra ${start}`);
}

/**
 * Emits a number from -1 to 2, so that the sums of a block are exact. Pairs of bf16 or f16 have a
 * second number in the upper half.
 */
function wholeNumber({ writer }: Printing, { operation, bits }: Contention, register: number, index: number): string {
  const type = operation.split('.').at(-1) ?? '';
  const number = (shift: number): string => {
    const word = writer.temporary('r');
    writer.line(`bfe.u32 ${word}, ${writer.register('r', register)}, ${(shift + 5 * index) % 30}, 2`);
    writer.line(`sub.s32 ${word}, ${word}, 1`);
    return word;
  };
  if (type.endsWith('x2')) {
    const halves = [0, 2].map((shift) => {
      const half = writer.temporary('h');
      writer.line(`cvt.rn.${type.slice(0, -2)}.s32 ${half}, ${number(shift)}`);
      return half;
    });
    const pair = writer.temporary('r');
    writer.line(`mov.b32 ${pair}, {${halves.join(', ')}}`);
    return pair;
  }
  const value = writer.temporary(bits === 64 ? 'd' : bits === 16 ? 'h' : 'f');
  writer.line(`cvt.rn.${type}.s32 ${value}, ${number(0)}`);
  return value;
}

function valueText(printing: Printing, { contention, a }: ContendStatement, index: number): string {
  const { writer } = printing;
  const { value, bits } = contention;
  if (value === 'whole') return wholeNumber(printing, contention, a, index);
  if (value === 'same') return '5';
  return writer.register(bits === 64 ? 'd' : 'r', a);
}

function ownCell({ writer }: Printing, space: ContendStatement['space']): Cell {
  return space === 'shared'
    ? { at: (offset) => `[${writer.provide('cell')}+${offset}]`, space: '.shared' }
    : { at: (offset) => `[${writer.provide('mem')}+${offset}]`, space: '.global' };
}

/** Returns the cell of the thread that a register selects. */
function someCell({ writer, threads }: Printing, { from, space }: ContendStatement): Cell {
  const other = writer.temporary('r');
  writer.line(`rem.u32 ${other}, ${writer.register('r', from)}, ${threads}`);
  writer.line(`sub.s32 ${other}, ${other}, %thread`);
  if (space === 'shared') {
    writer.line(`mad.lo.s32 ${other}, ${other}, 16, ${writer.provide('cell')}`);
    return { at: (offset) => `[${other}+${offset}]`, space: '.shared' };
  }
  const address = writer.temporary('d');
  writer.line(`mad.wide.s32 ${address}, ${other}, 32, ${writer.provide('mem')}`);
  return { at: (offset) => `[${address}+${offset}]`, space: space === 'generic' ? '' : '.global' };
}
