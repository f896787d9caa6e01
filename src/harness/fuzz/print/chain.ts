// Prints chains of f32 arithmetic. The values of a chain come from a separate buffer, or from
// shared memory that the block's threads filled.
import { chainSums, chainValues } from '../kernels/draw-chains.ts';
import type { ChainLink, ChainOperand, ChainStatement } from '../kernels/tree.ts';
import type { Place } from './masks.ts';
import type { Printing } from './printing.ts';

/** The number of floats in a chain's buffer. All indices in this file are less. */
export const chainTableWords = 2048;

/** The number of bytes of a thread in shared memory. */
const cellBytes = 16;

/** The registers of a chain. */
interface Registers {
  readonly sums: readonly string[];
  readonly values: readonly string[];
  /** The registers of the buffer's address, and of the number of the round. */
  readonly table: string;
  readonly counter: string;
}

export function printChain(printing: Printing, statement: ChainStatement, place: Place): void {
  const { writer } = printing;
  const { trips } = statement;
  // Threads read the cells of other threads between two barriers. So all threads must reach the
  // barriers, and each thread must have written its own cell.
  const isTogether = !place.quiet && place.whole && printing.everyThreadLives;
  const loads = isTogether ? statement.loads : apart(statement.loads);
  // If lanes leave a loop at different times, they cannot exchange values.
  const areWhole =
    isTogether && printing.threads % 32 === 0 && (trips.kind === 'constant' || statement.loads === 'passed');
  writer.floats.set(statement.name, { values: statement.values, seed: statement.seed });
  const registers: Registers = {
    sums: Array.from({ length: chainSums }, () => writer.temporary('f')),
    values: Array.from({ length: chainValues }, () => writer.temporary('f')),
    table: writer.temporary('d'),
    counter: writer.temporary('r'),
  };
  const { sums, values, table, counter } = registers;
  writer.line(`ld.param.u64 ${table}, [${statement.name}]`);
  writer.line(`mov.u32 ${counter}, 0`);
  load(printing, statement, registers, loads === 'shared' || loads === 'passed' ? 'each' : loads);
  statement.starts.forEach((start, index) => {
    // A sum cannot start with another sum, because the other sum is not yet initialized.
    const text = operandText(printing, registers, start.kind === 'sum' ? { kind: 'value', index: start.index } : start);
    writer.line(`mov.f32 ${sums[index]}, ${text}`);
  });
  if (loads === 'shared') share(printing, registers);
  if (loads === 'passed') writer.provide('sums');
  const [start, end] = [writer.label(), writer.label()];
  let limit = '3';
  if (trips.kind === 'constant') limit = `${trips.count}`;
  else if (loads !== 'passed') {
    // Threads that wait for each other in each round must have equal trip counts.
    printing.together = false;
    limit = writer.temporary('r');
    writer.line(`and.b32 ${limit}, ${writer.register('r', trips.register)}, 7`);
  }
  const isRepeated = limit !== '1';
  const goesOn = writer.temporary('p');
  const round = () => {
    if (isRepeated && loads !== 'once' && loads !== 'passed') load(printing, statement, registers, loads);
    else if (loads === 'shared') load(printing, statement, registers, loads);
    for (const link of statement.links) printLink(printing, registers, link, areWhole);
    if (loads === 'passed') pass(printing, registers);
  };
  if (!isRepeated) round();
  else {
    writer.place(start);
    writer.line(`setp.lt.u32 ${goesOn}, ${counter}, ${limit}`);
    writer.line(`@!${goesOn} bra ${end}`);
    writer.add(writer.capture(round));
    writer.line(`add.u32 ${counter}, ${counter}, 1`);
    writer.line(`bra ${start}`);
    writer.place(end);
  }
  if (loads === 'shared') writer.line('bar.sync 0');
  show(printing, sums, values, statement.d);
}

/** Returns the kind of load for threads that do not wait for each other. */
const apart = (loads: ChainStatement['loads']): ChainStatement['loads'] =>
  loads === 'shared' ? 'each' : loads === 'passed' ? 'once' : loads;

/** Combines all sums bitwise in one register, and copies one sum to another register. */
function show({ writer }: Printing, sums: readonly string[], [value = '']: readonly string[], d: number): void {
  const all = writer.register('r', d);
  const word = writer.temporary('r');
  for (const sum of [...sums, value]) {
    writer.line(`mov.b32 ${word}, ${sum}`);
    writer.line(`mad.lo.u32 ${all}, ${all}, 31, ${word}`);
  }
  writer.line(`mov.f32 ${writer.register('f', d)}, ${sums[d % sums.length]}`);
}

function load(printing: Printing, statement: ChainStatement, registers: Registers, how: ChainStatement['loads']): void {
  const { writer } = printing;
  const { values, table, counter } = registers;
  if (how === 'shared') return loadShared(printing, statement, registers);
  const index = writer.temporary('r');
  const address = writer.temporary('d');
  const isVector = how === 'vector';
  // The index is below 96 * 8 + 12 * 32 + 4, so the access is inside the buffer.
  writer.line(`mul.lo.u32 ${index}, ${counter}, ${isVector ? 8 : 31}`);
  writer.line(`mad.lo.u32 ${index}, %thread, ${isVector ? 4 : statement.stride}, ${index}`);
  writer.line(`mad.wide.u32 ${address}, ${index}, 4, ${table}`);
  if (isVector) return writer.line(`ld.global.v4.f32 {${values.join(', ')}}, [${address}]`);
  values.forEach((value, at) => {
    writer.line(`ld.global.f32 ${value}, [${address}+${at * 4}]`);
  });
}

/** Stores each thread's values into its cell. */
function share({ writer }: Printing, { values, sums }: Registers): void {
  const cell = writer.temporary('r');
  writer.line(`mad.lo.u32 ${cell}, %thread, ${cellBytes}, ${writer.provide('sums')}`);
  writer.line(`st.shared.v2.f32 [${cell}], {${values[0]}, ${values[1]}}`);
  writer.line(`st.shared.f32 [${cell}+8], ${values[2]}`);
  writer.line(`st.shared.f32 [${cell}+12], ${sums[0]}`);
  writer.line('bar.sync 0');
}

/**
 * Loads from the cell of another thread. It is the same thread in all rounds, or a different thread
 * in each round.
 */
function loadShared({ writer, threads }: Printing, { stride }: ChainStatement, { values, counter }: Registers): void {
  const cell = writer.temporary('r');
  if (stride % 2 === 0) writer.line(`mul.lo.u32 ${cell}, ${counter}, ${cellBytes}`);
  else {
    writer.line(`mad.lo.u32 ${cell}, ${counter}, ${stride}, %thread`);
    writer.line(`rem.u32 ${cell}, ${cell}, ${threads}`);
    writer.line(`shl.b32 ${cell}, ${cell}, 4`);
  }
  writer.line(`add.u32 ${cell}, ${cell}, ${writer.provide('sums')}`);
  values.forEach((value, at) => {
    writer.line(`ld.shared.f32 ${value}, [${cell}+${at * 4}]`);
  });
}

/** Passes the first sum to the next thread. */
function pass({ writer, threads }: Printing, { sums, values }: Registers): void {
  const cell = writer.temporary('r');
  const next = writer.temporary('r');
  writer.line(`mad.lo.u32 ${cell}, %thread, ${cellBytes}, ${writer.provide('sums')}`);
  writer.line(`st.shared.f32 [${cell}], ${sums[0]}`);
  writer.line('bar.sync 0');
  writer.line(`add.u32 ${next}, %thread, 1`);
  writer.line(`rem.u32 ${next}, ${next}, ${threads}`);
  writer.line(`mad.lo.u32 ${next}, ${next}, ${cellBytes}, ${writer.provide('sums')}`);
  writer.line(`ld.shared.f32 ${values[0]}, [${next}]`);
  writer.line('bar.sync 0');
}

function operandText({ writer }: Printing, { sums, values }: Registers, operand: ChainOperand): string {
  switch (operand.kind) {
    case 'sum':
      return sums[operand.index % sums.length] ?? '';
    case 'value':
      return values[operand.index % values.length] ?? '';
    case 'register':
      return writer.register('f', operand.index);
    case 'constant':
      return `0f${operand.bits.toString(16).padStart(8, '0')}`;
  }
}

/**
 * Prints one operation of a chain. `areWhole`: whether all lanes of all warps reach the statement.
 */
function printLink(
  printing: Printing,
  registers: Registers,
  { operation, d, sources, guard }: ChainLink,
  areWhole: boolean,
): void {
  const { writer } = printing;
  const result = registers.sums[d % registers.sums.length] ?? '';
  const [a = '', b = '', c = ''] = sources.map((source) => operandText(printing, registers, source));
  const prefix = guard ? `@${writer.condition(guard)} ` : '';
  const line = (text: string) => writer.line(`${prefix}${text}`);
  const [word] = operation.split(/[. ]/);
  switch (word) {
    case 'shfl': {
      const word = writer.temporary('r');
      if (!areWhole) return line(`add.rn.f32 ${result}, ${a}, ${b}`);
      writer.line(`mov.b32 ${word}, ${a}`);
      writer.line(`${operation} ${word}, ${word}, ${1 << (d % 5)}, 31, 0xffffffff`);
      return writer.line(`mov.b32 ${result}, ${word}`);
    }
    case 'rest': {
      // Compute the rounding error of a product, which consists of its last digits.
      if (operation === 'rest in one group') {
        const [product, negated] = [writer.temporary('f'), writer.temporary('f')];
        line(`mul.rn.f32 ${product}, ${a}, ${b}`);
        line(`sub.rn.f32 ${negated}, 0f00000000, ${product}`);
        return line(`fma.rn.f32 ${result}, ${a}, ${b}, ${negated}`);
      }
      const [product, negated] = [writer.temporary('f'), writer.temporary('f')];
      line(`mul.rn.f32 ${product}, ${a}, ${b}`);
      line(`neg.f32 ${negated}, ${product}`);
      return line(`fma.rn.f32 ${result}, ${a}, ${b}, ${negated}`);
    }
    case 'fma':
      return line(`${operation} ${result}, ${a}, ${b}, ${c}`);
    case 'rcp':
    case 'sqrt':
      return line(`${operation} ${result}, ${a}`);
    case 'abs':
    case 'neg': {
      // Replace NaNs, because the sign of a NaN sum is undefined.
      const other = writer.temporary('f');
      line(`${operation} ${other}, ${a}`);
      return line(`add.rn.f32 ${result}, ${b}, ${other}`);
    }
    case 'selp':
      return line(`${operation} ${result}, ${a}, ${b}, ${writer.register('p', d)}`);
    case 'cvt':
      return line(`${operation} ${result}, ${writer.register('r', d)}`);
    case 'min':
    case 'max':
      // Native code folds the minimum of a value with itself to that value, even if it is a NaN.
      return line(`${a === b ? 'add.rn.f32' : operation} ${result}, ${a}, ${b}`);
    default:
      return line(`${operation} ${result}, ${a}, ${b}`);
  }
}
