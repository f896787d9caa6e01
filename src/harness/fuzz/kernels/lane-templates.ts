// Templates that do not access other lanes: every form of every exact lane instruction, and moves.
import { approximate } from '../../../cpu-ref/index.ts';
import { type IsaRow, laneIsaRows, type Mods, selectRows } from '../../../isa/index.ts';
import { constantType, type OperandGroup, patternOf, resolveType } from '../../../isa/match.ts';
import { objectionTo, operandDemand } from '../../../ptx/checks/constraints.ts';
import { instructionText, modChoices } from '../../suites/rows/instruction-text.ts';
import { shaped, withMarks } from '../../suites/rows/marks.ts';
import { accessTemplates } from './access-templates.ts';
import { approximations } from './approximations.ts';
import { atomicTemplates } from './atomic-templates.ts';
import { dialectsFor } from './dialects.ts';
import { classes, type LaneTemplate, written } from './lane-template.ts';
import { memoryTemplates } from './memory-templates.ts';
import { orderTemplates } from './order-templates.ts';
import type { RegisterClass } from './registers.ts';
import { wideTemplates } from './wide-templates.ts';

/** For each row, whether the manual does not allow a combination of modifiers. */
const refused: Readonly<Record<string, (mods: Mods) => boolean>> = {
  add: ({ sat, type }) => sat !== undefined && type !== 's32',
  sub: ({ sat, type }) => sat !== undefined && type !== 's32',
  mad: ({ sat, type, half }) => sat !== undefined && (type !== 's32' || half !== 'hi'),
  mad24: ({ sat, type, half }) => sat !== undefined && (type !== 's32' || half !== 'hi'),
  min: ({ relu, type }) => relu !== undefined && type !== 's32',
  max: ({ relu, type }) => relu !== undefined && type !== 's32',
  'min.f32': ({ xorsign, abs }) => (xorsign === undefined) !== (abs === undefined),
  'max.f32': ({ xorsign, abs }) => (xorsign === undefined) !== (abs === undefined),
  setp: refusedComparison,
  'setp.bool': refusedComparison,
  set: refusedComparison,
  'set.bool': refusedComparison,
  cvt: refusedConversion,
};

function refusedComparison({ cmp = '', type = '' }: Mods): boolean {
  if (type.startsWith('b')) return cmp !== 'eq' && cmp !== 'ne';
  return type.startsWith('s') && ['lo', 'ls', 'hi', 'hs'].includes(cmp);
}

function refusedConversion({ rnd, ftz, sat, dtype, atype }: Mods): boolean {
  const integral = rnd?.endsWith('i') ?? false;
  if (ftz !== undefined && dtype !== 'f32' && atype !== 'f32') return true;
  if (sat !== undefined && holdsAll(dtype ?? '', atype ?? '')) return true;
  if (dtype === 'f32' && atype === 'f32') return rnd !== undefined && !integral;
  if (dtype === 'f32') return rnd === undefined || integral;
  if (atype === 'f32') return !integral;
  return rnd !== undefined;
}

/**
 * Whether a type includes every value of another type. Then `.sat` is not allowed, because nothing
 * saturates. For f32, `.sat` clamps to [0, 1].
 */
function holdsAll(type: string, other: string): boolean {
  if (type === 'f32' || other === 'f32') return type === 'f32' && other !== 'f32';
  const [width, otherWidth] = [type, other].map((name) => Number(name.slice(1)));
  if (width === undefined || otherWidth === undefined || width < otherWidth) return false;
  return type[0] === other[0] || (type.startsWith('s') && width > otherWidth);
}

/**
 * Rows whose templates are written by hand. PTX does not specify `fns` out of range, quotients by
 * 0, and the sign of a NaN.
 */
const handWritten = [
  'fns',
  'div',
  'rem',
  'mov',
  'neg.f32',
  'abs.f32',
  'neg.f64',
  'abs.f64',
  'neg.f16',
  'abs.f16',
  'neg.bf16',
  'abs.bf16',
  // The 8-bit registers of these instructions hold a value only briefly, so the templates are
  // written by hand.
  'cvt.f4x2.f32',
  'cvt.f4x2.f16x2',
  'cvt.f16x2.f4x2',
];

function rowTemplates(row: IsaRow): LaneTemplate[] {
  const { groups } = patternOf(row);
  return modChoices(row)
    .filter((mods) => !refused[row.name]?.(mods) && objectionTo(row, mods) === undefined)
    .map((mods, index) => withMarks(row, mods, index))
    .flatMap((mods) => {
      const form = shaped(row, mods);
      const slots = groups.filter(({ first, optional }) => !optional || form.syntax.endsWith(`, ${first.name}`));
      const templates = (hasPair(slots) ? [false, true] : [false]).map((pair) => rowTemplate(form, mods, slots, pair));
      return [...templates, ...withThird(row, mods, groups)];
    });
}

/** Returns templates for minima and maxima of three, if the modifiers support a third operand. */
function withThird(row: IsaRow, mods: Mods, groups: readonly OperandGroup[]): LaneTemplate[] {
  const demand = operandDemand(row, (name) => name === 'c');
  if (demand === undefined || mods.xorsign !== undefined) return [];
  return [rowTemplate({ ...row, ...demand, syntax: row.syntax.replace('{, c}', ', c') }, mods, groups, false)];
}

/**
 * Returns the family of a row. The many rows for 16-bit floats and video instructions share
 * families, so that other rows are drawn often enough.
 */
function familyOf(row: string): string {
  const [, word = ''] =
    /^(setp|set|cvt)\.(?:bool\.|to\.|from\.|f32\.|f64\.)?(?:b?f16|half|tf32|f[68]x2|ue8m0x2)/.exec(row) ?? [];
  if (word !== '') return `${word}.half`;
  if (/^v[a-z]+[24]?$/.test(row)) return 'video';
  return row
    .replace(/\.bf16$/, '.f16')
    .replace(/\.f32(?:\.half|x2)$/, '.f32')
    .replace(/\.16x2$/, '');
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
      const type = resolveType(slot.type, mods);
      const name = classes[type ?? ''] ?? 'r';
      if (slot.destination) texts[slot.name] = `D${results.push(name) - 1}`;
      else {
        texts[slot.name] = `S${sources.push(name) - 1}`;
        // Constants are integers. ptxas 13.0 crashes on constants that represent bf16 bits in a
        // product.
        const isTaken = type === undefined || constantType(row, type, mods) === type;
        const isMarked = [slot.selector, slot.sign].some((mark) => mark !== undefined && mods[mark] !== undefined);
        constants.push(name !== 'p' && type !== 'f64' && isTaken && !isMarked);
        negatable.push(slot.negatable);
      }
    }
  }
  // An instruction whose only source is a constant would be folded.
  if (sources.length === 1) constants.fill(false);
  const text = instructionText(row, mods, texts);
  return {
    lines: [text],
    results,
    sources,
    temporaries: [],
    constants,
    negatable,
    family: familyOf(row.name),
    row: row.name,
    dialects: dialectsFor(row, mods),
  };
}

const words = ['u32', 's32', 'u64', 's64'] as const;

/**
 * Chains of two and three additions or subtractions. They read the same carry bit, regardless of
 * the instruction that wrote it.
 */
const carries = words.flatMap((type) => {
  const c = classes[type] ?? 'r';
  const [two, three, four] = [c.repeat(2), c.repeat(3), c.repeat(4)];
  const first = [
    ...[`add.cc.${type} D0, S0, S1`, `sub.cc.${type} D0, S0, S1`],
    ...['lo', 'hi'].map((half) => `mad.${half}.cc.${type} D0, S0, S1, S2`),
  ];
  const last = [
    ...[`addc.${type} D1, S2, S3`, `subc.${type} D1, S2, S3`],
    ...['lo', 'hi'].map((half) => `madc.${half}.${type} D1, S0, S1, S3`),
  ];
  return first.flatMap((begin) =>
    last.flatMap((end) => [
      written('carry', `${begin}; ${end}`, two, four),
      ...[`addc.cc.${type} D2, S1, S3`, `subc.cc.${type} D2, S1, S3`, `madc.lo.cc.${type} D2, S1, S3, S0`].map(
        (middle) => written('carry', `${begin}; ${middle}; ${end}`, three, four),
      ),
    ]),
  );
});

/**
 * Fields with positions and lengths below 256, for which hardware agrees with the manual. The
 * templates of the rows use any values.
 */
const wideFields = [
  ...['u64', 's64'].map((type) =>
    written('bfe', `and.b32 T0, S1, 255; and.b32 T1, S2, 255; bfe.${type} D0, S0, T0, T1`, 'd', 'drr', 'rr'),
  ),
  written('bfi', 'and.b32 T0, S2, 255; and.b32 T1, S3, 255; bfi.b64 D0, S0, S1, T0, T1', 'd', 'ddrr', 'rr'),
];

/** `fns` with a base of 0 to 31, and an offset of -64 to 63. */
const positions = [
  written(
    'fns',
    'and.b32 T0, S1, 31; and.b32 T1, S2, 127; sub.s32 T1, T1, 64; fns.b32 D0, S0, T0, T1',
    'r',
    'rrr',
    'rr',
  ),
];

/** Quotients. The divisor is odd and its bit 1 is clear, so it is never 0 or -1. */
const divisions = ['u16', 's16', ...words].flatMap((type) => {
  const c = classes[type] ?? 'r';
  const bits = type.slice(1);
  return ['div', 'rem'].map((name) =>
    written(name, `and.b${bits} T0, S1, -4; or.b${bits} T0, T0, 1; ${name}.${type} D0, S0, T0`, c, `${c}${c}`, c),
  );
});

/** Changes of the sign. A NaN is first turned into -infinity. */
const signs = ['neg', 'abs'].flatMap((name) => [
  ...['', '.ftz'].map((ftz) =>
    written(`${name}.f32`, `max.f32 T0, S0, 0fff800000; ${name}${ftz}.f32 D0, T0`, 'f', 'f', 'f'),
  ),
  written(`${name}.f64`, `max.f64 T0, S0, 0dfff0000000000000; ${name}.f64 D0, T0`, 'd', 'd', 'd'),
]);

/**
 * Changes of the sign of 16-bit floats. `.sat` removes NaNs. bf16 lacks `.sat`, so its least number
 * replaces a NaN.
 */
const halfSigns = ['f16', 'f16x2', 'bf16', 'bf16x2'].flatMap((type) => {
  const c = classes[type] ?? 'h';
  const isBf16 = type.startsWith('b');
  const number = isBf16 ? `max.${type} T0, S0, T0` : `add.rn.sat.${type} T0, S0, S1`;
  const first = isBf16 ? `mov.b${c === 'h' ? 16 : 32} T0, ${c === 'h' ? '0xff7f' : '0xff7fff7f'}; ${number}` : number;
  return ['', ...(isBf16 ? [] : ['.ftz'])].flatMap((ftz) => [
    written('neg.f16', `${first}; neg${ftz}.${type} D0, T0`, c, isBf16 ? c : c + c, c),
    written('abs.f16', `${first}; neg${ftz}.${type} T0, T0; abs${ftz}.${type} D0, T0`, c, isBf16 ? c : c + c, c),
  ]);
});

const specials = [
  '%laneid',
  '%tid.x',
  '%ntid.x',
  '%ctaid.x',
  '%nctaid.x',
  ...['eq', 'le', 'lt', 'ge', 'gt'].map((name) => `%lanemask_${name}`),
];

const selections: readonly IsaRow[] = selectRows;
const moveTypes = selections.find(({ name }) => name === 'mov')?.where?.type ?? [];

const moves = [
  ...specials.map((name) => written('special', `mov.u32 D0, ${name}`, 'r', '')),
  written('mov', 'mov.b32 D0, S0', 'f', 'r'),
  written('mov', 'mov.b32 D0, S0', 'r', 'f'),
  ...moveTypes
    .filter((type) => type !== 'b128')
    .map((type) => written('mov', `mov.${type} D0, S0`, classes[type] ?? 'r', classes[type] ?? 'r')),
  written('pack', 'mov.b64 D0, {S0, S1}', 'd', 'rr'),
  written('pack', 'mov.b64 D0, {S0, S1}', 'd', 'fr'),
  written('pack', 'mov.b64 {D0, D1}, S0', 'rr', 'd'),
  written('pack', 'mov.b32 D0, {S0, S1}', 'r', 'hh'),
  written('pack', 'mov.b32 {D0, D1}, S0', 'hh', 'r'),
];

const nibblePairs = ['', '.relu'].flatMap((relu) => [
  written('cvt.half', `cvt.rn.satfinite${relu}.e2m1x2.f32 T0, S0, S1; cvt.u32.u8 D0, T0`, 'r', 'ff', 'b'),
  written('cvt.half', `cvt.rn.satfinite${relu}.e2m1x2.f16x2 T0, S0; cvt.u32.u8 D0, T0`, 'r', 'r', 'b'),
  written('cvt.half', `mov.b16 {T0, T1}, S0; cvt.rn${relu}.f16x2.e2m1x2 D0, T0`, 'r', 'h', 'bb'),
]);

const fromRows = laneIsaRows
  .filter(({ name }) => !Object.hasOwn(approximate, name) && !handWritten.includes(name))
  .filter((row: IsaRow) => row.carry === undefined)
  .flatMap(rowTemplates);

export const laneTemplates: readonly LaneTemplate[] = [
  ...fromRows,
  ...carries,
  ...wideFields,
  ...positions,
  ...divisions,
  ...signs,
  ...halfSigns,
  ...moves,
  ...nibblePairs,
  ...approximations,
  ...memoryTemplates,
  ...accessTemplates,
  ...atomicTemplates,
  ...wideTemplates,
  ...orderTemplates,
];
