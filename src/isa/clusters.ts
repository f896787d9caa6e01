// Clusters: blocks that run together and access each other's shared memory.
import { type Effects, type RowNames, rows } from './row.ts';

const move = (name: string) => `data-movement-and-conversion-instructions-${name}`;
const section = 'parallel-synchronization-and-communication-instructions-barrier-cluster';
const none = { memory: 'none', strength: 'weak', orders: 'none', collective: 'none', waits: false } as const satisfies Effects;
const base = { ptx: '7.8', target: 'sm_90' } as const;
const address = { ...base, kind: 'memory', writes: ['d'], effects: none, where: { space: ['shared::cluster'], type: ['u32', 'u64'] } } as const;
const barrier = { ...base, kind: 'barrier', writes: [], types: {}, section } as const;

export const clusterRows = rows([
  { ...address, name: 'mapa', names: 'variable', syntax: 'mapa{.space}.type d, a, b', types: { d: '.type', a: '.type', b: 'u32' }, section: move('mapa'), doc: 'The same place in the shared memory of block `b` of the cluster.' },
  { ...address, name: 'getctarank', names: 'variable', syntax: 'getctarank{.space}.type d, a', types: { d: 'u32', a: '.type' }, section: move('getctarank'), doc: 'The rank of the block whose shared memory contains an address.' },
  {
    ...barrier,
    name: 'barrier.cluster.arrive',
    effects: { ...none, orders: 'release', collective: 'block' },
    syntax: 'barrier.cluster.arrive{.sem}{.aligned}',
    where: { sem: ['release', 'relaxed'] },
    since: [{ slot: 'sem', values: ['release', 'relaxed'], ptx: '8.0', target: 'sm_90' }],
    doc: "Arrives at the cluster's barrier without waiting.",
  },
  {
    ...barrier,
    name: 'barrier.cluster.wait',
    effects: { ...none, orders: 'acquire', collective: 'block', waits: true },
    syntax: 'barrier.cluster.wait{.sem}{.aligned}',
    where: { sem: ['acquire'] },
    since: [{ slot: 'sem', values: ['acquire'], ptx: '8.0', target: 'sm_90' }],
    doc: 'Waits until all live threads of the cluster have arrived at its barrier.',
  },
]);

export type ClusterRowName = RowNames<typeof clusterRows>;
