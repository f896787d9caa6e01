// The table of operations: everything that passes may ask of an operation stands in its row here. A column cannot be left out; what a pass may not
// assume is what the careful answer says.
import type { Mods, WarpRowName } from '../../isa/index.ts';
import type { HelperName } from '../../wgsl/helpers.ts';
import { foldTable } from './fold-table.ts';
import type { AtomicOp, MemoryScope, Order, Place, Space, VariableAddress } from './memory.ts';
import type { Type } from './types.ts';

export const integerRelations = ['eq', 'ne', 'ult', 'ule', 'ugt', 'uge', 'slt', 'sle', 'sgt', 'sge'] as const;
export type IntegerRelation = (typeof integerRelations)[number];

/// Ordered relations are false where an operand is a NaN; those that end in `u` are true there.
export type FloatRelation =
  | 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'
  | 'equ' | 'neu' | 'ltu' | 'leu' | 'gtu' | 'geu'
  | 'num' | 'nan'; // biome-ignore format: one line a family

export type Rounding = 'rn' | 'rz' | 'rm' | 'rp';
export type FloatClass = 'finite' | 'infinite' | 'number' | 'notanumber' | 'normal' | 'subnormal';
export type Approximation = 'rcp' | 'sqrt' | 'rsqrt' | 'sin' | 'cos' | 'lg2' | 'ex2' | 'tanh';

/// WGSL's own functions and operators on f32, as the adapter computes them.
export type NativeFloat =
  | 'add' | 'sub' | 'mul' | 'div' | 'fma' | 'sqrt' | 'inverseSqrt' | 'sin' | 'cos' | 'log2' | 'exp2' | 'tanh'
  | 'min' | 'max' | 'abs' | 'neg' | 'round' | 'trunc' | 'floor' | 'ceil'; // biome-ignore format: one line a family

/// How arithmetic rounds, and whether subnormal operands and results become zeros of their sign.
export interface Rounded {
  readonly rounding: Rounding;
  readonly ftz: boolean;
}

/// A function of the prelude, which takes and gives words: a `vec2<u32>` stands for two arguments or results, the low word first.
export interface HelperCall {
  readonly name: HelperName;
  readonly params: readonly HelperType[];
  readonly result: HelperType;
}
export type HelperType = 'bool' | 'u32' | 'i32' | 'f32' | 'vec2<u32>';

export interface WarpCall {
  readonly row: WarpRowName;
  readonly mods: Mods;
}

export type BarrierKind = 'sync' | 'arrive' | 'red.popc' | 'red.and' | 'red.or';

interface Access {
  readonly place: Place;
  /// Of one element, in memory; results of loads may be wider.
  readonly type: Type;
  readonly order: Order;
  readonly scope: MemoryScope | undefined;
}

type None = Readonly<Record<never, never>>;
type Float = { readonly ftz: boolean };

/// What each operation carries beside its arguments.
export interface Attributes {
  // Integers. Two arguments of one type give a result of that type, unless said otherwise.
  iadd: None;
  isub: None;
  imul: None;
  umulhi: None;
  smulhi: None;
  /// Division by zero gives all ones, quotient and remainder, as NVIDIA's hardware does.
  udiv: None;
  sdiv: None;
  urem: None;
  srem: None;
  and: None;
  or: None;
  xor: None;
  /// Shift amounts are i32. Amounts of the width and beyond give 0, or copies of the sign.
  shl: None;
  lshr: None;
  ashr: None;
  /// Shift amounts modulo the width.
  shlw: None;
  lshrw: None;
  ashrw: None;
  umin: None;
  umax: None;
  smin: None;
  smax: None;
  /// One argument; an i32.
  popcount: None;
  /// Leading zero bits, the width for 0; an i32.
  clz: None;
  bitreverse: None;
  /// Bit field of the first argument from position (i32) of length (i32), both modulo 256, as PTX's bfe.
  ubfe: None;
  sbfe: None;
  /// Field, into, position (i32), length (i32), as PTX's bfi.
  bfi: None;
  /// i1.
  icmp: { readonly relation: IntegerRelation };
  /// Condition (i1), then, else.
  select: None;
  zext: { readonly to: Type };
  sext: { readonly to: Type };
  trunc: { readonly to: Type };
  /// The same bits as another type of the same width.
  bitcast: { readonly to: Type };
  /// Two halves, the low one first, as a value twice as wide; and back.
  join: None;
  split: None;

  // Floating point: any float type, as PTX has it.
  fadd: Rounded;
  fsub: Rounded;
  fmul: Rounded;
  fdiv: Rounded;
  ffma: Rounded;
  fsqrt: Rounded;
  fneg: Float;
  fabs: Float;
  /// `nan`: a NaN wins instead of losing. `magnitude`: of absolute values.
  fmin: { readonly ftz: boolean; readonly nan: boolean };
  fmax: { readonly ftz: boolean; readonly nan: boolean };
  /// Clamped to [0, 1]; a NaN becomes +0.
  fsaturate: None;
  /// A subnormal value becomes a zero of its sign.
  fflush: None;
  /// NVIDIA's NaN in place of any other.
  fcanonical: None;
  fcmp: { readonly relation: FloatRelation; readonly ftz: boolean };
  fclass: { readonly test: FloatClass };
  fapprox: { readonly fn: Approximation; readonly ftz: boolean };
  fdivapprox: { readonly ftz: boolean; readonly full: boolean };
  /// To an integral value of the same type.
  fintegral: { readonly rounding: Rounding; readonly ftz: boolean };
  /// To an integer, clamped to its range; a NaN becomes 0 (of 64-bit ones, the sign bit).
  ftoi: { readonly to: Type; readonly signed: boolean; readonly rounding: Rounding; readonly ftz: boolean };
  itof: { readonly to: Type; readonly signed: boolean; readonly rounding: Rounding };
  /// Between float types.
  ftof: { readonly to: Type; readonly rounding: Rounding; readonly ftz: boolean };

  // What WGSL has.
  native: { readonly fn: NativeFloat };
  helper: HelperCall;

  // Memory.
  /// The address of a variable in its own state space; an i64.
  symbol: VariableAddress;
  /// Index, if the place has one; `count` results.
  load: Access & { readonly count: number };
  /// Index, if the place has one; values.
  store: Access & { readonly count: number };
  /// Index, if the place has one; operand; for `cas` the compared value before the new one. One result, the old value, or none.
  /// `type` is i32 or i64 with a sign of its own, or a float type.
  atomic: Access & { readonly op: AtomicOp; readonly signed: boolean; readonly result: boolean };
  /// `to` generic addresses from a state space's, or back (`from`); i64 or i32.
  cvta: { readonly space: Space; readonly direction: 'to-generic' | 'from-generic' };
  isspacep: { readonly space: Space };
  fence: { readonly order: Order; readonly scope: MemoryScope };

  // The launch.
  /// A special register by its PTX name, as an i32 or i64.
  special: { readonly name: string; readonly type: Type };

  // Lanes together. Arguments in the order of the row's syntax.
  warp: WarpCall;
  /// Barrier (i32), number of threads (i32; absent: all), predicate (i1; of reductions).
  barrier: { readonly kind: BarrierKind; readonly counted: boolean };

  /// A device function of the program.
  call: { readonly callee: string; readonly results: readonly Type[] };
}

export type OpName = keyof Attributes;

/// What executing an operation does beside giving results.
/// - `pure`: nothing; the same arguments give the same results
/// - `reads`: depends on memory, or on time
/// - `writes`: changes memory
/// - `orders`: memory accesses must not move across it
/// - `warp`, `block`: involves other lanes of the warp, other threads of the block
/// - `calls`: whatever the callee does
export type Effect = 'pure' | 'reads' | 'writes' | 'orders' | 'warp' | 'block' | 'calls';

/// What results have in common among lanes, given what arguments have.
/// - `arguments`: as much as the arguments
/// - `lane`: nothing
/// - `own`: the analysis knows (special registers, loads, warp operations)
export type Sharing = 'arguments' | 'lane' | 'own';

export interface Operation {
  readonly effect: Effect;
  /// Whether lanes that do not need the result may execute it all the same: it does nothing that anyone could see, wherever its arguments point.
  readonly speculatable: boolean;
  readonly sharing: Sharing;
  readonly commutative: boolean;
  /// Roughly, in adds: what an unneeded execution costs. From 8 on it is worth a branch.
  readonly cost: number;
  /// Types of the results.
  readonly results: (types: readonly Type[], attrs: never) => readonly Type[];
  /// The results' bits for constant arguments; undefined where they are not computed at compile time.
  readonly fold:
    | ((bits: readonly bigint[], types: readonly Type[], attrs: never) => readonly bigint[] | undefined)
    | undefined;
}

type Rows = {
  readonly [Op in OpName]: Omit<Operation, 'results' | 'fold'> & {
    readonly results: (types: readonly Type[], attrs: Attributes[Op]) => readonly Type[];
  };
};

const same = (types: readonly Type[]): readonly Type[] => types.slice(0, 1);
const bool = (): readonly Type[] => ['i1'];
const word = (): readonly Type[] => ['i32'];
const to = (_: readonly Type[], attrs: { readonly to: Type }): readonly Type[] => [attrs.to];
const nothing = (): readonly Type[] => [];

const pure = {
  effect: 'pure',
  speculatable: true,
  sharing: 'arguments',
  commutative: false,
  cost: 1,
  results: same,
} as const;
const symmetric = { ...pure, commutative: true } as const;
const float = { ...pure, cost: 4 } as const;
const memory = { speculatable: false, sharing: 'lane', commutative: false, cost: 16 } as const;

const doubled: Readonly<Partial<Record<Type, Type>>> = { i8: 'i16', i16: 'i32', i32: 'i64', i64: 'i128' };
const halved: Readonly<Partial<Record<Type, Type>>> = { i16: 'i8', i32: 'i16', i64: 'i32', i128: 'i64' };

function twice(types: readonly Type[]): readonly Type[] {
  const wide = types[0] && doubled[types[0]];
  if (wide === undefined) throw new RangeError(`no type twice as wide as ${types[0]}`);
  return [wide];
}

function halves(types: readonly Type[]): readonly Type[] {
  const half = types[0] && halved[types[0]];
  if (half === undefined) throw new RangeError(`no type half as wide as ${types[0]}`);
  return [half, half];
}

const typesOfHelper: Readonly<Record<HelperType, readonly Type[]>> = {
  bool: ['i1'],
  u32: ['i32'],
  i32: ['i32'],
  f32: ['f32'],
  'vec2<u32>': ['i32', 'i32'],
};

/// IR types of a helper's results.
export const helperResults = ({ result }: HelperCall): readonly Type[] => typesOfHelper[result];

/// IR types of the arguments that a helper's parameters stand for.
export const helperArguments = ({ params }: HelperCall): readonly Type[] =>
  params.flatMap((param) => typesOfHelper[param]);

const rows: Rows = {
  iadd: symmetric,
  isub: pure,
  imul: symmetric,
  umulhi: symmetric,
  smulhi: symmetric,
  udiv: { ...pure, cost: 16 },
  sdiv: { ...pure, cost: 16 },
  urem: { ...pure, cost: 16 },
  srem: { ...pure, cost: 16 },
  and: symmetric,
  or: symmetric,
  xor: symmetric,
  shl: pure,
  lshr: pure,
  ashr: pure,
  shlw: pure,
  lshrw: pure,
  ashrw: pure,
  umin: symmetric,
  umax: symmetric,
  smin: symmetric,
  smax: symmetric,
  popcount: { ...pure, results: word },
  clz: { ...pure, results: word },
  bitreverse: pure,
  ubfe: { ...pure, cost: 2 },
  sbfe: { ...pure, cost: 2 },
  bfi: { ...pure, cost: 2 },
  icmp: { ...pure, results: bool },
  select: { ...pure, results: (types) => types.slice(1, 2) },
  zext: { ...pure, results: to },
  sext: { ...pure, results: to },
  trunc: { ...pure, results: to },
  bitcast: { ...pure, cost: 0, results: to },
  join: { ...pure, results: twice },
  split: { ...pure, results: halves },

  fadd: { ...float, commutative: true },
  fsub: float,
  fmul: { ...float, commutative: true },
  fdiv: { ...float, cost: 32 },
  ffma: float,
  fsqrt: { ...float, cost: 32 },
  fneg: float,
  fabs: float,
  fmin: { ...float, commutative: true },
  fmax: { ...float, commutative: true },
  fsaturate: float,
  fflush: float,
  fcanonical: float,
  fcmp: { ...float, results: bool },
  fclass: { ...float, results: bool },
  fapprox: { ...float, cost: 16 },
  fdivapprox: { ...float, cost: 16 },
  fintegral: float,
  ftoi: { ...float, results: to },
  itof: { ...float, results: to },
  ftof: { ...float, results: to },

  native: { ...pure, results: () => ['f32'] },
  helper: { ...pure, cost: 8, results: (_, { result }) => typesOfHelper[result] },

  symbol: { ...pure, results: () => ['i64'] },
  load: {
    ...memory,
    effect: 'reads',
    speculatable: true,
    sharing: 'own',
    results: (_, { type, count }) => Array<Type>(count).fill(type),
  },
  store: { ...memory, effect: 'writes', results: nothing },
  atomic: { ...memory, effect: 'writes', results: (_, { type, result }) => (result ? [type] : []) },
  cvta: pure,
  isspacep: { ...pure, results: bool },
  fence: { ...memory, effect: 'orders', results: nothing },

  special: { ...pure, effect: 'reads', cost: 0, sharing: 'own', results: (_, { type }) => [type] },

  warp: { ...memory, effect: 'warp', sharing: 'own', results: (_, { row }) => warpResults[row] },
  barrier: {
    ...memory,
    effect: 'block',
    sharing: 'own',
    results: (_, { kind }) => (kind === 'red.popc' ? ['i32'] : kind === 'red.and' || kind === 'red.or' ? ['i1'] : []),
  },
  call: { ...memory, effect: 'calls', results: (_, { results }) => results },
};

/// Results of warp instructions in the order of the row's syntax, those that an instruction may leave out included.
export const warpResults: Readonly<Record<WarpRowName, readonly Type[]>> = {
  'shfl.sync': ['i32', 'i1'],
  shfl: ['i32', 'i1'],
  'vote.sync': ['i1'],
  'vote.sync.ballot': ['i32'],
  vote: ['i1'],
  'vote.ballot': ['i32'],
  'match.any.sync': ['i32'],
  'match.all.sync': ['i32', 'i1'],
  'redux.sync': ['i32'],
  'redux.sync.bitwise': ['i32'],
  'redux.sync.f32': ['f32'],
  activemask: ['i32'],
  'elect.sync': ['i32', 'i1'],
  'bar.warp.sync': [],
};

type Fold = Exclude<Operation['fold'], undefined>;
const folds: Readonly<Partial<Record<OpName, Fold>>> = foldTable;

export const operations: Readonly<Record<OpName, Operation>> = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, { ...row, fold: folds[name as OpName] }]),
) as unknown as Readonly<Record<OpName, Operation>>;

export const isOpName = (text: string): text is OpName => Object.hasOwn(rows, text);
