// Textures and surfaces: lookups, queries, loads, stores and reductions.
import { type Effects, type RowNames, rows } from './row.ts';

const texture = (name: string) => `texture-instructions-${name}`;
const surface = (name: string) => `surface-instructions-${name}`;
const geom = ['1d', '2d', '3d', 'a1d', 'a2d'] as const;
const flat = ['1d', '2d', '3d'] as const;
const clamp = ['trap', 'clamp', 'zero'] as const;
const dtype = ['u32', 's32', 'f16', 'f32'] as const;
const ctype = ['s32', 'f32'] as const;
const sized = ['width', 'height', 'depth'] as const;
const base = { kind: 'memory', ptx: '1.5', target: 'sm_20' } as const;
const halves = { slot: 'dtype', values: ['f16', 'f16x2'], ptx: '4.2', target: 'sm_53' } as const;

const none = { memory: 'none', strength: 'weak', orders: 'none', collective: 'none', waits: false } as const satisfies Effects;
/** The effects of a lookup. No thread writes textures during a launch. */
const lookup = { ...none, memory: 'reads', strength: 'constant' } as const satisfies Effects;
const load = { ...none, memory: 'reads' } as const satisfies Effects;
const store = { ...none, memory: 'writes' } as const satisfies Effects;
const update = { ...none, memory: 'updates', strength: 'strong' } as const satisfies Effects;

/** The requirement of the predicate that reports whether the texels are resident in memory. */
const residence = { p: { ptx: '7.1', target: 'sm_60' } } as const;
const texRow = {
  ...base,
  operandSince: residence,
  writes: ['d', 'p'],
  effects: lookup,
  ptx: '1.0',
  section: texture('tex'),
  since: [halves],
} as const;
const texTypes = { d: '.dtype', p: 'pred', a: 'texture' } as const;
const wideTypes = { ...texTypes, d: 'f16x2' } as const;

export const textureRows = rows([
  {
    ...texRow,
    name: 'tex',
    syntax: 'tex{.base}.geom.v4.dtype.ctype d[|p], [a, c]{, e}{, f}',
    where: { geom, dtype, ctype },
    types: { ...texTypes, e: 'offset', f: 'offset' },
    target: 'sm_10',
    since: [halves, { slot: 'geom', values: ['a1d', 'a2d'], ptx: '2.3', target: 'sm_20' }],
    doc: 'Looks a texture up: the texel at the coordinates, or what filtering makes of those around.',
  },
  {
    ...texRow,
    name: 'tex.f16x2',
    syntax: 'tex{.base}.geom.v2.f16x2.ctype d[|p], [a, c]{, e}{, f}',
    where: { geom, ctype },
    types: { ...wideTypes, e: 'offset', f: 'offset' },
    ptx: '4.2',
    target: 'sm_53',
    since: [],
    doc: 'Looks a texture up, with components as pairs of halves.',
  },
  {
    ...texRow,
    name: 'tex.level',
    syntax: 'tex.level.geom.v4.dtype.ctype d[|p], [a, c], lod{, e}{, f}',
    where: { geom, dtype, ctype },
    types: { ...texTypes, lod: '.ctype', e: 'offset', f: 'offset' },
    ptx: '3.1',
    doc: 'Looks a level of a texture up; here all have one.',
  },
  {
    ...texRow,
    name: 'tex.level.f16x2',
    syntax: 'tex.level.geom.v2.f16x2.ctype d[|p], [a, c], lod{, e}{, f}',
    where: { geom, ctype },
    types: { ...wideTypes, lod: '.ctype', e: 'offset', f: 'offset' },
    ptx: '4.2',
    target: 'sm_53',
    since: [],
    doc: 'Looks a level of a texture up, with components as pairs of halves.',
  },
  {
    ...texRow,
    name: 'tex.grad',
    syntax: 'tex.grad.geom.v4.dtype.f32 d[|p], [a, c], x, y{, e}{, f}',
    where: { geom, dtype },
    types: { ...texTypes, x: 'gradient', y: 'gradient', e: 'offset', f: 'offset' },
    ptx: '3.1',
    doc: 'Looks up the level of a texture that gradients choose; here all have one.',
  },
  {
    ...base,
    name: 'tld4',
    operandSince: residence,
    writes: ['d', 'p'],
    effects: lookup,
    syntax: 'tld4.comp.geom.v4.dtype.f32 d[|p], [a, c]{, e}{, f}',
    where: { comp: ['r', 'g', 'b', 'a'], geom: ['2d', 'a2d'], dtype: ['u32', 's32', 'f32'] },
    types: { ...texTypes, e: 'offset', f: 'offset' },
    ptx: '2.2',
    section: texture('tld4'),
    doc: 'One component of the four texels that linear filtering would take.',
  },
  {
    ...base,
    name: 'txq',
    writes: ['d'],
    effects: none,
    syntax: 'txq.query.b32 d, [a]',
    where: { query: sized },
    types: { d: 'b32', a: 'texture' },
    ptx: '2.0',
    section: texture('txq'),
    doc: 'A size of a texture.',
  },
  {
    ...base,
    name: 'txq.level',
    writes: ['d'],
    effects: none,
    syntax: 'txq.level.query.b32 d, [a], lod',
    where: { query: sized },
    types: { d: 'b32', a: 'texture', lod: 'b32' },
    ptx: '4.3',
    target: 'sm_30',
    section: texture('txq'),
    doc: 'A size of a level of a texture.',
  },
  {
    ...base,
    name: 'suld.b',
    registers: 'wider',
    writes: ['d'],
    effects: load,
    syntax: 'suld.b.geom{.cop}{.vec}.type.clamp d, [a, b]',
    where: { geom, cop: ['ca', 'cg', 'cs', 'cv'], vec: ['v2', 'v4'], type: ['b8', 'b16', 'b32', 'b64'], clamp },
    types: { d: '.type', a: 'surface' },
    section: surface('suld'),
    doc: 'Loads bytes from a surface.',
  },
  {
    ...base,
    name: 'sust.b',
    registers: 'wider',
    writes: [],
    effects: store,
    syntax: 'sust.b.geom{.cop}{.vec}.type.clamp [a, b], c',
    where: { geom, cop: ['wb', 'cg', 'cs', 'wt'], vec: ['v2', 'v4'], type: ['b8', 'b16', 'b32', 'b64'], clamp },
    types: { a: 'surface', c: '.type' },
    section: surface('sust'),
    doc: 'Stores bytes to a surface.',
  },
  {
    ...base,
    name: 'sust.p',
    writes: [],
    effects: store,
    syntax: 'sust.p.geom{.vec}.type.clamp [a, b], c',
    where: { geom, vec: ['v2', 'v4'], type: ['b32'], clamp },
    types: { a: 'surface', c: '.type' },
    section: surface('sust'),
    doc: 'Stores a texel to a surface, converted to its type.',
  },
  {
    ...base,
    name: 'sured.b',
    writes: [],
    effects: update,
    syntax: 'sured.b.op.geom.type.clamp [a, b], c',
    where: { op: ['add', 'min', 'max', 'and', 'or'], geom: flat, type: ['u32', 'u64', 's32', 'b32', 's64'], clamp },
    types: { a: 'surface', c: '.type' },
    ptx: '3.0',
    since: [
      { slot: 'type', values: ['s64'], ptx: '8.1', target: 'sm_50' },
      { slot: 'type', values: ['u64'], and: { slot: 'op', values: ['min', 'max'] }, ptx: '8.1', target: 'sm_50' },
    ],
    section: surface('sured'),
    doc: 'Adds to, or combines with, a word of a surface.',
  },
  {
    ...base,
    name: 'sured.p',
    writes: [],
    effects: update,
    syntax: 'sured.p.op.geom.type.clamp [a, b], c',
    where: { op: ['add', 'min', 'max', 'and', 'or'], geom: flat, type: ['b32'], clamp },
    types: { a: 'surface', c: '.type' },
    ptx: '3.0',
    section: surface('sured'),
    doc: 'Adds to, or combines with, a texel of a surface.',
  },
  {
    ...base,
    name: 'suq',
    writes: ['d'],
    effects: none,
    syntax: 'suq.query.b32 d, [a]',
    where: { query: sized },
    types: { d: 'b32', a: 'surface' },
    ptx: '2.0',
    section: surface('suq'),
    doc: 'A size of a surface.',
  },
]);

export type TextureRowName = RowNames<typeof textureRows>;
