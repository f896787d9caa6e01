// Sparse matrix products of the reference and of shaders against an NVIDIA H200 (driver 580.159.04),
// with operands of seven kinds for each form: a hash of the words of D.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { at } from '../../../../src/base/invariants.ts';
import type { Launch } from '../../../../src/base/launch.ts';
import { multiplyMatrices } from '../../../../src/cpu-ref/index.ts';
import { drawn } from '../../../effort.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { type Counts, countsOf, kinds, operandsOf, type SparseForm, sparseForm } from './sparse-operands.ts';

/** The forms by their number, with the hash of the results of an H200. */
const recorded: readonly (readonly [form: string, hash: string])[] = JSON.parse(
  readFileSync(new URL('sparse-h200.json', import.meta.url), 'utf8'),
);

/** PTX does not define results for unordered indexes of tf32. */
const definedKinds = ({ types }: SparseForm): number => (types.a === 'tf32' ? kinds.length - 1 : kinds.length);

function hashOf(words: Iterable<number>): string {
  let hash = 0x811c9dc5;
  for (const word of words) hash = Math.imul(hash ^ word ^ (word >>> 16), 0x01000193);
  return (hash >>> 0).toString(16);
}

/** The words of 8 columns of B in shared memory, for a warp: four units of 16 bytes along K. */
const sharedWords = (tile: Uint32Array, { a, b, input }: Counts) =>
  Array.from({ length: 4 }, (_, unit) =>
    Uint32Array.from({ length: 32 }, (_lane, lane) => {
      const word = 4 * (8 * unit + (lane >> 2)) + (lane & 3);
      return at(tile, Math.floor(word / b) * input + a + (word % b), 'a word of B');
    }),
  );

/** Returns the words of D that the reference computes, by tile, lane and register. */
function* referenceWords(form: SparseForm, index: number): Generator<number> {
  const counts = countsOf(form);
  const words = operandsOf(form, index);
  const { types, metadata, isWarpgroup, saturates } = form;
  const mods = {
    metadata,
    shape: form.shape.replace('m64', 'm16'),
    dtype: types.d,
    atype: types.a,
    btype: types.b,
    ctype: types.c,
    ...(saturates ? { satfinite: 'satfinite' } : {}),
    ...(isWarpgroup && types.a.startsWith('e') ? { warpgroup: 'warpgroup' } : {}),
  };
  for (let tile = 0; tile < definedKinds(form); tile++) {
    const own = words.subarray(tile * counts.lanes * counts.input, (tile + 1) * counts.lanes * counts.input);
    for (let warp = 0; warp < counts.lanes / 32; warp++) {
      const register = (index: number) =>
        Uint32Array.from({ length: 32 }, (_, lane) => at(own, (32 * warp + lane) * counts.input + index, 'a word'));
      const list = (name: string, first: number, count: number) =>
        Array.from({ length: count }, (_, word) => [`${name}.${word}`, register(first + word)] as const);
      const columns = isWarpgroup
        ? sharedWords(own, counts).map((unit, word) => [`b.${word}`, unit] as const)
        : list('b', counts.a, counts.b);
      const sources = Object.fromEntries([
        ...list('a', 0, counts.a),
        ...columns,
        ...list('c', counts.a + counts.b, counts.c),
        ['e', register(counts.input - 1)],
        ['f', new Uint32Array(32).fill(form.selector)],
      ]);
      const { results } = multiplyMatrices.hopper(mods, { active: 0xffff_ffff, exited: 0, sources });
      for (let lane = 0; lane < 32; lane++)
        for (let word = 0; word < counts.d; word++) yield Number(results[`d.${word}`]?.[lane]) >>> 0;
    }
  }
}

const forms = recorded.map(([text, hash], index) => ({ text, hash, index }));

test.each(drawn(forms, 12))('$text has the bits of an H200', ({ text, hash, index }) => {
  expect(hashOf(referenceWords(sparseForm(text), index))).toBe(hash);
});

const vector = (name: string, count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `%${name}${index}`).join(', ')}}`;

/** Returns a launch in which each block multiplies a tile. */
function launchOf(form: SparseForm, index: number): Launch {
  const counts = countsOf(form);
  const { types, isWarpgroup, selector, metadata, saturates } = form;
  const type = types.d === 'f32' || types.d === 's32' ? types.d : 'b32';
  const names = `${types.d}.${types.a}.${types.b}`;
  const signs = types.a === 's8' || types.a === 'u8' ? '' : types.b.endsWith('16') ? ', 1, 1, 0' : ', 1, 1';
  const product = isWarpgroup
    ? `wgmma.fence.sync.aligned;
  wgmma.mma_async.sp.sync.aligned.${form.shape}.${names} ${vector('d', counts.d)}, ${vector('a', counts.a)}, %desc, %e, ${selector}, %one${signs};
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;`
    : `mma.${metadata}.sync.aligned.${form.shape}.row.col${saturates ? '.satfinite' : ''}.${names}.${types.c} ${vector('d', counts.d)}, ${vector('a', counts.a)}, ${vector('b', counts.b)}, ${vector('d', counts.c)}, %e, ${selector};`;
  const load = (name: string, first: number, count: number, as = 'b32') =>
    Array.from({ length: count }, (_, word) => `ld.global.${as} %${name}${word}, [%in+${4 * (first + word)}];`).join(
      '\n  ',
    );
  const shared = Array.from({ length: counts.b }, (_, word) => `st.shared.b32 [%s+${4 * word}], %b${word};`).join(
    '\n  ',
  );
  const data = operandsOf(form, index);
  const ptx = `.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %a<4>, %b<4>, %e, %t, %n, %s, %low; .reg .${type} %d<4>;
  .reg .b64 %in, %out, %desc; .reg .pred %one;
  .shared .align 128 .b8 tile[512];
  mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %n, %n, ${counts.lanes}, %t;
  ld.param.u64 %in, [in]; mad.wide.u32 %in, %n, ${4 * counts.input}, %in;
  ld.param.u64 %out, [out]; mad.wide.u32 %out, %n, ${4 * counts.d}, %out;
  setp.eq.u32 %one, %t, %t;
  mov.u32 %s, tile; bfe.u32 %low, %s, 4, 14; or.b32 %low, %low, 0x80000; mov.b64 %desc, {%low, 64};
  mad.lo.u32 %s, %t, ${4 * counts.b}, %s;
  ${load('a', 0, counts.a)}
  ${load('b', counts.a, counts.b)}
  ${load('d', counts.a + counts.b, counts.c, type)}
  ld.global.u32 %e, [%in+${4 * (counts.input - 1)}];
  ${isWarpgroup ? `${shared}\n  fence.proxy.async; bar.sync 0;` : ''}
  ${product}
  ${Array.from({ length: counts.d }, (_, word) => `st.global.${type} [%out+${4 * word}], %d${word};`).join('\n  ')}
  ret;
}
`;
  return {
    id: 'sparse', group: '', ptx, ptxFile: 'sparse.ptx', entry: 'k', grid: [definedKinds(form), 1, 1], block: [counts.lanes, 1, 1], sharedBytes: 0,
    params: [
      { name: 'in', kind: 'buffer', type: 'u32', bytes: data.byteLength, data: new Uint8Array(data.buffer) },
      { name: 'out', kind: 'buffer', type: 'u32', bytes: 4 * definedKinds(form) * counts.lanes * counts.d },
    ],
  }; // biome-ignore format: one record
}

/** A form of each row. C and D have the same registers, so they must have the same type. */
const inShaders = [5, 7, 8, 15, 22, 24, 27, 31, 50, 52, 54];

test.each(drawn(inShaders, 2).map((index) => at(forms, index, 'a form')))(
  'shaders for $text have the bits of an H200',
  async ({ index, text, hash }) => {
    const [size = 32] = drawn([32, 8], 1);
    const executor = lockstepExecutor(size, { matrix: 'hopper', flushes: size === 32 });
    const { outputs } = await executor.run(launchOf(sparseForm(text), index));
    const out = outputs.get(1) ?? new Uint8Array();
    expect(hashOf(new Uint32Array(out.buffer, out.byteOffset, out.byteLength / 4))).toBe(hash);
  },
);
