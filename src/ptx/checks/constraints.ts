// Combinations of modifiers that the slots of the rows allow but PTX does not.
import type { IsaRow, Mods } from '../../isa/index.ts';
import { typeNamed } from '../../isa/match.ts';
import { widthOf } from '../types.ts';
import {
  flushedComparison,
  halfComparison,
  halfConversion,
  narrowing,
  reluOrSat,
  tensorConversion,
} from './half-constraints.ts';
import { surfaceReduction, surfaceVectors } from './image-constraints.ts';
import { type Objection, type Rule, when } from './objection.ts';
import type { Demand } from './target.ts';
import { updateRules } from './update-constraints.ts';
import { clampedPair, partObjection, plusOne, saturatesOrAdds } from './video-constraints.ts';

const saturates: Rule = ({ sat, type = '' }) =>
  when(sat !== undefined && type !== 's32', `\`.sat\` applies to \`.s32\`, not \`.${type}\``);
const saturatesHigh: Rule = (mods) =>
  saturates(mods) ?? when(mods.sat !== undefined && mods.half !== 'hi', '`.sat` applies to `.hi`');
const relu: Rule = ({ relu, type = '' }) =>
  when(relu !== undefined && type !== 's32', `\`.relu\` applies to \`.s32\`, not \`.${type}\``);
const xorsign: Rule = ({ xorsign, abs }) =>
  abs !== undefined && xorsign === undefined
    ? { why: '`.xorsign` and `.abs` go together', unsupported: abs }
    : when(
        (xorsign !== undefined) !== (abs !== undefined),
        '`.xorsign` and `.abs` go together',
        'write `.xorsign.abs`',
      );
const fmaRounding: Rule = ({ rnd }) => when(rnd === undefined, 'a rounding mode is needed', 'write `mad.rn.f32`');

const comparison: Rule = ({ cmp = '', type = '' }) => {
  if (type.startsWith('b'))
    return when(
      cmp !== 'eq' && cmp !== 'ne',
      `\`.${cmp}\` needs a type that is a number`,
      `write \`.u${type.slice(1)}\` or \`.s${type.slice(1)}\``,
    );
  return when(
    /^(lo|ls|hi|hs)$/.test(cmp) && !type.startsWith('u'),
    `\`.${cmp}\` compares unsigned types only`,
    `write \`.${cmp.replace('lo', 'lt').replace('ls', 'le').replace('hi', 'gt').replace('hs', 'ge')}\``,
  );
};

const integerComparison: Rule = (mods) => (mods.type?.startsWith('f') ? undefined : comparison(mods));

const conversion: Rule = ({ rnd, ftz, dtype = '', atype = '' }) => {
  const toFloat = dtype.startsWith('f');
  const fromFloat = atype.startsWith('f');
  const toInteger = rnd?.endsWith('i') ?? false;
  if (ftz !== undefined && !toFloat && !fromFloat) return { why: '`.ftz` applies to `.f32`' };
  if (toFloat && fromFloat)
    return when(
      rnd !== undefined && !toInteger,
      'f32 to f32 takes no rounding mode but to an integer',
      'write `.rni`, `.rzi`, `.rmi` or `.rpi`',
    );
  if (toFloat)
    return when(
      rnd === undefined || toInteger,
      'integer to f32 needs a rounding mode',
      'write `.rn`, `.rz`, `.rm` or `.rp`',
    );
  if (fromFloat)
    return when(!toInteger, 'f32 to integer needs a rounding mode', 'write `.rni`, `.rzi`, `.rmi` or `.rpi`');
  return when(rnd !== undefined, 'integer to integer takes no rounding mode');
};

/**
 * Checks a conversion to f64. `.ftz` is valid only for f32 operands, and a rounding only for values
 * that f64 cannot represent exactly.
 */
const toDouble: Rule = ({ rnd, ftz, atype = '' }) => {
  const toInteger = rnd?.endsWith('i') ?? false;
  if (ftz !== undefined && atype !== 'f32') return { why: '`.ftz` applies to `.f32`' };
  if (atype === 'f32') return when(rnd !== undefined, 'f32 to f64 takes no rounding mode');
  if (atype === 'f64')
    return when(
      rnd !== undefined && !toInteger,
      'f64 to f64 takes no rounding mode but to an integer',
      'write `.rni`, `.rzi`, `.rmi` or `.rpi`',
    );
  return when(
    rnd === undefined || toInteger,
    'integer to f64 needs a rounding mode',
    'write `.rn`, `.rz`, `.rm` or `.rp`',
  );
};
const fromDouble: Rule = ({ rnd, ftz, dtype = '' }) => {
  const toInteger = rnd?.endsWith('i') ?? false;
  if (ftz !== undefined && dtype !== 'f32') return { why: '`.ftz` applies to `.f32`' };
  return dtype === 'f32'
    ? when(rnd === undefined || toInteger, 'f64 to f32 needs a rounding mode', 'write `.rn`, `.rz`, `.rm` or `.rp`')
    : when(!toInteger, 'f64 to integer needs a rounding mode', 'write `.rni`, `.rzi`, `.rmi` or `.rpi`');
};

/**
 * Checks the vector of a load or store: it has at most 128 bits, and its elements are not
 * predicates.
 */
const vectors: Rule = ({ vec, type = '' }) => {
  const known = typeNamed(type);
  const bits = known === undefined ? 0 : widthOf(known) * Number(vec?.slice(1) ?? 1);
  return when(bits > 128, `\`.${vec}.${type}\` has more than 128 bits`);
};

const ordered: Rule = (mods) => {
  const { sem = '', scope, space = '' } = mods;
  if (sem === 'volatile') {
    return (
      vectors(mods) ??
      when(scope !== undefined, '`.volatile` takes no scope') ??
      when(mods.level !== undefined || mods.hint !== undefined, '`.volatile` takes no hints') ??
      when(
        !/^(|global|shared|shared::cta|shared::cluster)$/.test(space),
        `\`.volatile\` does not apply to \`.${space}\``,
        'no other thread sees that memory, leave `.volatile` out',
      )
    );
  }
  return (
    vectors(mods) ??
    when(scope === undefined, `\`.${sem}\` needs a scope`, 'write `.cta`, `.cluster`, `.gpu` or `.sys`') ??
    when(
      !/^(|global|shared|shared::cta|shared::cluster)$/.test(space),
      `\`.${sem}\` is for \`.global\` and \`.shared\``,
    )
  );
};

const halves = ['f16', 'f16x2', 'bf16', 'bf16x2'];
const atomicTypes: Readonly<Record<string, readonly string[]>> = {
  add: ['u32', 's32', 'u64', 'f32', 'f64', ...halves],
  min: ['u32', 's32', 'u64', 's64'],
  max: ['u32', 's32', 'u64', 's64'],
  and: ['b32', 'b64'],
  or: ['b32', 'b64'],
  xor: ['b32', 'b64'],
  exch: ['b32', 'b64'],
  inc: ['u32'],
  dec: ['u32'],
};
const vectorTypes: Readonly<Record<string, readonly string[]>> = { add: ['f32', ...halves], min: halves, max: halves };

const atomic: Rule = ({ op = '', type = '', vec, noftz, space }) => {
  const allowed = (vec === undefined ? atomicTypes : vectorTypes)[op] ?? [];
  const isHalf = halves.includes(type);
  return (
    when(
      !allowed.includes(type),
      `there is no ${vec === undefined ? '' : 'vector '}\`.${op}\` of \`.${type}\``,
      allowed.length === 0 ? undefined : `\`.${op}\` takes ${allowed.map((name) => `.${name}`).join(', ')}`,
    ) ??
    when(
      isHalf !== (noftz !== undefined),
      `\`.noftz\` ${isHalf ? 'is needed for' : 'does not apply to'} \`.${type}\``,
    ) ??
    when(vec === 'v8' && type !== 'f16' && type !== 'bf16', `\`.v8\` is for \`.f16\` and \`.bf16\``) ??
    when(vec !== undefined && space !== undefined && space !== 'global', 'vectors are for `.global` memory')
  );
};

/**
 * Checks the restriction of a fence: an acquire is restricted to the cluster's shared memory, and a
 * release to the block's own shared memory.
 */
const restricted: Rule = ({ sem, restrict }) =>
  when(
    (sem === 'acquire') !== (restrict === 'sync_restrict::shared::cluster'),
    `\`.${restrict}\` does not go with \`.${sem}\``,
  );
const proxies: Rule = ({ kind, memory }) => when(kind === 'alias' && memory !== undefined, '`.alias` is of all memory');

const prefetchSpace: Rule = ({ space, level = '' }) =>
  when(level.includes('::') && space !== 'global', `\`.${level}\` is for \`.global\``) ?? undefined;

/** Checks that an mbarrier operation has either both an order and a scope, or neither. */
const paired: Rule = ({ sem, scope }) =>
  when((sem === undefined) !== (scope === undefined), 'an order and a scope go together', 'write `.release.cta`, say');
/**
 * Checks the type of the result of a matrix product. A product with f16 addends has f16 results;
 * only `m8n8k4` also allows f32 results.
 */
const accumulators: Rule = ({ dtype, ctype }) =>
  when(dtype !== ctype, `\`.${dtype}\` does not go with \`.${ctype}\``, 'D has the type of C');
const quadAccumulators: Rule = ({ dtype, ctype }) =>
  when(ctype === 'f32' && dtype === 'f16', '`.f32` sums do not go to `.f16`');

const rules: Readonly<Record<string, Rule>> = {
  add: saturates,
  sub: saturates,
  mad: saturatesHigh,
  mad24: saturatesHigh,
  min: relu,
  max: relu,
  'min.f32': xorsign,
  'max.f32': xorsign,
  'mad.f32': fmaRounding,
  'min.f16': xorsign,
  'max.f16': xorsign,
  'min.bf16': xorsign,
  'max.bf16': xorsign,
  'fma.f16': reluOrSat,
  'set.f16': flushedComparison,
  'set.bool.f16': flushedComparison,
  'set.half': (mods) => flushedComparison(mods) ?? halfComparison(mods) ?? integerComparison(mods),
  'set.bool.half': (mods) => flushedComparison(mods) ?? halfComparison(mods) ?? integerComparison(mods),
  'cvt.to.f16': halfConversion,
  'cvt.from.f16': halfConversion,
  'cvt.f16.f32': narrowing,
  'cvt.to.bf16': halfConversion,
  'cvt.from.bf16': halfConversion,
  'cvt.bf16.f32': narrowing,
  'cvt.tf32.f32': tensorConversion,
  'min.16x2': clampedPair,
  'max.16x2': clampedPair,
  vadd2: saturatesOrAdds,
  vsub2: saturatesOrAdds,
  vavrg2: saturatesOrAdds,
  vabsdiff2: saturatesOrAdds,
  vmin2: saturatesOrAdds,
  vmax2: saturatesOrAdds,
  vadd4: saturatesOrAdds,
  vsub4: saturatesOrAdds,
  vavrg4: saturatesOrAdds,
  vabsdiff4: saturatesOrAdds,
  vmin4: saturatesOrAdds,
  vmax4: saturatesOrAdds,
  vmad: plusOne,
  setp: comparison,
  'setp.bool': comparison,
  set: comparison,
  'set.bool': comparison,
  cvt: conversion,
  'cvt.f64': toDouble,
  'cvt.from.f64': fromDouble,
  ld: vectors,
  ldu: vectors,
  st: vectors,
  'ld.global.nc': vectors,
  'ld.volatile': ordered,
  'st.volatile': ordered,
  atom: atomic,
  red: atomic,
  'st.async': vectors,
  ...updateRules,
  prefetch: prefetchSpace,
  'mma.quad': quadAccumulators,
  'mma.f16': accumulators,
  'mma.fp8': accumulators,
  'mma.sp.f16': accumulators,
  'fence.sync_restrict': restricted,
  'fence.proxy': proxies,
  'suld.b': surfaceVectors,
  'sust.b': surfaceVectors,
  'sured.b': surfaceReduction,
};

const ruleOf = (name: string): Rule | undefined => rules[name] ?? (name.startsWith('mbarrier.') ? paired : undefined);

/**
 * Returns the reason why PTX does not have an instruction with these modifiers, or undefined if it
 * does.
 */
export function objectionTo(row: IsaRow, mods: Mods): Objection | undefined {
  const objection = ruleOf(row.name)?.(mods);
  if (objection !== undefined || row.vectors === undefined || row.vectors(mods) !== undefined) return objection;
  return { why: `\`.${mods.shape}\` has no matrices of these types and layouts` };
}

/** Whether an operand is present. */
type Given = (name: string) => boolean;

/**
 * Returns the reason why the operands are invalid with the instruction's modifiers, or undefined if
 * they are valid.
 */
export function operandObjection(row: IsaRow, mods: Mods, given: Given): string | undefined {
  if (row.selectors !== undefined) return ruleOf(row.name)?.(mods)?.why ?? partObjection(row, mods, given('c'));
  if (row.types.policy === undefined) return undefined;
  const hinted = mods.level === 'L2::cache_hint' || mods.hint === 'L2::cache_hint';
  if (hinted === given('policy')) return undefined;
  return hinted
    ? '`.L2::cache_hint` takes a cache policy as its last operand'
    : 'a cache policy needs `.L2::cache_hint`';
}

/**
 * Returns the version and target that an optional operand requires, if such an operand is present.
 */
export function operandDemand(row: IsaRow, given: Given): Demand | undefined {
  for (const [name, demand] of Object.entries(row.operandSince ?? {})) if (given(name)) return demand;
  return undefined;
}

/** Whether a row has a rule about the presence of operands or a requirement for it. */
export const hasOperandRule = (row: IsaRow): boolean =>
  row.selectors !== undefined || row.types.policy !== undefined || row.operandSince !== undefined;
