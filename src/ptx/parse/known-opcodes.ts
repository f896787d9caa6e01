// Recognizes PTX for which there is no row, to distinguish "unsupported" from "unknown".
import { isaRows } from '../../isa/index.ts';
import { isManualWord, manualNameOf } from '../../isa/manual.ts';
import { patternOf, patternsFor } from '../../isa/match.ts';

let covered: ReadonlySet<string | undefined> | undefined;

/**
 * Returns the manual's names of the instructions that have rows. The names are computed on the
 * first call, because only invalid or unsupported kernels need them.
 */
function coveredNames(): ReadonlySet<string | undefined> {
  covered ??= new Set(
    isaRows.map((row) => {
      const { word, parts } = patternOf(row);
      return manualNameOf([word, ...parts.flatMap(({ slot, optional, name }) => (slot || optional ? [] : [name]))]);
    }),
  );
  return covered;
}

/**
 * Returns the manual's name of an instruction that has no row with any modifiers, such as
 * `tcgen05`. Returns undefined for other words.
 */
export function uncoveredInstruction(parts: readonly string[]): string | undefined {
  const [word = ''] = parts;
  if (!isManualWord(word)) return undefined;
  const name = manualNameOf(parts) ?? word;
  return coveredNames().has(name) || (name === word && patternsFor(word).length > 0) ? undefined : name;
}

/** The types that are unsupported in some instructions. */
export const unsupportedTypes =
  'f16 f16x2 bf16 bf16x2 f32x2 tf32 b128 b4x16 b4x16_p64 b6x16_p32 s16x2 u16x2 e4m3 e5m2 e4m3x2 e5m2x2 e2m1x2 e2m3x2 e3m2x2 ue8m0x2 e4m3x4 e5m2x4 e2m1x4 e2m3x4 e3m2x4 s2f6x2';

/** The modifiers of forms without a row, by the first word of the opcode; `*` is for any word. */
export const unsupportedModifiers: Readonly<Record<string, string>> = {
  '*': unsupportedTypes,
  bar: 'warp',
  bra: '',
  cp: 'cp_mask im2col::w im2col::w::128 tile::gather4 tile::scatter4 cta_group::1 cta_group::2',
  cvt: 'rs scaled::n2::ue8m0 u2 s2 u4 s4',
  fence: 'async::generic',
  ld: 'mmio unified v8 L2::evict_first L2::evict_last L2::evict_normal',
  fma: 'oob',
  ldmatrix: 'm16n16 m8n16 b8 b8x16 b6x16_p32 b4x16_p64',
  mma: 'sp::ordered_metadata block_scale kind::f8f6f4 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4 scale_vec::1X scale_vec::2X scale_vec::4X e2m1 e3m2 e2m3',
  mov: 'v2 v4',
  red: 'async',
  suld: 'p',
  sured: 'b64',
  tex: 'cube acube 2dms a2dms',
  tensormap: 'swizzle_atomicity',
  tld4: 'cube acube',
  txq: 'array_size channel_data_type channel_order normalized_coords force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 num_mipmap_levels num_samples',
  suq: 'array_size channel_data_type channel_order memory_layout',
  // Until PTX 6.4, wmma with sums in f16 and f32 had `.satfinite`.
  wmma: 'satfinite',
  stmatrix: 'm16n8 b8',
  st: 'async bulk mmio v8 L2::evict_first L2::evict_last L2::evict_normal',
};

const modifierSets = new Map(
  Object.entries(unsupportedModifiers).map(([word, list]) => [word, new Set(list.split(' '))]),
);

/** Whether PTX has this modifier for `word`, although no row accepts it. */
export function isUnsupportedModifier(word: string, modifier: string): boolean {
  return (modifierSets.get('*')?.has(modifier) ?? false) || (modifierSets.get(word)?.has(modifier) ?? false);
}
