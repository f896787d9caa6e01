// The suites of asynchronous copies and updates, of mbarriers and of the cluster barrier: random
// inputs, and one kernel for each form.
import { groupBy } from '../../../base/group-by.ts';
import { type Geometry, inputBuffer, launchOf, launchThreads, warpNumbers, warpsOf } from '../geometry.ts';
import { moduleText } from '../module-text.ts';
import { random } from '../random.ts';
import { coveringChoices } from '../rows/cover-choices.ts';
import { modsText } from '../rows/instruction-text.ts';
import { suiteId } from '../suite-id.ts';
import { type Batch, type Choice, hex, type Slot, type Suite, type SuiteGroup, state } from '../types.ts';
import { type AsyncForm, threads, words } from './async-form.ts';
import { barrierForms } from './barrier-forms.ts';
import { withPairs } from './cluster-forms.ts';
import { copyForms } from './copy-forms.ts';
import { updateForms } from './update-forms.ts';

const block = [threads, 1, 1] as const;
const blockWords = threads * words;

/** Returns the peer of a thread: the thread whose words it reads. */
const peerOf = (thread: number): number => thread ^ 33;

/**
 * Returns one group for each form. By default, a run includes only forms that cover each modifier
 * of their row once.
 */
export function asyncGroups(): SuiteGroup[] {
  const byRow = groupBy(withPairs([...copyForms(), ...updateForms(), ...barrierForms()]), ({ row }) => row);
  return [...byRow.values()].flatMap((forms) => {
    const first = coveringChoices(forms.map(({ mods, form }) => ({ ...mods, form })));
    const usual = new Set([...first].map((choice) => JSON.stringify(choice)));
    return forms.map((form): SuiteGroup => {
      const mods = modsText(form.row, form.mods);
      const suite: Suite = {
        id: suiteId(form.row.name, mods, form.form),
        row: form.row.name,
        mods,
        form: form.form,
        variants: 1,
      };
      return {
        suites: [suite],
        blockWarps: blocksOf(form) * warpsOf([...block]),
        warps: { sample: 4, exhaustive: 32 },
        launchWarps: 16,
        ...(usual.has(JSON.stringify({ ...form.mods, form: form.form })) ? {} : { onlyAsked: true }),
        build: (choice) => buildBatch(suite, form, choice),
      };
    });
  });
}

/** Returns the number of blocks that write each other's tiles. */
const blocksOf = ({ isPair }: AsyncForm): number => (isPair ? 2 : 1);

const vector = (name: string): string => `{${[0, 1, 2, 3].map((word) => `%${name}${word}`).join(', ')}}`;

/**
 * Returns the kernel's PTX. %slot is a thread's slot in `tile`, %source is the thread's words of
 * `from` in global memory, and %target is the block's result. In a pair of blocks, %far, %fartile and
 * %away are the slot, the tile and the mbarrier of the other block.
 */
function kernelText(form: AsyncForm): string {
  const { body, arrivals, result, version, target, isPair } = form;
  const text = body.join('\n');
  const needs = (name: string): boolean => text.includes(name);
  return moduleText(
    '.param .u64 from_in, .param .u64 tile_in, .param .u64 out',
    [
      '.shared .align 8 .b64 bar;',
      `.shared .align 128 .b8 tile[${4 * blockWords}];`,
      `.shared .align 128 .b8 from[${4 * blockWords}];`,
      '.reg .b32 %t, %n, %at, %slot, %peer, %size, %remote, %a<4>, %b<4>, %d<4>;',
      '.reg .b64 %block, %source, %target, %own, %generic, %object, %state, %policy, %w<2>;',
      '.reg .f32 %f<4>;',
      '.reg .f64 %g<2>;',
      '.reg .pred %first, %done, %ignore;',
      'mov.u32 %t, %tid.x;',
      'mov.u32 %n, %ctaid.x;',
      `mul.wide.u32 %own, %n, ${4 * blockWords};`,
      'ld.param.u64 %block, [from_in];',
      'add.s64 %block, %block, %own;',
      'ld.param.u64 %target, [out];',
      'add.s64 %target, %target, %own;',
      'ld.param.u64 %source, [tile_in];',
      'add.s64 %source, %source, %own;',
      'shl.b32 %at, %t, 4;',
      'cvt.u64.u32 %own, %at;',
      'add.s64 %source, %source, %own;',
      `ld.global.v4.u32 ${vector('a')}, [%source];`,
      'add.s64 %source, %block, %own;',
      `ld.global.v4.u32 ${vector('b')}, [%source];`,
      'mov.u32 %n, from;',
      'add.u32 %n, %n, %at;',
      `st.shared.v4.u32 [%n], ${vector('b')};`,
      'mov.u32 %slot, tile;',
      'add.u32 %slot, %slot, %at;',
      `st.shared.v4.u32 [%slot], ${vector('a')};`,
      'xor.b32 %n, %t, 33;',
      'shl.b32 %n, %n, 4;',
      'mov.u32 %peer, tile;',
      'add.u32 %peer, %peer, %n;',
      'setp.eq.u32 %first, %t, 0;',
      `@%first mbarrier.init.shared.b64 [bar], ${arrivals};`,
      ...(needs('%generic') ? ['cvt.u64.u32 %generic, %slot;', 'cvta.shared.u64 %generic, %generic;'] : []),
      ...(needs('%object') ? ['mov.u64 %object, bar;', 'cvta.shared.u64 %object, %object;'] : []),
      ...(needs('%remote') ? ['mapa.shared::cluster.u32 %remote, bar, 0;'] : []),
      ...(needs('%w0') ? ['mov.b64 %w0, {%b0, %b1};', 'mov.b64 %w1, {%b2, %b3};'] : []),
      ...(needs('%g0') ? ['mov.b64 %g0, {%b0, %b1};', 'mov.b64 %g1, {%b2, %b3};'] : []),
      ...(needs('%f0') ? [0, 1, 2, 3].map((word) => `mov.b32 %f${word}, %b${word};`) : []),
      ...(needs('%mask') ? ['.reg .b16 %mask;', 'mov.b16 %mask, 1;'] : []),
      ...(isPair ? pairLines : ['bar.sync 0;']),
      ...(isPair && needs('%mask') ? ['shl.b16 %mask, %mask, %rank;'] : []),
      ...body,
      ...(result === 'global'
        ? []
        : [
            ...(isPair ? [] : ['bar.sync 0;']),
            `ld.shared.v4.u32 ${vector('d')}, [%peer];`,
            'add.s64 %target, %target, %own;',
            `st.global.v4.u32 [%target], ${vector('d')};`,
          ]),
      ...(isPair ? ['barrier.cluster.arrive;', 'barrier.cluster.wait;'] : []),
      'ret;',
    ],
    {
      version,
      target,
      ...(isPair || /\.bulk\.shared::cluster\.shared::cta|(?:st|red)\.async|\.multicast::/.test(text)
        ? { clusterBlocks: blocksOf(form) }
        : {}),
    },
  );
}

/** Finds the places of the other block of a pair, and initializes the mbarriers of both. */
const pairLines = [
  '.reg .b32 %rank, %far, %fartile, %away;',
  'mov.u32 %rank, %cluster_ctarank;',
  'xor.b32 %rank, %rank, 1;',
  'mapa.shared::cluster.u32 %far, %slot, %rank;',
  'mapa.shared::cluster.u32 %fartile, tile, %rank;',
  'mapa.shared::cluster.u32 %away, bar, %rank;',
  'fence.mbarrier_init.release.cluster;',
  'barrier.cluster.arrive;',
  'barrier.cluster.wait;',
] as const;

/** Returns the input words of a block: `from`, then `tile`. */
function inputsOf({ id }: Suite, { shape }: AsyncForm, seed: number, firstWarp: number): readonly Uint32Array[] {
  const rng = random(seed, id, firstWarp);
  return [0, 1].map(() => {
    const drawn = Uint32Array.from({ length: blockWords }, () => rng.u32());
    shape?.(drawn);
    return drawn;
  });
}

/** Returns the first warp of the block that writes the tile of the block with the first warp `warp`. */
function writerOf({ isPair }: AsyncForm, warp: number): number {
  const perBlock = warpsOf([...block]);
  return isPair ? warp + (warp % (2 * perBlock) === 0 ? perBlock : -perBlock) : warp;
}

function buildBatch(suite: Suite, form: AsyncForm, { firstWarp, warps, seed }: Choice): Batch {
  const geometry: Geometry = { block: [...block], firstWarp, warps };
  const count = launchThreads(geometry);
  const [from, tile] = [new Uint32Array(count * words), new Uint32Array(count * words)];
  const slots = Array.from(
    { length: words },
    (_, word): Slot => ({
      suite,
      variant: 0,
      instruction: form.instruction,
      result: `word ${word}`,
      param: 2,
      stride: words,
      offset: word,
      expected: new Uint32Array(count),
      state: new Uint8Array(count).fill(state.defined),
    }),
  );
  const perBlock = warpsOf([...block]);
  for (const warp of warpNumbers(geometry).filter((number) => (number - firstWarp) % perBlock === 0)) {
    const [fromWords = new Uint32Array(), tileWords = new Uint32Array()] = inputsOf(suite, form, seed, warp);
    const first = ((warp - firstWarp) / perBlock) * threads;
    from.set(fromWords, first * words);
    tile.set(tileWords, first * words);
    const [writtenWords = new Uint32Array()] = inputsOf(suite, form, seed, writerOf(form, warp));
    const expected = form.expected({ tile: (at) => tileWords[at] ?? 0, from: (at) => writtenWords[at] ?? 0 });
    for (let thread = 0; thread < threads; thread++) {
      const place = form.result === 'global' ? thread : peerOf(thread);
      for (const slot of slots) slot.expected[first + thread] = expected(place * words + slot.offset);
    }
  }
  return {
    launch: launchOf(suite.row, kernelText(form), geometry, [
      inputBuffer('from_in', from),
      inputBuffer('tile_in', tile),
      inputBuffer('out', form.result === 'global' ? tile.slice() : new Uint32Array(count * words)),
    ]),
    geometry,
    slots,
    describe(slot, warp, lane) {
      const blockWarp = warp - ((warp - firstWarp) % perBlock);
      const thread = ((warp - blockWarp) * 32 + lane) % threads;
      const at = (form.result === 'global' ? thread : peerOf(thread)) * words + slot.offset;
      const [, tileWords] = inputsOf(suite, form, seed, blockWarp);
      const [fromWords] = inputsOf(suite, form, seed, writerOf(form, blockWarp));
      return { from: hex(fromWords?.[at] ?? 0), tile: hex(tileWords?.[at] ?? 0) };
    },
  };
}
