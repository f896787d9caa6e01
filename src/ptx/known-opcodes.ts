// PTX that exists but that no row covers: to tell "not supported" from "no such thing".

/// First words of instructions of PTX 9.0 without a row.
export const unsupportedWords: ReadonlySet<string> = new Set(
  `abs add alloca applypriority atom bar barrier bfind bra brkpt brx call clusterlaunchcontrol copysign cos cp createpolicy cvt
  cvta discard div ex2 fence fma getctarank griddepcontrol istypep ldmatrix lg2 ld mad mapa max mbarrier membar min mma mov
  movmatrix mul multimem neg pmevent prefetch prefetchu rcp red redux rsqrt selp set setmaxnreg setp sin slct sqrt st
  stackrestore stacksave stmatrix sub suld suq sured sust tanh tcgen05 tensormap testp tex tld4 trap txq video vabsdiff
  vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vset vset2 vset4 vshl vshr vsub
  vsub2 vsub4 wgmma wmma`.split(/\s+/),
);

/// Types that no row computes with.
const unsupportedTypes =
  'f16 f16x2 bf16 bf16x2 f64 f32x2 tf32 b128 b4x16 b4x16_p64 b6x16_p32 s16x2 u16x2 e4m3 e5m2 e4m3x2 e5m2x2 e2m1x2 e2m3x2 e3m2x2 ue8m0x2 e4m3x4 e5m2x4 e2m1x4 e2m3x4 e3m2x4 s2f6x2';

/// Modifiers that select forms without a row, by first word; `*` for any.
const unsupportedModifiers: Readonly<Record<string, string>> = {
  '*': unsupportedTypes,
  atom: 'shared::cluster noftz v2 v4 v8 L2::cache_hint b16',
  bar: 'warp',
  barrier: 'cluster',
  bra: '',
  cvt: 'rna rs relu satfinite scaled::n2::ue8m0 u2 s2 u4 s4',
  'cvt.pack': 'u2 s2 u4 s4 u8 s8',
  cvta: 'shared::cluster',
  fence: 'proxy mbarrier_init sync_restrict::shared::cta sync_restrict::shared::cluster',
  isspacep: 'shared::cluster',
  ld: 'mmio shared::cluster unified v8 L2::cache_hint L2::evict_first L2::evict_last L2::evict_normal',
  lop3: 'and or',
  membar: 'proxy',
  mov: 'v2 v4',
  prefetch: 'tensormap const param generic',
  red: 'async shared::cluster noftz v2 v4 v8 L2::cache_hint',
  st: 'async bulk mmio shared::cluster v8 L2::cache_hint L2::evict_first L2::evict_last L2::evict_normal',
  tanh: 'approx',
};

const modifierSets = new Map(
  Object.entries(unsupportedModifiers).map(([word, list]) => [word, new Set(list.split(' '))]),
);

/// Whether a modifier is PTX's for `word`, though no row takes it.
export function isUnsupportedModifier(word: string, modifier: string): boolean {
  return (modifierSets.get('*')?.has(modifier) ?? false) || (modifierSets.get(word)?.has(modifier) ?? false);
}

/// Special registers of PTX without a row in the listing.
export function isUnsupportedSpecialRegister(name: string): boolean {
  return /^%(envreg([12]?\d|3[01])|pm[0-7](_64)?|is_explicit_cluster|clusterid|nclusterid|cluster_ctaid|cluster_nctaid|cluster_ctarank|cluster_nctarank|aggr_smem_size|current_graph_exec|reserved_smem_offset_\w+)$/.test(
    name,
  );
}
