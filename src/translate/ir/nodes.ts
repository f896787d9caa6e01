// The IR in SSA form: functions that consist of blocks of instructions. Values are compared by
// identity; the printer derives their names from hints.
import type { Source, Span, Variable } from '../../ptx/ast.ts';
import type { Attributes, Operation, OpName } from './operations.ts';
import { type Type, widthOf } from './types.ts';

/** The result of an instruction. */
export interface Result {
  readonly kind: 'result';
  readonly id: number;
  readonly type: Type;
  /**
   * A name from the PTX. If several operations compute one PTX value, only the last of them has its
   * name.
   */
  hint: string | undefined;
  readonly inst: Inst;
  readonly index: number;
}

/**
 * A parameter of a block, which other IRs write as a phi. The parameters of a function's first
 * block are the parameters of the function.
 */
export interface Param {
  readonly kind: 'param';
  readonly id: number;
  readonly type: Type;
  readonly hint: string | undefined;
  readonly block: Block;
}

/** A constant, by its bits: less than 2^width. */
export interface Constant {
  readonly kind: 'constant';
  readonly type: Type;
  readonly bits: bigint;
}

/** A value that PTX leaves undefined, because a register is read before it is written. */
export interface Undef {
  readonly kind: 'undef';
  readonly type: Type;
}

export type Value = Result | Param | Constant | Undef;

/** A value with an identity: a block parameter or the result of an instruction. */
export type Definition = Result | Param;

interface InstOf<Op extends OpName> {
  readonly id: number;
  readonly op: Op;
  /** The row of `op` in the table of operations. */
  readonly operation: Operation;
  /** Passes may replace the attributes, but never modify them. */
  attrs: Attributes[Op];
  /** Passes may replace the list of arguments, but never modify it. */
  args: readonly Value[];
  results: readonly Result[];
  /**
   * The condition of the instruction, an i1. The instruction executes only in lanes in which the
   * condition is true. In other lanes, its results are the values of `otherwise`.
   */
  when: Value | undefined;
  otherwise: readonly Value[];
  readonly span: Span | undefined;
}

/** An instruction. Testing `op` narrows the type of its attributes. */
export type Inst = { readonly [Op in OpName]: InstOf<Op> }[OpName];
export type InstNamed<Op extends OpName> = Extract<Inst, { readonly op: Op }>;

/** An edge to a block, with the values of the block's parameters. */
export interface Edge {
  readonly to: Block;
  readonly args: readonly Value[];
}

export type Terminator =
  | { readonly kind: 'jump'; readonly to: Edge; readonly span: Span | undefined }
  | {
      readonly kind: 'branch';
      readonly condition: Value;
      readonly then: Edge;
      readonly else: Edge;
      readonly span: Span | undefined;
    }
  /**
   * Branches to the edge that the selector (an i32) indexes; any other value selects the last edge.
   */
  | {
      readonly kind: 'switch';
      readonly selector: Value;
      readonly edges: readonly Edge[];
      readonly span: Span | undefined;
    }
  /** Returns from a device function. */
  | { readonly kind: 'return'; readonly values: readonly Value[]; readonly span: Span | undefined }
  /** The thread ends. */
  | { readonly kind: 'exit'; readonly span: Span | undefined }
  /** Aborts the kernel, and reports the trap. */
  | { readonly kind: 'trap'; readonly span: Span | undefined };

export interface Block {
  readonly id: number;
  params: readonly Param[];
  insts: Inst[];
  end: Terminator;
}

/** A kernel or a device function. The first block is the entry. */
export interface Func {
  readonly name: string;
  readonly kind: 'kernel' | 'function';
  /** The types of a device function's results; empty for a kernel. */
  readonly results: readonly Type[];
  blocks: Block[];
}

/** A kernel, with the functions and variables that it uses. */
export interface Program {
  readonly source: Source;
  readonly kernel: Func;
  /** The device functions of the program, callees before callers. */
  functions: readonly Func[];
  /** The kernel's parameters in order. */
  readonly params: readonly Variable[];
  /**
   * The parameters, by index, that are known to be pointers: declared with `.ptr`, or passed as
   * pointers.
   */
  readonly pointerParams: ReadonlySet<number>;
  /**
   * The variables in global, constant, shared and local memory, of the module and its functions.
   */
  variables: readonly Variable[];
  /**
   * The variables that are copies of parameters. Their generic addresses are in parameter memory.
   */
  paramCopies?: readonly Variable[];
  /** The variables of the module in local memory. Their values remain after a function returns. */
  readonly moduleLocals?: readonly Variable[];
  /** The size of dynamic shared memory in bytes. */
  readonly dynamicShared: number;
  /** The span of the first wait at the grid barrier, if any. */
  readonly gridBarrier?: Span | undefined;
}

export function edgesOf(end: Terminator): readonly Edge[] {
  switch (end.kind) {
    case 'jump':
      return [end.to];
    case 'branch':
      return [end.then, end.else];
    case 'switch':
      return end.edges;
    default:
      return [];
  }
}

/** Returns the successors of a block, without duplicates. */
export const successorsOf = (block: Block): readonly Block[] => [...new Set(edgesOf(block.end).map(({ to }) => to))];

/** Returns the values that a terminator reads, including those of its edges. */
export function valuesOf(end: Terminator): readonly Value[] {
  const own =
    end.kind === 'branch'
      ? [end.condition]
      : end.kind === 'switch'
        ? [end.selector]
        : end.kind === 'return'
          ? end.values
          : [];
  return [...own, ...edgesOf(end).flatMap(({ args }) => args)];
}

/** Whether a terminator or one of its edges reads a value for which `test` holds. */
export function readsAny(end: Terminator, test: (value: Value) => boolean): boolean {
  if (end.kind === 'branch' && test(end.condition)) return true;
  if (end.kind === 'switch' && test(end.selector)) return true;
  if (end.kind === 'return') return end.values.some(test);
  for (const { args } of edgesOf(end)) if (args.some(test)) return true;
  return false;
}

/** Returns the values that an instruction reads. */
export function operandsOf(inst: Inst): readonly Value[] {
  if (inst.when === undefined) return inst.args;
  return [...inst.args, inst.when, ...inst.otherwise];
}

/** Returns the terminator with replaced values and edges. */
export function mapTerminator(
  end: Terminator,
  value: (value: Value) => Value,
  edge: (edge: Edge) => Edge = ({ to, args }) => ({ to, args: args.map(value) }),
): Terminator {
  switch (end.kind) {
    case 'jump':
      return { ...end, to: edge(end.to) };
    case 'branch':
      return { ...end, condition: value(end.condition), then: edge(end.then), else: edge(end.else) };
    case 'switch':
      return { ...end, selector: value(end.selector), edges: end.edges.map(edge) };
    case 'return':
      return { ...end, values: end.values.map(value) };
    default:
      return end;
  }
}

/** The operations on subgroup matrices. */
export type MatrixInst = InstNamed<
  'matrix-load' | 'matrix-fill' | 'matrix-multiply' | 'matrix-select' | 'matrix-pack' | 'matrix-unpack'
>;

const matrixOps: ReadonlySet<OpName> = new Set<MatrixInst['op']>([
  'matrix-load',
  'matrix-fill',
  'matrix-multiply',
  'matrix-select',
  'matrix-pack',
  'matrix-unpack',
]);

export const isMatrixInst = (inst: Inst): inst is MatrixInst => matrixOps.has(inst.op);

/** Whether several lanes or threads must execute an instruction together. */
export const isCollective = ({ operation: { effect } }: Inst): boolean => effect === 'warp' || effect === 'block';

export const isDefinition = (value: Value): value is Definition => value.kind === 'result' || value.kind === 'param';

/** Returns the bits of a constant; undefined for any other value. */
export const constantOf = (value: Value | undefined): bigint | undefined =>
  value?.kind === 'constant' ? value.bits : undefined;

export const constant = (type: Type, bits: bigint | number): Constant => ({
  kind: 'constant',
  type,
  bits: BigInt.asUintN(widthOf(type), typeof bits === 'bigint' ? bits : BigInt(bits)),
});

export const undef = (type: Type): Undef => ({ kind: 'undef', type });

/**
 * Whether two values are the same. Compares definitions by identity, and constants by their type
 * and bits.
 */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  return a.kind === 'constant' && b.kind === 'constant' && a.type === b.type && a.bits === b.bits;
}
