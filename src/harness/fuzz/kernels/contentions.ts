// Concurrent accesses of a block's threads to one cell. The cell's final value, and the sum of the
// old values, do not depend on the order of the accesses.
import { type Dialect, dialectsOfLines } from './dialects.ts';

export interface Contention {
  /** The operation of `atom` or `red`. */
  readonly operation: string;
  /**
   * The way in which a value is made from a register's low bits: a whole number of the type, the
   * same bits, or one number for all threads.
   */
  readonly value: 'whole' | 'bits' | 'same';
  /**
   * The values that do not depend on the order.
   * - `cell`: only the cell's final value
   * - `olds`: the sum of all old values too, either alone (tickets) or together with the cell's
   * final value (exchanges)
   */
  readonly compares: 'cell' | 'olds';
  /** The number of bits of an element, and the number of elements of a vector. */
  readonly bits: number;
  readonly count: number;
  readonly spaces: readonly ('shared' | 'global' | 'generic')[];
  readonly dialects: readonly Dialect[];
}

const everywhere = ['shared', 'global', 'generic'] as const;

const contention = (operation: string, value: Contention['value'], compares: Contention['compares']): Contention => {
  const type = operation.split('.').at(-1) ?? '';
  const vector = /\.v(\d)\./.exec(operation)?.[1];
  return {
    operation,
    value,
    compares,
    bits: type.endsWith('x2') ? 32 : Number(/\d+$/.exec(type)?.[0] ?? 32),
    count: Number(vector ?? 1),
    spaces: vector === undefined ? everywhere : ['global'],
    dialects: dialectsOfLines([`${compares === 'cell' ? 'red' : 'atom'}.global.${operation}`]),
  };
};

export const contentions: readonly Contention[] = [
  ...['add.f32', 'add.f64', 'add.noftz.f16', 'add.noftz.f16x2', 'add.noftz.bf16', 'add.noftz.bf16x2'].map((operation) =>
    contention(operation, 'whole', 'cell'),
  ),
  ...[
    'add.v2.f32',
    'add.v4.f32',
    'add.noftz.v2.f16',
    'add.noftz.v8.f16',
    'add.noftz.v4.bf16',
    'add.noftz.v2.bf16x2',
  ].map((operation) => contention(operation, 'whole', 'cell')),
  ...['min.noftz.v2.f16x2', 'max.noftz.v4.f16', 'max.noftz.v2.bf16'].map((operation) =>
    contention(operation, 'whole', 'cell'),
  ),
  ...['add.u64', 'min.u64', 'max.s64', 'and.b64', 'or.b64', 'xor.b64', 'add.s32', 'max.u32'].map((operation) =>
    contention(operation, 'bits', 'cell'),
  ),
  ...['exch.b64', 'exch.b32'].map((operation) => contention(operation, 'bits', 'olds')),
  ...['add.u64', 'add.u32', 'inc.u32', 'dec.u32', 'cas.b64', 'cas.b32', 'cas.b16'].map((operation) =>
    contention(operation, 'same', 'olds'),
  ),
];
