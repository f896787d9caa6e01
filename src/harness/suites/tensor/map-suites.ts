// The suites of instructions that change or copy tensor maps: random maps, and one kernel for each
// form. The result is the whole map.

import { encodeTensorMap } from '../../../base/encode-tensor-map.ts';
import { missing } from '../../../base/invariants.ts';
import { strideUnit, tensorMapBytes } from '../../../base/tensor-map-fields.ts';
import { withField } from '../../../cpu-ref/tensor/change-map.ts';
import { type IsaRow, type Mods, tensorRows } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { type Geometry, inputBuffer, launchOf, outputBuffer } from '../geometry.ts';
import { moduleText } from '../module-text.ts';
import { type Random, random } from '../random.ts';
import { coveringChoices } from '../rows/cover-choices.ts';
import { anyInstructionText, modChoices, modsText } from '../rows/instruction-text.ts';
import { suiteId } from '../suite-id.ts';
import { type Batch, type Choice, everyDefined, hex, type Slot, type Suite, type SuiteGroup } from '../types.ts';
import { allTypes, drawBox } from './draw-box.ts';

const form = 'map';
const threads = 32;

interface MapSuite extends Suite {
  readonly source: IsaRow;
  readonly modifiers: Mods;
}

const changes: readonly IsaRow[] = tensorRows.filter(({ name }) => name.startsWith('tensormap.'));

/** Returns one suite and one kernel for each choice of modifiers. */
export function mapSuiteGroups(): SuiteGroup[] {
  return changes.flatMap((source) => {
    const choices = modChoices(source).filter((mods) => objectionTo(source, mods) === undefined && hasRightType(mods));
    const first = coveringChoices(choices);
    return choices.map((modifiers): SuiteGroup => {
      const mods = modsText(source, modifiers);
      const suite: MapSuite = {
        id: suiteId(source.name, mods, form), row: source.name, mods, form, variants: 1, source, modifiers,
      }; // biome-ignore format: one record
      return {
        suites: [suite],
        blockWarps: 1,
        warps: { sample: 4, exhaustive: 16 },
        launchWarps: 1,
        cost: 20,
        ...(first.has(modifiers) ? {} : { onlyAsked: true }),
        build: (choice) => buildBatch(suite, choice),
      };
    });
  });
}

const isWide = (field: string): boolean => field === 'global_address' || field === 'global_stride';
/** Only addresses and strides have 64 bits. */
const hasRightType = ({ field, type }: Mods): boolean => field === undefined || isWide(field) === (type === 'b64');

/** The number of values of each mode on sm_90. */
const modes: Readonly<Record<string, number>> = { elemtype: 13, interleave_layout: 3, swizzle_mode: 4, fill_mode: 2 };
const dimensions: Readonly<Record<string, number>> = { box_dim: 5, global_dim: 5, global_stride: 4, element_stride: 5 };

/** Draws the constants of a kernel: the dimension, and the value of a mode. */
function constantsOf({ id, modifiers: { field = '' } }: MapSuite, seed: number) {
  const rng = random(seed, id);
  const mode = modes[field];
  const count = dimensions[field];
  return {
    dimension: count === undefined ? undefined : rng.below(count),
    mode: mode === undefined ? undefined : rng.below(mode),
  };
}

/** Draws a value of a field that is not a mode. */
function drawValue(field: string, rng: Random): bigint {
  const unit = BigInt(strideUnit);
  switch (field) {
    case 'global_address':
      return (BigInt(rng.below(2 ** 24)) << 32n) | (BigInt(rng.u32()) & -unit);
    case 'global_stride':
      return (BigInt(rng.below(2 ** 8)) << 32n) | (BigInt(rng.u32()) & -unit);
    case 'rank':
      return BigInt(rng.below(5));
    case 'box_dim':
      return BigInt(1 + rng.below(256));
    case 'element_stride':
      return BigInt(1 + rng.below(8));
    default:
      return BigInt(1 + rng.below(2 ** 31));
  }
}

function instructionOf(suite: MapSuite, seed: number): string {
  const { source, modifiers } = suite;
  if (source.name === 'tensormap.cp_fenceproxy')
    return `${anyInstructionText(source, modifiers, { to: '[%out]', a: '[%own]', n: `${tensorMapBytes}` })};`;
  const { dimension, mode } = constantsOf(suite, seed);
  const { space } = modifiers;
  const texts = {
    a: space === 'global' ? '[%out]' : space === undefined ? '[%generic]' : '[%own]',
    ...(dimension === undefined ? {} : { dimension: `${dimension}` }),
    value: mode === undefined ? (modifiers.type === 'b64' ? '%wide' : '%value') : `${mode}`,
  };
  return `${anyInstructionText(source, modifiers, texts)};`;
}

/** Returns the kernel's PTX. `map_in` contains the map, then the value as two words. */
function kernelText(suite: MapSuite, seed: number): string {
  const { source, modifiers } = suite;
  const isInGlobal = modifiers.space === 'global' || source.name === 'tensormap.cp_fenceproxy';
  const instruction = instructionOf(suite, seed);
  return moduleText(
    '.param .u64 map_in, .param .u64 out',
    [
      `.shared .align ${tensorMapBytes} .b8 own[${tensorMapBytes}];`,
      '.reg .b32 %t, %own, %word, %w, %value;',
      '.reg .b64 %in, %out, %at, %generic, %wide;',
      '.reg .pred %first;',
      'mov.u32 %t, %tid.x;',
      'setp.eq.u32 %first, %t, 0;',
      'ld.param.u64 %in, [map_in];',
      'ld.param.u64 %out, [out];',
      `ld.global.u64 %wide, [%in+${tensorMapBytes}];`,
      'cvt.u32.u64 %value, %wide;',
      'mov.u32 %own, own;',
      'cvt.u64.u32 %generic, %own;',
      'cvta.shared.u64 %generic, %generic;',
      'mul.wide.u32 %at, %t, 4;',
      'add.s64 %in, %in, %at;',
      'add.s64 %at, %out, %at;',
      'ld.global.u32 %w, [%in];',
      'shl.b32 %word, %t, 2;',
      'add.u32 %word, %own, %word;',
      'st.shared.u32 [%word], %w;',
      ...(modifiers.space === 'global' ? ['st.global.u32 [%at], %w;'] : []),
      'bar.sync 0;',
      source.name === 'tensormap.cp_fenceproxy' ? instruction : `@%first ${instruction}`,
      'bar.sync 0;',
      ...(isInGlobal ? [] : ['ld.shared.u32 %w, [%word];', 'st.global.u32 [%at], %w;']),
      'ret;',
    ],
    { version: source.ptx, target: source.target },
  );
}

function casesOf(suite: MapSuite, seed: number, warp: number) {
  const rng = random(seed, suite.id, warp);
  const { field } = suite.modifiers;
  const before = encodeTensorMap(
    drawBox({ rank: 1 + rng.below(5), mode: 'tile', isStore: false, types: allTypes }, rng).map,
    0n,
  );
  const { dimension, mode } = constantsOf(suite, seed);
  if (field === undefined) return { before, value: 0n, after: before };
  const value = mode === undefined ? drawValue(field, rng) : BigInt(mode);
  return { before, value, after: withField(before.slice(), { name: field, dimension: dimension ?? 0 }, value) };
}

function buildBatch(suite: MapSuite, { firstWarp, seed }: Choice): Batch {
  const geometry: Geometry = { block: [threads, 1, 1], firstWarp, warps: 1 };
  const { before, value, after } = casesOf(suite, seed, firstWarp);
  const input = new Uint32Array(tensorMapBytes / 4 + 2);
  input.set(new Uint32Array(before.slice().buffer));
  input.set([Number(value & 0xffff_ffffn), Number(value >> 32n)], tensorMapBytes / 4);
  const slot: Slot = {
    suite,
    variant: 0,
    instruction: instructionOf(suite, seed),
    result: 'map',
    param: 1,
    stride: 1,
    offset: 0,
    expected: new Uint32Array(after.slice().buffer),
    state: everyDefined(threads),
  };
  return {
    launch: launchOf(`${suite.row}.${form}`, kernelText(suite, seed), geometry, [
      inputBuffer('map_in', input),
      outputBuffer('out', threads),
    ]),
    geometry,
    slots: [slot],
    describe: (_slot, _warp, lane) => ({ word: hex(input[lane] ?? missing('a word')), value: hex(value) }),
  };
}
