// The attributes of each operation, apart from its arguments. This also defines the set of
// operations.
import type { MmaRowName, Mods, WarpRowName } from '../../isa/index.ts';
import type { HelperName } from '../../wgsl/helpers.ts';
import type { AtomicOp, CellOp, MbarrierOp, MemoryScope, Order, Place, Space, VariableAddress } from './memory.ts';
import type { MatrixType, Type } from './types.ts';

export const integerRelations = ['eq', 'ne', 'ult', 'ule', 'ugt', 'uge', 'slt', 'sle', 'sgt', 'sge'] as const;
export type IntegerRelation = (typeof integerRelations)[number];

/**
 * Ordered relations are false if an operand is a NaN. Relations that end in `u` are true if an
 * operand is a NaN.
 */
export type FloatRelation =
  | 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'
  | 'equ' | 'neu' | 'ltu' | 'leu' | 'gtu' | 'geu'
  | 'num' | 'nan'; // biome-ignore format: one line per family

export type Rounding = 'rn' | 'rz' | 'rm' | 'rp';
/** Operations that round once. */
export type RoundedOp = 'fadd' | 'fsub' | 'fmul' | 'fdiv' | 'ffma' | 'fsqrt';
export type FloatClass = 'finite' | 'infinite' | 'number' | 'notanumber' | 'normal' | 'subnormal';
export type Approximation = 'rcp' | 'sqrt' | 'rsqrt' | 'sin' | 'cos' | 'lg2' | 'ex2' | 'tanh';

/** WGSL's own functions and operators on f32, with the adapter's precision. */
export type NativeFloat =
  | 'add' | 'sub' | 'mul' | 'div' | 'fma' | 'sqrt' | 'inverseSqrt' | 'sin' | 'cos' | 'log2' | 'exp2' | 'tanh'
  | 'min' | 'max' | 'abs' | 'neg' | 'round' | 'trunc' | 'floor' | 'ceil'; // biome-ignore format: one line per family

/**
 * The rounding of an operation, and whether it flushes subnormal operands and results to zeros of
 * their sign.
 */
export interface Rounded {
  readonly rounding: Rounding;
  readonly ftz: boolean;
}

/**
 * A function of the prelude whose parameters and result are words. A `vec2<u32>` represents two
 * arguments or results, the low word first.
 */
export interface HelperCall {
  readonly name: HelperName;
  readonly params: readonly HelperType[];
  readonly result: HelperType;
}
export type HelperType = 'bool' | 'u32' | 'i32' | 'f32' | 'vec2<u32>';

/**
 * Calls of prelude functions in a loop, which contains the code of each function once. Registers
 * hold values of one type, with an f32 as its bits. The first registers are the arguments; then
 * each call has a register for its result.
 */
export interface StepCalls {
  readonly type: StepType;
  readonly functions: readonly StepFunction[];
  readonly calls: readonly StepCall[];
  /** The registers that are results. */
  readonly results: readonly number[];
}
export type StepType = 'u32' | 'vec2<u32>';

/** The maximum number of registers, and of registers that a call reads. */
export const stepLimits = { registers: 256, operands: 3 } as const;

export interface StepFunction {
  readonly name: HelperName;
  /** Whether the registers that the function reads, and its result, are f32. */
  readonly isFloat: boolean;
  /** The constant of each parameter that has one; other parameters are registers. */
  readonly constants: readonly (number | undefined)[];
}

export interface StepCall {
  /** The index of the called function in `functions`. */
  readonly fn: number;
  readonly registers: readonly number[];
}

/** Rows whose instructions are a single operation of the whole warp. */
export type CollectiveRow = WarpRowName | MmaRowName;

export interface WarpCall {
  readonly row: CollectiveRow;
  readonly mods: Mods;
  /**
   * For joined matrix products: the indexes of the A and the B of each product. The arguments are
   * the words of all A, then of all B, then of the C of each product.
   */
  readonly products?: readonly (readonly [number, number])[];
  /**
   * For a vote: the result is a word instead of a condition. It is nonzero if `any` holds, and zero
   * if `all` or `uni` holds.
   */
  readonly asWord?: true;
}

/**
 * `yield`: the thread continues after all other threads of the workgroup have run as far as they
 * can.
 */
export type BarrierKind =
  | 'sync'
  | 'arrive'
  | 'red.popc'
  | 'red.and'
  | 'red.or'
  | 'yield'
  | 'cluster.arrive'
  | 'cluster.wait';

/**
 * - `print`: the words are the address of a format, then the words of its arguments.
 * - `assert`: the indexes of the block and the thread, the addresses of the message and the file,
 * the line, and the address of the function's name.
 * - faults: the indexes of the block and the thread, and words: for `bad-call` the address of the
 * call, for `deep-call` the stack size in bytes that the call would need, for `tensor-fault` a number
 * of `base/tensor-faults.ts`, for `rank-fault` the rank of a block and the number of blocks of the
 * cluster. A `trap` has no such word. A thread continues after a `tensor-fault` or a `rank-fault`.
 */
export type MessageKind = 'print' | 'assert' | FaultKind;
export type FaultKind = 'bad-call' | 'deep-call' | 'rank-fault' | 'tensor-fault' | 'trap';

/** Whether the elements of a row, or of a column, are adjacent in memory. */
export type MatrixOrder = 'row' | 'col';

interface Access {
  readonly place: Place;
  /** The type of one element in memory. The results of a load may be wider. */
  readonly type: Type;
  readonly order: Order;
  readonly scope: MemoryScope | undefined;
}

type None = Readonly<Record<never, never>>;
type Float = { readonly ftz: boolean };

/** The attributes of each operation, apart from its arguments. */
export interface Attributes {
  // Integers. The result has the type of the two arguments, unless a comment states another type.
  iadd: None;
  isub: None;
  imul: None;
  umulhi: None;
  smulhi: None;
  /** Quotient and remainder. Division by zero returns all ones, as on NVIDIA's hardware. */
  udiv: None;
  sdiv: None;
  urem: None;
  srem: None;
  and: None;
  or: None;
  xor: None;
  /**
   * Shifts. The amount is an i32. If it is at least the width, the result is 0, or copies of the
   * sign.
   */
  shl: None;
  lshr: None;
  ashr: None;
  /** Shifts by an amount modulo the width. */
  shlw: None;
  lshrw: None;
  ashrw: None;
  umin: None;
  umax: None;
  smin: None;
  smax: None;
  /** The number of set bits of the argument. The result is an i32. */
  popcount: None;
  /**
   * The number of leading zero bits of the argument; the width if the argument is 0. The result is
   * an i32.
   */
  clz: None;
  bitreverse: None;
  /**
   * Extracts a bit field from the first argument, like PTX's bfe. The position and the length are
   * i32, and count modulo 256.
   */
  ubfe: None;
  sbfe: None;
  /**
   * Inserts a bit field, like PTX's bfi. The arguments are the field, the target, the position
   * (i32) and the length (i32).
   */
  bfi: None;
  /** A comparison. The result is an i1. */
  icmp: { readonly relation: IntegerRelation };
  /**
   * A selection. The arguments are the condition (i1), the value if it is true, and the value if it
   * is false.
   */
  select: None;
  zext: { readonly to: Type };
  sext: { readonly to: Type };
  trunc: { readonly to: Type };
  /** The same bits as another type of the same width. */
  bitcast: { readonly to: Type };
  /**
   * `join` makes a value from two halves of half its width, the low half first. `split` returns the
   * halves.
   */
  join: None;
  split: None;

  // Floating point, with PTX's semantics, on any float type.
  fadd: Rounded;
  fsub: Rounded;
  fmul: Rounded;
  fdiv: Rounded;
  ffma: Rounded;
  fsqrt: Rounded;
  fneg: Float;
  fabs: Float;
  /** `nan`: the result is a NaN if an operand is a NaN. */
  fmin: { readonly ftz: boolean; readonly nan: boolean };
  fmax: { readonly ftz: boolean; readonly nan: boolean };
  /** Clamps to [0, 1]. A NaN becomes +0. */
  fsaturate: None;
  /** Replaces a subnormal value by a zero of its sign. */
  fflush: None;
  /** Replaces every NaN by NVIDIA's canonical NaN. */
  fcanonical: None;
  fcmp: { readonly relation: FloatRelation; readonly ftz: boolean };
  fclass: { readonly test: FloatClass };
  fapprox: { readonly fn: Approximation; readonly ftz: boolean };
  fdivapprox: { readonly ftz: boolean; readonly full: boolean };
  /** Rounds to an integral value of the same type. */
  fintegral: { readonly rounding: Rounding; readonly ftz: boolean };
  /**
   * Converts to an integer, clamped to its range. A NaN becomes 0, or, if the integer or the
   * operand has 64 bits, a value with only the top bit set.
   */
  ftoi: { readonly to: Type; readonly signed: boolean; readonly rounding: Rounding; readonly ftz: boolean };
  itof: { readonly to: Type; readonly signed: boolean; readonly rounding: Rounding };
  /** Conversions between float types. */
  ftof: { readonly to: Type; readonly rounding: Rounding; readonly ftz: boolean };

  // Operations of WGSL itself.
  native: { readonly fn: NativeFloat };
  helper: HelperCall;
  steps: StepCalls;

  // Memory.
  /** The address of a variable in its own state space, as an i64. */
  symbol: VariableAddress;
  /**
   * The argument is the index, if the place has one. There are `count` results. `whole`: the words
   * are loaded in one step if their memory has cells. `polls`: all threads of the block repeat the
   * load until the word changes for one of them, or until a copy changes it. `aligned`: the load is
   * part of a matrix whose rows, or columns, start at multiples of 16 bytes. `mbarrier`: the load
   * reads words of an mbarrier.
   */
  load: Access & {
    readonly count: number;
    readonly whole?: boolean;
    readonly polls?: boolean;
    readonly aligned?: boolean;
    readonly mbarrier?: boolean;
  };
  /**
   * The arguments are the index, if the place has one, and the values. `delay`: the store belongs
   * to an asynchronous copy, and may execute at any time before the `delay`th barrier after it.
   * `around`: the same on each path that returns to the store. `whole`, `mbarrier`: as for a load.
   */
  store: Access & {
    readonly count: number;
    readonly whole?: boolean;
    readonly mbarrier?: boolean;
    readonly delay?: number | undefined;
    readonly around?: number | undefined;
  };
  /**
   * The arguments are the index, if the place has one, and the operand. For `cas`, the operand is
   * the compared value, then the new value. The result, if there is one, is the old value. `type`
   * is i32 or i64, whose sign `signed` defines, or a float type. With `noftz`, an f32 sum keeps
   * subnormal numbers in global memory. In shared memory, it always keeps them.
   */
  atomic: Access & {
    readonly op: AtomicOp | MbarrierOp;
    readonly signed: boolean;
    readonly noftz: boolean;
    readonly result: boolean;
  };
  /**
   * Updates half a word. The arguments are i32: the index, if the place has one; the bit at which
   * the half begins in its word (0 or 16); and the operand. For `cas`, the operand is the compared
   * value, then the new value. The result, if there is one, is the old half as an i32. `type` is
   * i16, f16 or bf16.
   */
  half: Access & { readonly op: AtomicOp; readonly result: boolean };
  /**
   * Updates or reads a value of several words atomically. The arguments are the index, if the place
   * has one, and the words of the operand. For `cas`, these are the words of the compared value,
   * then of the new value. The results, if there are any, are the words of the old value. `type` is
   * i64 or f64.
   */
  cell: Access & { readonly op: CellOp; readonly signed: boolean; readonly result: boolean };
  /**
   * Converts addresses of a state space to generic addresses (`to-generic`), or back
   * (`from-generic`). Addresses are i64 or i32.
   */
  cvta: { readonly space: Space; readonly direction: 'to-generic' | 'from-generic' };
  isspacep: { readonly space: Space };
  fence: { readonly order: Order; readonly scope: MemoryScope };

  // The launch.
  /** The value of a special register, by its PTX name, as an i32 or i64. */
  special: { readonly name: string; readonly type: Type };

  // Collectives. The arguments are in the order of the row's syntax. The arguments of a matrix
  // product are the words of A, B and C, then a mask of all lanes. Its results are the words of D.
  warp: WarpCall;
  /**
   * The arguments are the barrier (i32), the number of threads (i32) if `counted`, and for
   * reductions a predicate (i1). The argument of a yield is the word (i32) whose change the lane
   * waits for, if the lane waits only for that. `blocks`: the number of blocks of the workgroup, each
   * of which has barriers of its own; undefined for one block. `own`: each warpgroup has a barrier of
   * its own, which is none of PTX's, and all its threads reach it.
   */
  barrier: { readonly kind: BarrierKind; readonly counted: boolean; readonly blocks?: number; readonly own?: true };

  // Subgroup matrices. The whole warp executes these operations.
  /**
   * Loads a matrix. The argument is the index of the first element, if the place has one. All lanes
   * have the same index. `stride`: the number of bytes from one row, or column, to the next.
   */
  'matrix-load': {
    readonly place: Place;
    readonly type: MatrixType;
    readonly order: MatrixOrder;
    readonly stride: number;
  };
  /** A matrix of equal elements. `bits` are the bits of one element. */
  'matrix-fill': { readonly type: MatrixType; readonly bits: number };
  /** The sum of a product and a matrix. The arguments are A, B and C. */
  'matrix-multiply': None;
  /** One of two matrices: the first if the condition, an i1, holds. */
  'matrix-select': None;
  /**
   * Makes a matrix from the words that the lanes hold in the layout of an operand of `mma`. The
   * whole block executes this operation, because the words pass through shared memory.
   */
  'matrix-pack': { readonly type: MatrixType };
  /**
   * Returns the words of a matrix, in the layout of `mma`'s operands. The whole block executes this
   * operation.
   */
  'matrix-unpack': None;

  /**
   * Sends a message to the host. The arguments are words whose meaning depends on `kind`. The
   * message also has the place in the PTX text.
   */
  message: { readonly kind: MessageKind };

  /**
   * Calls a device function of the program. `divisible`: threads may share the work of a call with
   * equal arguments. Its last two arguments are the number of the thread, and of threads.
   */
  call: { readonly callee: string; readonly results: readonly Type[]; readonly divisible?: true };
}

export type OpName = keyof Attributes;
