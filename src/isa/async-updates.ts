// Stores and reductions that another unit of the block executes. An mbarrier counts the bytes, or
// the thread waits for a bulk group.
import { type Effects, type RowNames, rows } from './row.ts';

const move = (name: string) => `data-movement-and-conversion-instructions-${name}`;
const update = { memory: 'updates', strength: 'weak', orders: 'none', collective: 'none', waits: false } as const satisfies Effects;
const base = { kind: 'memory', writes: [], effects: update, target: 'sm_90' } as const;
const space = ['shared::cluster'] as const;
const bulk = { ...base, ptx: '8.0', section: move('cp-reduce-async-bulk') } as const;
const op = ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor'] as const;
const places = { to: 'address', a: 'address', n: 'u32' } as const;

export const asyncUpdateRows = rows([
  {
    ...base,
    name: 'st.async',
    registers: 'wider',
    syntax: 'st.async{.weak}.mbarrier::complete_tx::bytes{.space}{.vec}.type [a], b, [bar]',
    where: { space, vec: ['v2', 'v4'], type: ['b32', 'b64', 'u32', 'u64', 's32', 's64', 'f32', 'f64'] },
    types: { a: 'address', b: '.type', bar: 'address' },
    ptx: '8.1',
    section: move('st-async'),
    doc: 'Begins a store to shared memory, whose bytes the mbarrier `bar` gets when it is done.',
  },
  {
    ...base,
    name: 'red.async',
    syntax: 'red.async.sem.scope.mbarrier::complete_tx::bytes{.space}.op.type [a], b, [bar]',
    where: { sem: ['relaxed'], scope: ['cluster'], space, op, type: ['u32', 's32', 'u64', 's64', 'b32'] },
    types: { a: 'address', b: '.type', bar: 'address' },
    ptx: '8.1',
    section: 'parallel-synchronization-and-communication-instructions-red-async',
    doc: 'Begins an atomic update of shared memory, whose bytes the mbarrier `bar` gets when it is done.',
  },
  {
    ...bulk,
    name: 'cp.reduce.async.bulk.move',
    operandRule: 'bulk copy',
    syntax: 'cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [to], [a], n, [bar]',
    where: { op, type: ['u32', 's32', 'u64', 'b32'] },
    types: { ...places, bar: 'address' },
    spaces: { to: 'shared', a: 'shared', bar: 'shared' },
    doc: 'Begins atomic updates within shared memory, element by element, whose bytes the mbarrier `bar` gets when they are done.',
  },
  {
    ...bulk,
    name: 'cp.reduce.async.bulk.store',
    operandRule: 'bulk copy',
    syntax: 'cp.reduce.async.bulk.global.shared::cta.bulk_group{.level}.op{.noftz}.type [to], [a], n{, policy}',
    where: { level: ['L2::cache_hint'], op, type: ['u32', 's32', 'u64', 's64', 'b32', 'b64', 'f16', 'bf16', 'f32', 'f64'] },
    types: { ...places, policy: 'b64' },
    spaces: { to: 'global', a: 'shared' },
    doc: "Begins atomic updates of global memory, element by element, in the thread's bulk group.",
  },
]);

export type AsyncUpdateRowName = RowNames<typeof asyncUpdateRows>;
