// The operations that remain after legalization: those that WGSL has for i1, i32 and f32.
import { constantOf, type Inst } from './nodes.ts';
import type { OpName } from './operations.ts';
import { matrixTypes, type Type } from './types.ts';

const legalTypes: ReadonlySet<Type> = new Set<Type>(['i1', 'i32', 'f32', ...matrixTypes]);

export const isLegalType = (type: Type): boolean => legalTypes.has(type);

/** Whether an operation may remain if all of its values have legal types. */
type Legality = (inst: Inst) => boolean;

const always: Legality = () => true;
const never: Legality = () => false;

const isKnown = (inst: Inst, index: number): boolean => constantOf(inst.args[index]) !== undefined;
/** Whether the divisor is a constant other than 0. Absent: the divisor is not a constant. */
const dividesByConstant: Legality = ({ args }) => (constantOf(args[1]) ?? 0n) !== 0n;

/**
 * Whether a bit field has constant bounds within the word, as extractBits and insertBits require.
 */
const hasKnownField = (position: number): Legality => {
  return ({ args }) => {
    const [start, count] = [constantOf(args[position]), constantOf(args[position + 1])];
    return start !== undefined && count !== undefined && start + count <= 32n;
  };
};

const hasRoot: Legality = (inst) =>
  (inst.op === 'half' || inst.op === 'cell') && inst.attrs.place.root.kind !== 'address';

/** Whether an access is of words at a resolved place. Only atomics may also be of f32. */
const hasPlace: Legality = (inst) => {
  if (inst.op !== 'load' && inst.op !== 'store' && inst.op !== 'atomic') return false;
  const { place, type } = inst.attrs;
  if (place.root.kind === 'address') return false;
  return type === 'i32' || (inst.op === 'atomic' && type === 'f32');
};

const legality: Readonly<Record<OpName, Legality>> = {
  iadd: always,
  isub: always,
  imul: always,
  umulhi: never,
  smulhi: never,
  udiv: dividesByConstant,
  sdiv: never,
  urem: dividesByConstant,
  srem: never,
  and: always,
  or: always,
  xor: always,
  shl: never,
  lshr: never,
  ashr: never,
  shlw: always,
  lshrw: always,
  ashrw: always,
  umin: always,
  umax: always,
  smin: always,
  smax: always,
  popcount: always,
  clz: never,
  bitreverse: always,
  ubfe: hasKnownField(1),
  sbfe: hasKnownField(1),
  bfi: hasKnownField(2),
  icmp: ({ args }) => args[0]?.type === 'i32',
  select: always,
  // Only the conversion of an i1 to 0 or 1 is legal.
  zext: ({ args }) => args[0]?.type === 'i1',
  sext: never,
  trunc: never,
  bitcast: always,
  join: never,
  split: never,

  fadd: never,
  fsub: never,
  fmul: never,
  fdiv: never,
  ffma: never,
  fsqrt: never,
  fneg: never,
  fabs: never,
  fmin: never,
  fmax: never,
  fsaturate: never,
  fflush: never,
  fcanonical: never,
  // WGSL's own comparison.
  fcmp: (inst) => inst.op === 'fcmp' && !inst.attrs.ftz && ['eq', 'lt', 'le', 'gt', 'ge'].includes(inst.attrs.relation),
  fclass: never,
  fapprox: never,
  fdivapprox: never,
  fintegral: never,
  ftoi: never,
  // WGSL can convert a word to f32, rounded to nearest.
  itof: (inst) => inst.op === 'itof' && inst.attrs.rounding === 'rn',
  ftof: never,

  native: always,
  helper: always,
  steps: always,

  symbol: never,
  load: hasPlace,
  store: hasPlace,
  atomic: hasPlace,
  half: hasRoot,
  cell: hasRoot,
  cvta: never,
  isspacep: never,
  fence: always,

  special: always,

  warp: always,
  barrier: always,
  'matrix-load': (inst) => inst.op === 'matrix-load' && inst.attrs.place.root.kind !== 'address',
  'matrix-fill': always,
  'matrix-multiply': always,
  'matrix-select': always,
  'matrix-pack': always,
  'matrix-unpack': always,

  message: always,
  call: always,
};

/**
 * Returns a description of an instruction's illegal property; undefined if the instruction is
 * legal.
 */
export function illegality(inst: Inst): string | undefined {
  for (const { type } of [...inst.args, ...inst.results]) if (!isLegalType(type)) return `${type} is not a legal type`;
  if (legality[inst.op](inst)) return undefined;
  return `${inst.op}${isKnown(inst, 1) ? ' by a constant' : ''} is not legal here`;
}

/** Whether an operation may remain, with at least some arguments and attributes. */
export const mayRemain = (op: OpName): boolean => legality[op] !== never;
