// The suites of copies with tensor maps: random tensors, boxes and places, and one kernel for each
// form. A launch has one block, whose first thread copies one box.

import { missing } from '../../../base/invariants.ts';
import { type IsaRow, laterDemands, type Mods } from '../../../isa/index.ts';
import { dimensionsOf } from '../../../isa/tensors.ts';
import { type Geometry, inputBuffer, launchOf, outputBuffer } from '../geometry.ts';
import { moduleText } from '../module-text.ts';
import { type Random, random } from '../random.ts';
import { coveringChoices } from '../rows/cover-choices.ts';
import { modChoices, modsText } from '../rows/instruction-text.ts';
import { suiteId } from '../suite-id.ts';
import { type Batch, type Choice, everyDefined, type Slot, type Suite, type SuiteGroup } from '../types.ts';
import { loaded, stored } from './copied-box.ts';
import { copyText } from './copy-text.ts';
import { copyRows, drawCopy, drawnBits, isStore, mapParam, tensorBytes, tileBytes } from './draw-box.ts';

const form = 'box';
const threads = 32;
/** The coordinates and the offsets in the kernel's table; those of dimensions that a tensor lacks are 0. */
const maxRank = 5;
const maxOffsets = 3;
const policy = 'createpolicy.fractional.L2::evict_first.b64 %policy;';

interface BoxSuite extends Suite {
  readonly source: IsaRow;
  readonly modifiers: Mods;
}

/** Returns one suite and one kernel for each choice of modifiers. */
export function boxSuiteGroups(): SuiteGroup[] {
  return copyRows.flatMap((source) => {
    const choices = modChoices(source);
    const first = coveringChoices(choices);
    return choices.map((modifiers): SuiteGroup => {
      const mods = modsText(source, modifiers);
      const id = suiteId(source.name, mods, form);
      const suite: BoxSuite = { id, row: source.name, mods, form, variants: 1, source, modifiers };
      return {
        suites: [suite],
        blockWarps: 1,
        warps: { sample: 8, exhaustive: 32 },
        launchWarps: 1,
        cost: 100,
        ...(first.has(modifiers) ? {} : { onlyAsked: true }),
        build: (choice) => buildBatch(suite, choice),
      };
    });
  });
}

function instructionOf({ source, modifiers }: BoxSuite): string {
  const coordinates = Array.from({ length: dimensionsOf(modifiers) }, (_, d) => `%c${d}`);
  const offsets = coordinates.slice(2).map((_, index) => `%o${index}`);
  const operands = { at: '%at', map: '%map', coordinates, offsets, bar: 'bar', mask: '%mask', policy: '%policy' };
  return `${copyText(source, modifiers, operands)};`;
}

/**
 * Returns the kernel's PTX. `control` contains the number of bytes that arrive, the place of the
 * box in shared memory, the coordinates and the offsets.
 */
function kernelText(suite: BoxSuite): string {
  const { source, modifiers } = suite;
  const instruction = instructionOf(suite);
  const demands = [source, ...laterDemands(source, modifiers)];
  const newest = (texts: readonly string[]) =>
    texts.reduce((a, b) => (Number(a.replace(/\D/g, '')) >= Number(b.replace(/\D/g, '')) ? a : b));
  const fence = 'fence.proxy.async.shared::cta;';
  return moduleText(
    '.param .align 64 .b8 map[128], .param .u64 control, .param .u64 tile_in, .param .u64 tensor, .param .u64 out',
    [
      '.shared .align 8 .b64 bar;',
      `.shared .align 1024 .b8 tile[${tileBytes}];`,
      `.reg .b32 %t, %i, %at, %w, %bytes, %c<${maxRank}>;`,
      `.reg .b16 %mask, %o<${maxOffsets}>;`,
      '.reg .b64 %map, %control, %in, %out, %wide, %policy;',
      '.reg .pred %first, %more, %done;',
      'mov.u32 %t, %tid.x;',
      'setp.eq.u32 %first, %t, 0;',
      'mov.b16 %mask, 1;',
      'mov.b64 %map, map;',
      'cvta.param.u64 %map, %map;',
      'ld.param.u64 %control, [control];',
      'ld.param.u64 %in, [tile_in];',
      'ld.param.u64 %out, [out];',
      'ld.global.u32 %bytes, [%control];',
      ...Array.from({ length: maxRank }, (_, d) => `ld.global.u32 %c${d}, [%control+${8 + 4 * d}];`),
      ...Array.from(
        { length: maxOffsets },
        (_, index) => `ld.global.u16 %o${index}, [%control+${8 + 4 * (maxRank + index)}];`,
      ),
      'shl.b32 %i, %t, 2;',
      'FILL:',
      'cvt.u64.u32 %wide, %i;',
      'add.s64 %wide, %in, %wide;',
      'ld.global.u32 %w, [%wide];',
      'mov.u32 %at, tile;',
      'add.u32 %at, %at, %i;',
      'st.shared.u32 [%at], %w;',
      `add.u32 %i, %i, ${4 * threads};`,
      `setp.lt.u32 %more, %i, ${tileBytes};`,
      '@%more bra FILL;',
      '@%first mbarrier.init.shared.b64 [bar], 1;',
      fence,
      'bar.sync 0;',
      'ld.global.u32 %w, [%control+4];',
      'mov.u32 %at, tile;',
      'add.u32 %at, %at, %w;',
      ...(modifiers.level === undefined ? [] : [policy]),
      '@!%first bra COPIED;',
      ...(isStore(source)
        ? [instruction, 'cp.async.bulk.commit_group;', 'cp.async.bulk.wait_group 0;', 'COPIED:']
        : [
            'mbarrier.arrive.expect_tx.shared.b64 _, [bar], %bytes;',
            instruction,
            'COPIED:',
            'mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;',
            '@!%done bra COPIED;',
            'shl.b32 %i, %t, 2;',
            'SHOW:',
            'mov.u32 %at, tile;',
            'add.u32 %at, %at, %i;',
            'ld.shared.u32 %w, [%at];',
            'cvt.u64.u32 %wide, %i;',
            'add.s64 %wide, %out, %wide;',
            'st.global.u32 [%wide], %w;',
            `add.u32 %i, %i, ${4 * threads};`,
            `setp.lt.u32 %more, %i, ${tileBytes};`,
            '@%more bra SHOW;',
          ]),
      'ret;',
    ],
    {
      version: newest(demands.map(({ ptx }) => ptx)),
      target: newest(demands.map(({ target }) => target)),
      ...(source.types.mask === undefined ? {} : { clusterBlocks: 1 }),
    },
  );
}

function drawBytes(bytes: number, bits: number, rng: Random): Uint8Array {
  return new Uint8Array(Uint32Array.from({ length: bytes / 4 }, () => rng.u32() & bits).buffer);
}

function casesOf({ id, source, modifiers }: BoxSuite, seed: number, warp: number) {
  const rng = random(seed, id, warp);
  const { op } = modifiers;
  const copy = drawCopy(source, modifiers, rng);
  const bits = drawnBits(copy, op);
  const tensor = drawBytes(tensorBytes, bits, rng);
  const tile = drawBytes(tileBytes, bits, rng);
  const after = isStore(source) ? stored(copy, tensor, tile, op) : loaded(copy, tensor, tile);
  return { copy, tensor, tile, after };
}

const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.slice().buffer);
const params = { tensor: 3, out: 4 } as const;

function buildBatch(suite: BoxSuite, { firstWarp, seed }: Choice): Batch {
  const geometry: Geometry = { block: [threads, 1, 1], firstWarp, warps: 1 };
  const { copy, tensor, tile, after } = casesOf(suite, seed, firstWarp);
  const wanted = wordsOf(after);
  const stride = wanted.length / threads;
  const slots = Array.from(
    { length: stride },
    (_, offset): Slot => ({
      suite,
      variant: 0,
      instruction: instructionOf(suite),
      result: `byte ${4 * offset}`,
      param: isStore(suite.source) ? params.tensor : params.out,
      stride,
      offset,
      expected: Uint32Array.from(
        { length: threads },
        (_thread, thread) => wanted[thread * stride + offset] ?? missing('a word'),
      ),
      state: everyDefined(threads),
    }),
  );
  const control = new Uint32Array(2 + maxRank + maxOffsets);
  control.set([copy.bytes, copy.place, ...copy.coordinates]);
  control.set(copy.offsets, 2 + maxRank);
  return {
    launch: launchOf(`${suite.row}.${form}`, kernelText(suite), geometry, [
      mapParam('map', copy, params.tensor),
      inputBuffer('control', control),
      inputBuffer('tile_in', wordsOf(tile)),
      inputBuffer('tensor', wordsOf(tensor)),
      outputBuffer('out', isStore(suite.source) ? threads : tileBytes / 4),
    ]),
    geometry,
    slots,
    describe: () => ({
      map: JSON.stringify(copy.map),
      coordinates: copy.coordinates.join(', '),
      ...(copy.offsets.length === 0 ? {} : { offsets: copy.offsets.join(', ') }),
      place: `${copy.place}`,
    }),
  };
}
