// The IR in SSA form: functions of blocks of instructions. Values have an identity of their own; a hint is only what a name is made of when text is
// printed.
import type { Source, Span, Variable } from '../../ptx/ast.ts';
import type { Attributes, Operation, OpName } from './operations.ts';
import { type Type, widthOf } from './types.ts';

/** The result of an instruction. */
export interface Result {
  readonly kind: 'result';
  readonly id: number;
  readonly type: Type;
  /** Whoever makes a value out of several operations names the last one. */
  hint: string | undefined;
  readonly inst: Inst;
  readonly index: number;
}

/** A parameter of a block: what other forms write as a phi. The parameters of a function's first block are the function's. */
export interface Param {
  readonly kind: 'param';
  readonly id: number;
  readonly type: Type;
  readonly hint: string | undefined;
  readonly block: Block;
}

/** A constant by its bits, below 2^width. */
export interface Constant {
  readonly kind: 'constant';
  readonly type: Type;
  readonly bits: bigint;
}

/** A value that PTX leaves undefined: a register read before it is written. */
export interface Undef {
  readonly kind: 'undef';
  readonly type: Type;
}

export type Value = Result | Param | Constant | Undef;

/** A value with an identity: what a block parameter or an instruction defines. */
export type Definition = Result | Param;

interface InstOf<Op extends OpName> {
  readonly id: number;
  readonly op: Op;
  /** The row of `op` in the table of operations. */
  readonly operation: Operation;
  /** Passes may replace them, as they may the arguments. */
  attrs: Attributes[Op];
  /** Passes may replace the arguments in place. */
  args: readonly Value[];
  results: readonly Result[];
  /** The instruction executes only in lanes where this is true (an i1). Elsewhere its results are `otherwise`, one for each. */
  when: Value | undefined;
  otherwise: readonly Value[];
  readonly span: Span | undefined;
}

/** An instruction. Testing `op` tells the type of its attributes. */
export type Inst = { readonly [Op in OpName]: InstOf<Op> }[OpName];
export type InstNamed<Op extends OpName> = Extract<Inst, { readonly op: Op }>;

/** A way into a block, with the values of its parameters. */
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
  /** To the edge whose number the selector (an i32) is; any other value goes the last way. */
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
  /** The kernel is aborted, and says so. */
  | { readonly kind: 'trap'; readonly span: Span | undefined };

export interface Block {
  readonly id: number;
  params: readonly Param[];
  insts: Inst[];
  end: Terminator;
}

/** A kernel or a device function. The first block is where it begins. */
export interface Func {
  readonly name: string;
  readonly kind: 'kernel' | 'function';
  /** Of a device function, the types of what it returns. */
  readonly results: readonly Type[];
  blocks: Block[];
}

/** A kernel with all that it needs. */
export interface Program {
  readonly source: Source;
  readonly kernel: Func;
  /** Device functions that are called, callees before callers. */
  functions: readonly Func[];
  /** The kernel's parameters in order. */
  readonly params: readonly Variable[];
  /** Those of them, by number, that are pointers for certain: declared with `.ptr`, or passed as such. */
  readonly pointerParams: ReadonlySet<number>;
  /** Variables in global, constant, shared and local memory, the module's and the functions'. */
  readonly variables: readonly Variable[];
  /** Those of the variables that are copies of parameters, whose generic addresses are of parameter memory. */
  readonly paramCopies?: readonly Variable[];
  /** Bytes of dynamic shared memory. */
  readonly dynamicShared: number;
  /** Where the blocks of the grid wait for each other; undefined where they do not. */
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

/** Blocks that control may go to next, each once. */
export const successorsOf = (block: Block): readonly Block[] => [...new Set(edgesOf(block.end).map(({ to }) => to))];

/** Values that a terminator reads, those of its edges included. */
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

/** Whether a terminator reads a value for which `test` holds, those of its edges included. */
export function readsAny(end: Terminator, test: (value: Value) => boolean): boolean {
  if (end.kind === 'branch' && test(end.condition)) return true;
  if (end.kind === 'switch' && test(end.selector)) return true;
  if (end.kind === 'return') return end.values.some(test);
  for (const { args } of edgesOf(end)) if (args.some(test)) return true;
  return false;
}

/** Values that an instruction reads. */
export function operandsOf(inst: Inst): readonly Value[] {
  if (inst.when === undefined) return inst.args;
  return [...inst.args, inst.when, ...inst.otherwise];
}

/** The terminator with its values and edges changed. */
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

/** Whether lanes or threads execute an instruction together. */
export const isCollective = ({ operation: { effect } }: Inst): boolean => effect === 'warp' || effect === 'block';

export const isDefinition = (value: Value): value is Definition => value.kind === 'result' || value.kind === 'param';

/** The bits of a constant; undefined for everything else. */
export const constantOf = (value: Value | undefined): bigint | undefined =>
  value?.kind === 'constant' ? value.bits : undefined;

export const constant = (type: Type, bits: bigint | number): Constant => ({
  kind: 'constant',
  type,
  bits: BigInt.asUintN(widthOf(type), typeof bits === 'bigint' ? bits : BigInt(bits)),
});

export const undef = (type: Type): Undef => ({ kind: 'undef', type });

/** Whether two values are the same one: definitions by identity, constants by their bits. */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  return a.kind === 'constant' && b.kind === 'constant' && a.type === b.type && a.bits === b.bits;
}
