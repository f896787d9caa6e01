// A module of LLVM IR, as its text describes it. Source: the LLVM Language Reference, versions 19
// to 22.
import type { Span } from '../../ptx/ast.ts';
import type { FloatType, IntType, PointerBytes, PointerType, Type } from './types.ts';

/** A constant expression on addresses, such as `getelementptr`, `addrspacecast` or `add`. */
export interface ConstantExpression {
  readonly kind: 'expression';
  readonly type: Type;
  readonly op: string;
  readonly operands: readonly Value[];
  /** The element type of `getelementptr`, to which its indices apply. */
  readonly element: Type | undefined;
  readonly span: Span;
}

export type Value =
  | { readonly kind: 'local'; readonly type: Type; readonly name: string; readonly span: Span }
  | { readonly kind: 'global'; readonly type: Type; readonly name: string; readonly span: Span }
  | { readonly kind: 'int'; readonly type: IntType; readonly value: bigint }
  /** A float constant: the bits of its own type. */
  | { readonly kind: 'float'; readonly type: FloatType; readonly bits: bigint }
  | { readonly kind: 'null'; readonly type: PointerType }
  | { readonly kind: 'zero' | 'undefined'; readonly type: Type }
  | { readonly kind: 'aggregate'; readonly type: Type; readonly elements: readonly Value[] }
  | ConstantExpression
  | InlineAsm;

export interface InlineAsm {
  readonly kind: 'asm';
  readonly type: Type;
  readonly text: string;
  readonly constraints: string;
  readonly span: Span;
}

/** LLVM's orders of atomic operations. */
export type Ordering = 'unordered' | 'monotonic' | 'acquire' | 'release' | 'acq_rel' | 'seq_cst';

interface Common {
  /** The name of the result without `%`; undefined for an instruction without a result. */
  readonly result: string | undefined;
  /** The type of the result; void if there is none. */
  readonly type: Type;
  /** The number of the `!dbg` node. */
  readonly location: number | undefined;
  /** The flags, such as `nsw`, `contract` or `volatile`. */
  readonly flags: ReadonlySet<string>;
  readonly span: Span;
}

/** The order and scope of an atomic access. */
export interface Atomicity {
  readonly ordering: Ordering;
  /** LLVM's name of the scope: '' for the system, and otherwise for example `device` or `block`. */
  readonly scope: string;
}

export type Instruction = Common &
  (
    | { readonly op: 'ret'; readonly value: Value | undefined }
    | { readonly op: 'br'; readonly condition: Value | undefined; readonly targets: readonly string[] }
    | {
        readonly op: 'switch';
        readonly value: Value;
        readonly otherwise: string;
        readonly cases: readonly { readonly value: bigint; readonly target: string }[];
      }
    | { readonly op: 'unreachable' }
    | { readonly op: 'binary'; readonly code: string; readonly left: Value; readonly right: Value }
    | { readonly op: 'compare'; readonly code: string; readonly left: Value; readonly right: Value }
    | { readonly op: 'cast'; readonly code: string; readonly value: Value }
    | { readonly op: 'unary'; readonly code: string; readonly value: Value }
    | { readonly op: 'extractelement'; readonly value: Value; readonly index: Value }
    | { readonly op: 'insertelement'; readonly value: Value; readonly element: Value; readonly index: Value }
    | {
        readonly op: 'shufflevector';
        readonly left: Value;
        readonly right: Value;
        /** The index of each element; undefined for an undefined element. */
        readonly mask: readonly (number | undefined)[];
      }
    | { readonly op: 'extractvalue'; readonly value: Value; readonly indices: readonly number[] }
    | {
        readonly op: 'insertvalue';
        readonly value: Value;
        readonly element: Value;
        readonly indices: readonly number[];
      }
    | { readonly op: 'alloca'; readonly allocated: Type; readonly count: Value | undefined; readonly align: number }
    | {
        readonly op: 'load';
        readonly pointer: Value;
        readonly align: number | undefined;
        readonly atomic: Atomicity | undefined;
      }
    | {
        readonly op: 'store';
        readonly value: Value;
        readonly pointer: Value;
        readonly align: number | undefined;
        readonly atomic: Atomicity | undefined;
      }
    | { readonly op: 'fence'; readonly atomic: Atomicity }
    | {
        readonly op: 'atomicrmw';
        readonly code: string;
        readonly pointer: Value;
        readonly value: Value;
        readonly atomic: Atomicity;
      }
    | {
        readonly op: 'cmpxchg';
        readonly pointer: Value;
        readonly expected: Value;
        readonly value: Value;
        readonly atomic: Atomicity;
      }
    | {
        readonly op: 'getelementptr';
        readonly element: Type;
        readonly pointer: Value;
        readonly indices: readonly Value[];
      }
    | { readonly op: 'phi'; readonly incoming: readonly { readonly value: Value; readonly block: string }[] }
    | { readonly op: 'select'; readonly condition: Value; readonly left: Value; readonly right: Value }
    | { readonly op: 'freeze'; readonly value: Value }
    | { readonly op: 'call'; readonly callee: Value; readonly args: readonly Argument[] }
  );

export type InstructionOf<Op extends Instruction['op']> = Extract<Instruction, { readonly op: Op }>;

/**
 * The fields of an instruction that depend on its opcode, without those that all instructions have.
 */
export type Body = Instruction extends infer T
  ? T extends Instruction
    ? Omit<T, 'result' | 'location' | 'flags' | 'span'>
    : never
  : never;

export interface Argument {
  readonly value: Value;
  readonly attributes: Attributes;
}

/** The attributes of a parameter or argument that determine how it is passed. */
export interface Attributes {
  /** The type of an argument that the caller passes as a copy in memory. */
  readonly byval: Type | undefined;
  readonly align: number | undefined;
  /**
   * Whether the kernel only reads the copy and may create generic addresses of it
   * (`__grid_constant__`).
   */
  readonly isGridConstant: boolean;
}

/** The attributes of a value that is passed without a copy. */
export const plainAttributes: Attributes = { byval: undefined, align: undefined, isGridConstant: false };

export interface Parameter {
  readonly name: string;
  readonly type: Type;
  readonly attributes: Attributes;
}

export interface Block {
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

export interface LlvmFunction {
  readonly name: string;
  readonly result: Type;
  readonly params: readonly Parameter[];
  readonly variadic: boolean;
  readonly isKernel: boolean;
  /** Whether other modules can refer to the name. */
  readonly isPublic: boolean;
  /** The blocks; undefined for a declaration. */
  readonly blocks: readonly Block[] | undefined;
  readonly attributes: ReadonlyMap<string, string>;
  readonly span: Span;
}

export interface GlobalVariable {
  readonly name: string;
  readonly space: number;
  readonly type: Type;
  /** The initializer; undefined for an `external` variable. */
  readonly init: Value | undefined;
  readonly align: number;
  readonly isPublic: boolean;
  readonly span: Span;
}

/** A metadata node: named fields of a specialized node, or the operands of a tuple. */
export interface Metadata {
  readonly kind: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
}

export interface LlvmModule {
  /** The size of a pointer in memory. */
  readonly pointerBytes: PointerBytes;
  readonly variables: readonly GlobalVariable[];
  readonly functions: readonly LlvmFunction[];
  readonly metadata: ReadonlyMap<number, Metadata>;
  /** The operands of `!nvvm.annotations` and other named nodes: numbers of nodes. */
  readonly named: ReadonlyMap<string, readonly number[]>;
}
