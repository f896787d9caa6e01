// The table of operations. A row has all properties of an operation that passes use. No column can
// be omitted, so every property is stated explicitly. A pass must not assume any other property.
import { InternalError } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { fragmentPart } from '../../isa/fragment-part.ts';
import type { WarpRowName } from '../../isa/index.ts';
import type { Attributes, CollectiveRow, HelperCall, HelperType, OpName, StepType, WarpCall } from './attributes.ts';
import { foldTable } from './fold-table.ts';
import { matrixWords, type Type, widthOf } from './types.ts';

export * from './attributes.ts';

/**
 * The effects of an operation, apart from its results.
 * - `pure`: no effect; the same arguments produce the same results.
 * - `reads`: the results depend on memory, or on time.
 * - `writes`: the operation changes memory.
 * - `orders`: memory accesses must not move across the operation.
 * - `warp`, `block`: the operation involves other lanes of the warp, or other threads of the block.
 * - `calls`: the operation has the effects of the callee.
 */
export type Effect = 'pure' | 'reads' | 'writes' | 'orders' | 'warp' | 'block' | 'calls';

/** Whether other threads may change memory at an operation with this effect, or its callee may. */
export const synchronizesMemory = (effect: Effect): boolean =>
  effect === 'block' || effect === 'orders' || effect === 'calls';

/** Whether no access may move across an operation with this effect. */
export const ordersAccesses = (effect: Effect): boolean => effect === 'warp' || synchronizesMemory(effect);

/**
 * The uniformity of an operation's results among lanes.
 * - `arguments`: the same as the uniformity of the arguments
 * - `lane`: divergent
 * - `own`: the analysis has rules for the operation (special registers, loads, warp operations)
 */
export type Sharing = 'arguments' | 'lane' | 'own';

export interface Operation {
  /** The index of the operation in the table. */
  readonly number: number;
  readonly effect: Effect;
  /**
   * Whether lanes that do not need the result may execute the operation: it has no observable
   * effect for any arguments.
   */
  readonly speculatable: boolean;
  readonly sharing: Sharing;
  readonly commutative: boolean;
  /**
   * The approximate cost of executing the operation without need, in additions. A cost of 8 or more
   * justifies a branch.
   */
  readonly cost: number;
  readonly results: (args: readonly Typed[], attrs: never) => readonly Type[];
  /**
   * Returns the bits of the results for constant arguments; undefined if the results are not
   * computed at compile time.
   */
  readonly fold:
    | ((bits: readonly bigint[], types: readonly Type[], attrs: never) => readonly bigint[] | undefined)
    | undefined;
}

type Rows = {
  readonly [Op in OpName]: Omit<Operation, 'results' | 'fold' | 'number'> & {
    readonly results: (args: readonly Typed[], attrs: Attributes[Op]) => readonly Type[];
  };
};

/** A value. Only its type is used. */
interface Typed {
  readonly type: Type;
}

/** A cache of the list of a single type, which most instructions use. */
const singles = new Map<Type, readonly Type[]>();

function single(type: Type): readonly Type[] {
  return getOrInsert(singles, type, () => [type]);
}

const nothingAtAll: readonly Type[] = [];
const same = (args: readonly Typed[]): readonly Type[] => {
  const first = args[0];
  return first === undefined ? nothingAtAll : single(first.type);
};
const bool = (): readonly Type[] => single('i1');
const word = (): readonly Type[] => single('i32');
const to = (_: readonly Typed[], attrs: { readonly to: Type }): readonly Type[] => single(attrs.to);
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
const matrix = { effect: 'warp', speculatable: false, sharing: 'own', commutative: false, cost: 16 } as const;
const memory = { speculatable: false, sharing: 'lane', commutative: false, cost: 16 } as const;

const doubled: Readonly<Partial<Record<Type, Type>>> = { i8: 'i16', i16: 'i32', i32: 'i64', i64: 'i128' };
const halved: Readonly<Partial<Record<Type, Type>>> = { i16: 'i8', i32: 'i16', i64: 'i32', i128: 'i64' };

function twice([first]: readonly Typed[]): readonly Type[] {
  const wide = first && doubled[first.type];
  if (wide === undefined) throw new InternalError(`no type is twice as wide as ${first?.type}`);
  return [wide];
}

function halves([first]: readonly Typed[]): readonly Type[] {
  const half = first && halved[first.type];
  if (half === undefined) throw new InternalError(`no type is half as wide as ${first?.type}`);
  return [half, half];
}

const typesOfHelper: Readonly<Record<HelperType, readonly Type[]>> = {
  bool: ['i1'],
  u32: ['i32'],
  i32: ['i32'],
  f32: ['f32'],
  'vec2<u32>': ['i32', 'i32'],
};

export const helperResults = ({ result }: HelperCall): readonly Type[] => typesOfHelper[result];

/** Returns the IR types of the arguments for a helper's parameters. */
export const helperArguments = ({ params }: HelperCall): readonly Type[] =>
  params.flatMap((param) => typesOfHelper[param]);

/** Returns the types of the IR values that represent one register in a `steps` operation. */
export const stepTypes = (type: StepType): readonly Type[] => typesOfHelper[type];

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
  select: { ...pure, results: ([, then]) => (then === undefined ? [] : [then.type]) },
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
  steps: { ...pure, cost: 64, results: (_, { type, results }) => results.flatMap(() => typesOfHelper[type]) },

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
  half: { ...memory, effect: 'writes', results: (_, { result }) => (result ? ['i32'] : []) },
  cell: {
    ...memory,
    effect: 'writes',
    results: (_, { type, result }) => (result ? Array<Type>(widthOf(type) / 32).fill('i32') : []),
  },
  cvta: pure,
  isspacep: { ...pure, results: bool },
  fence: { ...memory, effect: 'orders', results: nothing },

  special: { ...pure, effect: 'reads', cost: 0, sharing: 'own', results: (_, { type }) => [type] },

  warp: { ...memory, effect: 'warp', sharing: 'own', results: (_, call) => warpResultTypes(call) },
  barrier: {
    ...memory,
    effect: 'block',
    sharing: 'own',
    results: (_, { kind }) => (kind === 'red.popc' ? ['i32'] : kind === 'red.and' || kind === 'red.or' ? ['i1'] : []),
  },
  'matrix-load': { ...matrix, results: (_, { type }) => single(type) },
  'matrix-fill': { ...matrix, results: (_, { type }) => single(type) },
  'matrix-multiply': { ...matrix, results: ([, , sums]) => (sums === undefined ? nothingAtAll : single(sums.type)) },
  'matrix-select': { ...matrix, results: ([, sums]) => (sums === undefined ? nothingAtAll : single(sums.type)) },
  'matrix-pack': { ...matrix, effect: 'block', results: (_, { type }) => single(type) },
  'matrix-unpack': {
    ...matrix,
    effect: 'block',
    results: (args) => args.flatMap(({ type }) => Array<Type>(matrixWords(type)).fill('i32')),
  },
  message: { ...memory, effect: 'writes', results: nothing },
  call: { ...memory, effect: 'calls', results: (_, { results }) => results },
};

/**
 * The result types of warp instructions, in the order of the row's syntax, including optional
 * results.
 */
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

const isWarpRow = (row: CollectiveRow): row is WarpRowName => Object.hasOwn(warpResults, row);

/**
 * Returns the result types of a warp instruction. For a matrix product, these are the types of the
 * words in each lane.
 */
export function warpResultTypes({ row, mods, products, asWord }: WarpCall): readonly Type[] {
  if (asWord) return word();
  if (isWarpRow(row)) return warpResults[row];
  const { fragmentWords, matrixForm } = fragmentPart.content;
  const words = fragmentWords(matrixForm(mods), 'd') * (products === undefined ? 1 : products.length);
  return Array<Type>(words).fill('i32');
}

type Fold = Exclude<Operation['fold'], undefined>;
const folds: Readonly<Partial<Record<OpName, Fold>>> = foldTable;

/**
 * Creates a row of the table. Lists the fields explicitly, so that all rows have the same object
 * layout, because passes read these objects often.
 */
const operationOf = (number: number, row: Rows[OpName], fold: Fold | undefined): Operation => ({
  number,
  effect: row.effect,
  speculatable: row.speculatable,
  sharing: row.sharing,
  commutative: row.commutative,
  cost: row.cost,
  results: row.results as Operation['results'],
  fold,
});

export const operations: Readonly<Record<OpName, Operation>> = Object.fromEntries(
  Object.entries(rows).map(([name, row], number) => [name, operationOf(number, row, folds[name as OpName])]),
) as unknown as Readonly<Record<OpName, Operation>>;

export const isOpName = (text: string): text is OpName => Object.hasOwn(rows, text);
