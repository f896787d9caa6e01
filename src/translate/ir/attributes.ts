// What each operation carries beside its arguments, and so which operations there are.
import type { MmaRowName, Mods, WarpRowName } from '../../isa/index.ts';
import type { HelperName } from '../../wgsl/helpers.ts';
import type { AtomicOp, CellOp, MbarrierOp, MemoryScope, Order, Place, Space, VariableAddress } from './memory.ts';
import type { Type } from './types.ts';

export const integerRelations = ['eq', 'ne', 'ult', 'ule', 'ugt', 'uge', 'slt', 'sle', 'sgt', 'sge'] as const;
export type IntegerRelation = (typeof integerRelations)[number];

/** Ordered relations are false where an operand is a NaN; those that end in `u` are true there. */
export type FloatRelation =
  | 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'
  | 'equ' | 'neu' | 'ltu' | 'leu' | 'gtu' | 'geu'
  | 'num' | 'nan'; // biome-ignore format: one line a family

export type Rounding = 'rn' | 'rz' | 'rm' | 'rp';
/** Operations that round once. */
export type RoundedOp = 'fadd' | 'fsub' | 'fmul' | 'fdiv' | 'ffma' | 'fsqrt';
export type FloatClass = 'finite' | 'infinite' | 'number' | 'notanumber' | 'normal' | 'subnormal';
export type Approximation = 'rcp' | 'sqrt' | 'rsqrt' | 'sin' | 'cos' | 'lg2' | 'ex2' | 'tanh';

/** WGSL's own functions and operators on f32, as the adapter computes them. */
export type NativeFloat =
  | 'add' | 'sub' | 'mul' | 'div' | 'fma' | 'sqrt' | 'inverseSqrt' | 'sin' | 'cos' | 'log2' | 'exp2' | 'tanh'
  | 'min' | 'max' | 'abs' | 'neg' | 'round' | 'trunc' | 'floor' | 'ceil'; // biome-ignore format: one line a family

/** How arithmetic rounds, and whether subnormal operands and results become zeros of their sign. */
export interface Rounded {
  readonly rounding: Rounding;
  readonly ftz: boolean;
}

/** A function of the prelude, which takes and gives words: a `vec2<u32>` stands for two arguments or results, the low word first. */
export interface HelperCall {
  readonly name: HelperName;
  readonly params: readonly HelperType[];
  readonly result: HelperType;
}
export type HelperType = 'bool' | 'u32' | 'i32' | 'f32' | 'vec2<u32>';

/** Rows that are one operation of the whole warp. */
export type CollectiveRow = WarpRowName | MmaRowName;

export interface WarpCall {
  readonly row: CollectiveRow;
  readonly mods: Mods;
  /** Of products of matrices that were joined: which A and which B each is of. The arguments are the words of all A, then of all B, then of the C of each. */
  readonly products?: readonly (readonly [number, number])[];
  /** Of a vote: the result is a word. Where `any` holds it is not 0, where `all` or `uni` holds it is. */
  readonly asWord?: true;
}

/** `turn`: the thread goes on at the workgroup's next turn, once all others have run as far as they can. */
export type BarrierKind =
  | 'sync'
  | 'arrive'
  | 'red.popc'
  | 'red.and'
  | 'red.or'
  | 'turn'
  | 'cluster.arrive'
  | 'cluster.wait';

/**
 * - `print`: the address of a format, then the words of its arguments
 * - `assert`: the block's and the thread's indexes, then the addresses of the message and the file, the line, and the address of the function's name
 * - faults: the indexes, and a word: the address that a call is of, the bytes of stack that a call would take, or nothing
 */
export type MessageKind = 'print' | 'assert' | FaultKind;
export type FaultKind = 'bad-call' | 'deep-call' | 'trap';

interface Access {
  readonly place: Place;
  /** Of one element, in memory; results of loads may be wider. */
  readonly type: Type;
  readonly order: Order;
  readonly scope: MemoryScope | undefined;
}

type None = Readonly<Record<never, never>>;
type Float = { readonly ftz: boolean };

/** What each operation carries beside its arguments. */
export interface Attributes {
  // Integers. Two arguments of one type give a result of that type, unless said otherwise.
  iadd: None;
  isub: None;
  imul: None;
  umulhi: None;
  smulhi: None;
  /** Division by zero gives all ones, quotient and remainder, as NVIDIA's hardware does. */
  udiv: None;
  sdiv: None;
  urem: None;
  srem: None;
  and: None;
  or: None;
  xor: None;
  /** Shift amounts are i32. Amounts of the width and beyond give 0, or copies of the sign. */
  shl: None;
  lshr: None;
  ashr: None;
  /** Shift amounts modulo the width. */
  shlw: None;
  lshrw: None;
  ashrw: None;
  umin: None;
  umax: None;
  smin: None;
  smax: None;
  /** One argument; an i32. */
  popcount: None;
  /** Leading zero bits, the width for 0; an i32. */
  clz: None;
  bitreverse: None;
  /** Bit field of the first argument from position (i32) of length (i32), both modulo 256, as PTX's bfe. */
  ubfe: None;
  sbfe: None;
  /** Field, into, position (i32), length (i32), as PTX's bfi. */
  bfi: None;
  /** i1. */
  icmp: { readonly relation: IntegerRelation };
  /** Condition (i1), then, else. */
  select: None;
  zext: { readonly to: Type };
  sext: { readonly to: Type };
  trunc: { readonly to: Type };
  /** The same bits as another type of the same width. */
  bitcast: { readonly to: Type };
  /** Two halves, the low one first, as a value twice as wide; and back. */
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
  /** `nan`: a NaN wins instead of losing. `magnitude`: of absolute values. */
  fmin: { readonly ftz: boolean; readonly nan: boolean };
  fmax: { readonly ftz: boolean; readonly nan: boolean };
  /** Clamped to [0, 1]; a NaN becomes +0. */
  fsaturate: None;
  /** A subnormal value becomes a zero of its sign. */
  fflush: None;
  /** NVIDIA's NaN in place of any other. */
  fcanonical: None;
  fcmp: { readonly relation: FloatRelation; readonly ftz: boolean };
  fclass: { readonly test: FloatClass };
  fapprox: { readonly fn: Approximation; readonly ftz: boolean };
  fdivapprox: { readonly ftz: boolean; readonly full: boolean };
  /** To an integral value of the same type. */
  fintegral: { readonly rounding: Rounding; readonly ftz: boolean };
  /** To an integer, clamped to its range; a NaN becomes 0 (of 64-bit ones, and where it is an f64, the top bit alone). */
  ftoi: { readonly to: Type; readonly signed: boolean; readonly rounding: Rounding; readonly ftz: boolean };
  itof: { readonly to: Type; readonly signed: boolean; readonly rounding: Rounding };
  /** Between float types. */
  ftof: { readonly to: Type; readonly rounding: Rounding; readonly ftz: boolean };

  // What WGSL has.
  native: { readonly fn: NativeFloat };
  helper: HelperCall;

  // Memory.
  /** The address of a variable in its own state space; an i64. */
  symbol: VariableAddress;
  /** Index, if the place has one; `count` results. `polls`: all threads of the block repeat the load until one of them, or a copy, changes the word. */
  load: Access & { readonly count: number; readonly polls?: boolean };
  /** Index, if the place has one; values. */
  store: Access & { readonly count: number };
  /**
   * Index, if the place has one; operand; for `cas` the compared value before the new one. One result, the old value, or none.
   * `type` is i32 or i64 with a sign of its own, or a float type. With `noftz` a sum of f32 keeps subnormals in global memory, as it does elsewhere.
   */
  atomic: Access & {
    readonly op: AtomicOp | MbarrierOp;
    readonly signed: boolean;
    readonly noftz: boolean;
    readonly result: boolean;
  };
  /**
   * An update of half a word. Index, if the place has one; the bit of the word that the half begins at (0 or 16); the operand, for `cas` the compared value
   * before the new one; all i32. One result, the old half as an i32, or none. `type` is i16, f16 or bf16.
   */
  half: Access & { readonly op: AtomicOp; readonly result: boolean };
  /**
   * A value of several words that changes or is read in one step. Index, if the place has one; the words of the operand, for `cas` of the compared value
   * before those of the new one. Results: the words of the old value, or none. `type` is i64 or f64.
   */
  cell: Access & { readonly op: CellOp; readonly signed: boolean; readonly result: boolean };
  /** `to` generic addresses from a state space's, or back (`from`); i64 or i32. */
  cvta: { readonly space: Space; readonly direction: 'to-generic' | 'from-generic' };
  isspacep: { readonly space: Space };
  fence: { readonly order: Order; readonly scope: MemoryScope };

  // The launch.
  /** A special register by its PTX name, as an i32 or i64. */
  special: { readonly name: string; readonly type: Type };

  // Lanes together. Arguments in the order of the row's syntax. Of products of matrices, the words of A, B and C, then a mask of all lanes; results are the words
  // of D.
  warp: WarpCall;
  /**
   * Barrier (i32), number of threads (i32; absent: all), predicate (i1; of reductions). Of a turn, the word that a lane waits to see change (i32), if it waits
   * for nothing else.
   */
  barrier: { readonly kind: BarrierKind; readonly counted: boolean };

  /** Tells the host something: words that `kind` gives a meaning, and where in the PTX text. */
  message: { readonly kind: MessageKind };

  /** A device function of the program. */
  call: { readonly callee: string; readonly results: readonly Type[] };
}

export type OpName = keyof Attributes;
