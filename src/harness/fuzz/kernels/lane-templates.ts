// Lines of PTX that involve no other lane, with places for registers: every form of every lane instruction of the listing that is exact, and
// moves and memory accesses written here.
import { approximate } from '../../../cpu-ref/index.ts';
import { floatRows, type IsaRow, integerRows, type Mods, selectRows } from '../../../isa/index.ts';
import { type OperandGroup, patternOf, resolveType } from '../../../isa/match.ts';
import { instructionText, modChoices } from '../../suites/rows/instruction-text.ts';
import type { RegisterClass } from './registers.ts';

/// `lines` name results D0, D1, sources S0, S1, …, temporaries T0, …, and the addresses OWN (the thread's word of shared memory), MEM (its 16
/// bytes of a buffer) and IN (its 80 bytes of the input).
export interface LaneTemplate {
  readonly lines: readonly string[];
  readonly results: readonly RegisterClass[];
  readonly sources: readonly RegisterClass[];
  readonly temporaries: readonly RegisterClass[];
  /// Sources that may be constants, or negated.
  readonly constants: readonly boolean[];
  readonly negatable: readonly boolean[];
  /// Names the family: templates of one are drawn equally often, whatever their number.
  readonly family: string;
  /// Runs on PTX 6.3 and sm_70 already.
  readonly old: boolean;
}

/// Combinations that the manual does not allow.
const refused: Readonly<Record<string, (mods: Mods) => boolean>> = {
  add: ({ sat, type }) => sat !== undefined && type !== 's32',
  sub: ({ sat, type }) => sat !== undefined && type !== 's32',
  mad: ({ sat, type, half }) => sat !== undefined && (type !== 's32' || half !== 'hi'),
  mad24: ({ sat, type, half }) => sat !== undefined && (type !== 's32' || half !== 'hi'),
  min: ({ relu, type }) => relu !== undefined && type !== 's32',
  max: ({ relu, type }) => relu !== undefined && type !== 's32',
  'min.f32': ({ xorsign, abs }) => (xorsign === undefined) !== (abs === undefined),
  'max.f32': ({ xorsign, abs }) => (xorsign === undefined) !== (abs === undefined),
  // Without a rounding mode ptxas may contract a product and a sum.
  'add.f32': ({ rnd }) => rnd === undefined,
  'sub.f32': ({ rnd }) => rnd === undefined,
  'mul.f32': ({ rnd }) => rnd === undefined,
  'mad.f32': ({ rnd }) => rnd === undefined,
  setp: refusedComparison,
  'setp.bool': refusedComparison,
  set: refusedComparison,
  'set.bool': refusedComparison,
  cvt: refusedConversion,
  // Written below.
  bfe: ({ type }) => type?.endsWith('64') === true,
  bfi: ({ type }) => type?.endsWith('64') === true,
};

function refusedComparison({ cmp = '', type = '' }: Mods): boolean {
  if (type.startsWith('b')) return cmp !== 'eq' && cmp !== 'ne';
  return type.startsWith('s') && ['lo', 'ls', 'hi', 'hs'].includes(cmp);
}

function refusedConversion({ rnd, ftz, sat, dtype, atype }: Mods): boolean {
  const integral = rnd?.endsWith('i') ?? false;
  if (ftz !== undefined && dtype !== 'f32' && atype !== 'f32') return true;
  // `.sat` where the source's range lies inside the destination's is refused by ptxas.
  if (sat !== undefined && (dtype !== 'f32' || atype !== 'f32')) return true;
  if (dtype === 'f32' && atype === 'f32') return rnd !== undefined && !integral;
  if (dtype === 'f32') return rnd === undefined || integral;
  if (atype === 'f32') return !integral;
  return rnd !== undefined;
}

/// `fns` beyond its range, quotients by 0 and the sign of a NaN are not defined.
const handWritten = ['fns', 'div', 'rem', 'mov', 'neg.f32', 'abs.f32'];

const classes: Readonly<Record<string, RegisterClass>> = {
  pred: 'p', b8: 'r', u8: 'r', s8: 'r', b16: 'h', u16: 'h', s16: 'h', b32: 'r', u32: 'r', s32: 'r', b64: 'd', u64: 'd', s64: 'd', f32: 'f',
}; // biome-ignore format: a table

function older(text: string, than: string): boolean {
  const [a = 0, b = 0] = text.split('.').map(Number);
  const [c = 0, d = 0] = than.split('.').map(Number);
  return a < c || (a === c && b <= d);
}

function isOld({ ptx, target, since }: IsaRow, mods: Mods): boolean {
  const allowed = (demand: { readonly ptx: string; readonly target: string }) =>
    older(demand.ptx, '6.3') && Number(/\d+/.exec(demand.target)?.[0]) <= 70;
  const demands = (since ?? []).filter(({ slot, values }) => values.includes(mods[slot] ?? ''));
  return allowed({ ptx, target }) && demands.every(allowed);
}

function rowTemplates(row: IsaRow): LaneTemplate[] {
  const { groups } = patternOf(row);
  const slots = groups.filter(({ optional }) => !optional);
  return modChoices(row)
    .filter((mods) => !refused[row.name]?.(mods))
    .flatMap((mods) => (hasPair(slots) ? [false, true] : [false]).map((pair) => rowTemplate(row, mods, slots, pair)));
}

const hasPair = (groups: readonly OperandGroup[]): boolean => groups.some(({ secondOptional }) => secondOptional);

function rowTemplate(row: IsaRow, mods: Mods, groups: readonly OperandGroup[], pair: boolean): LaneTemplate {
  const texts: Record<string, string> = {};
  const results: RegisterClass[] = [];
  const sources: RegisterClass[] = [];
  const constants: boolean[] = [];
  const negatable: boolean[] = [];
  for (const { first, second, secondOptional } of groups) {
    for (const slot of [first, ...(second && (pair || !secondOptional) ? [second] : [])]) {
      if (slot.type === 'immediate') {
        texts[slot.name] = 'LUT';
        continue;
      }
      const name = classes[resolveType(slot.type, mods) ?? ''] ?? 'r';
      if (slot.destination) texts[slot.name] = `D${results.push(name) - 1}`;
      else {
        texts[slot.name] = `S${sources.push(name) - 1}`;
        // The first stays a register, so that nothing folds whole.
        constants.push(sources.length > 1 && name !== 'p');
        negatable.push(slot.negatable);
      }
    }
  }
  const text = instructionText({ ...row, syntax: row.syntax.replace(/\{,[^}]*\}/g, '') }, mods, texts);
  return {
    lines: [text],
    results,
    sources,
    temporaries: [],
    constants,
    negatable,
    family: row.name,
    old: isOld(row, mods),
  };
}

/// `lines`, and classes by letters: `written('a', 'mov.b64 D0, {S0, S1}', 'd', 'rr')`.
function written(family: string, lines: string, results: string, sources: string, temporaries = ''): LaneTemplate {
  const letters = (text: string) =>
    [...text].flatMap((letter) => Object.values(classes).find((name) => name === letter) ?? []);
  const sourceClasses = letters(sources);
  return {
    lines: lines.split('; '),
    results: letters(results),
    sources: sourceClasses,
    temporaries: letters(temporaries),
    constants: sourceClasses.map(() => false),
    negatable: sourceClasses.map(() => false),
    family,
    old: true,
  };
}

const words = ['u32', 's32', 'u64', 's64'] as const;

/// A borrow goes to subc alone: what addc makes of it is not what the manual says (seen on an H200).
const carries = words.flatMap((type) => {
  const c = classes[type] ?? 'r';
  const two = c.repeat(2);
  const four = c.repeat(4);
  return [
    written('carry', `add.cc.${type} D0, S0, S1; addc.${type} D1, S2, S3`, two, four),
    written(
      'carry',
      `add.cc.${type} D0, S0, S1; addc.cc.${type} D1, S2, S3; addc.${type} D2, S0, S2`,
      c.repeat(3),
      four,
    ),
    written('carry', `sub.cc.${type} D0, S0, S1; subc.${type} D1, S2, S3`, two, four),
    written(
      'carry',
      `sub.cc.${type} D0, S0, S1; subc.cc.${type} D1, S2, S3; subc.${type} D2, S0, S2`,
      c.repeat(3),
      four,
    ),
    written('carry', `mad.lo.cc.${type} D0, S0, S1, S2; madc.hi.${type} D1, S0, S1, S3`, two, four),
  ];
});

/// The manual takes positions and lengths modulo 256; an H200 does not, of 64-bit fields.
const wideFields = [
  ...['u64', 's64'].map((type) =>
    written('bfe', `and.b32 T0, S1, 255; and.b32 T1, S2, 255; bfe.${type} D0, S0, T0, T1`, 'd', 'drr', 'rr'),
  ),
  written('bfi', 'and.b32 T0, S2, 255; and.b32 T1, S3, 255; bfi.b64 D0, S0, S1, T0, T1', 'd', 'ddrr', 'rr'),
];

/// The divisor is never 0, nor -1.
const divisions = ['u16', 's16', ...words].flatMap((type) => {
  const c = classes[type] ?? 'r';
  const bits = type.slice(1);
  return ['div', 'rem'].map((name) =>
    written(name, `shr.u${bits} T0, S1, 1; or.b${bits} T0, T0, 1; ${name}.${type} D0, S0, T0`, c, `${c}${c}`, c),
  );
});

/// NaN becomes -infinity first.
const signs = ['neg', 'abs'].flatMap((name) =>
  ['', '.ftz'].map((ftz) =>
    written(`${name}.f32`, `max.f32 T0, S0, 0fff800000; ${name}${ftz}.f32 D0, T0`, 'f', 'f', 'f'),
  ),
);

const specials = [
  '%laneid',
  '%tid.x',
  '%ntid.x',
  '%ctaid.x',
  '%nctaid.x',
  ...['eq', 'le', 'lt', 'ge', 'gt'].map((name) => `%lanemask_${name}`),
];

const moves = [
  ...specials.map((name) => written('special', `mov.u32 D0, ${name}`, 'r', '')),
  written('mov', 'mov.b32 D0, S0', 'f', 'r'),
  written('mov', 'mov.b32 D0, S0', 'r', 'f'),
  written('mov', 'mov.u32 D0, S0', 'r', 'r'),
  written('mov', 'mov.pred D0, S0', 'p', 'p'),
  written('mov', 'mov.f32 D0, S0', 'f', 'f'),
  written('mov', 'mov.u64 D0, S0', 'd', 'd'),
  written('pack', 'mov.b64 D0, {S0, S1}', 'd', 'rr'),
  written('pack', 'mov.b64 D0, {S0, S1}', 'd', 'fr'),
  written('pack', 'mov.b64 {D0, D1}, S0', 'rr', 'd'),
  written('pack', 'mov.b32 D0, {S0, S1}', 'r', 'hh'),
  written('pack', 'mov.b32 {D0, D1}, S0', 'hh', 'r'),
];

const memory = [
  ...[0, 4, 12, 40].map((at) => written('input', `ld.global.u32 D0, [IN+${at}]`, 'r', '')),
  written('input', 'ld.global.v2.f32 {D0, D1}, [IN+24]', 'ff', ''),
  written('input', 'ld.global.s8 D0, [IN+7]', 'r', ''),
  written('input', 'ld.global.s16 D0, [IN+6]', 'r', ''),
  written(
    'input',
    'and.b32 T0, S0, 60; cvt.u64.u32 T1, T0; add.u64 T1, T1, IN; ld.global.u32 D0, [T1]',
    'r',
    'r',
    'rd',
  ),
  written('own', 'st.global.u32 [MEM], S0', '', 'r'),
  written('own', 'st.global.u64 [MEM+8], S0', '', 'd'),
  written('own', 'st.global.u8 [MEM+5], S0', '', 'r'),
  written('own', 'st.global.u16 [MEM+2], S0', '', 'h'),
  written('own', 'st.global.v2.f32 [MEM+8], {S0, S1}', '', 'ff'),
  written('own', 'ld.global.u32 D0, [MEM]', 'r', ''),
  written('own', 'ld.global.u64 D0, [MEM+8]', 'd', ''),
  written('own', 'ld.global.s8 D0, [MEM+5]', 'r', ''),
  written('own', 'and.b32 T0, S0, 15; cvt.u64.u32 T1, T0; add.u64 T1, T1, MEM; st.global.u8 [T1], S1', '', 'rr', 'rd'),
  written('own', 'and.b32 T0, S0, 14; cvt.u64.u32 T1, T0; add.u64 T1, T1, MEM; ld.global.u16 D0, [T1]', 'h', 'r', 'rd'),
  written('own', 'atom.global.add.u32 D0, [MEM+4], S0', 'r', 'r'),
  written('own', 'atom.global.cas.b32 D0, [MEM+4], S0, S1', 'r', 'rr'),
  written('own', 'red.global.max.s32 [MEM], S0', '', 'r'),
  written('shared', 'st.shared.b32 [OWN], S0', '', 'r'),
  written('shared', 'ld.shared.b32 D0, [OWN]', 'r', ''),
  written('shared', 'atom.shared.xor.b32 D0, [OWN], S0', 'r', 'r'),
  written('shared', 'atom.shared.exch.b32 D0, [OWN], S0', 'r', 'r'),
];

const fromRows = [...integerRows, ...floatRows, ...selectRows]
  .filter(({ name }) => !Object.hasOwn(approximate, name) && !handWritten.includes(name))
  .filter((row: IsaRow) => row.carry === undefined)
  .flatMap(rowTemplates);

export const laneTemplates: readonly LaneTemplate[] = [
  ...fromRows,
  ...carries,
  ...wideFields,
  ...divisions,
  ...signs,
  ...moves,
  ...memory,
];
