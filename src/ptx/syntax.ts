// The parse tree before names are resolved. Its lists are flat, so nested scopes do not make it
// deep.

import type { PtxType } from '../isa/index.ts';
import type { OpcodeMatch } from '../isa/match.ts';
import type { Diagnostic, Span } from './ast.ts';
import type { Constant } from './constants.ts';
import type { WideOpcode } from './parse/wide-opcodes.ts';

export interface Name {
  readonly text: string;
  readonly span: Span;
}

/** A name as an operand: `%r1`, `!p`, `sym+4`, `%tid.x`, `arr[2]`. */
export interface NameOperand {
  readonly kind: 'name';
  readonly name: string;
  /** `x` in `%v.x`. */
  readonly component: string | undefined;
  readonly sign: '' | '!' | '-';
  /** The number of bytes after `+`; undefined if there is no `+`. */
  readonly offset: bigint | undefined;
  /** The index of an element, as in `arr[2]`. */
  readonly index: bigint | undefined;
  readonly span: Span;
}

export type RawOperand =
  | NameOperand
  | { readonly kind: 'constant'; readonly value: Constant; readonly span: Span }
  | { readonly kind: 'sink'; readonly span: Span }
  | {
      readonly kind: 'address';
      readonly base: Name | undefined;
      readonly offset: bigint;
      readonly index: bigint;
      readonly span: Span;
    }
  | {
      readonly kind: 'image';
      readonly object: Name;
      readonly sampler: Name | undefined;
      /** The coordinates: a scalar or a vector. */
      readonly coordinates: RawOperand;
      readonly span: Span;
    }
  | { readonly kind: 'vector'; readonly elements: readonly RawOperand[]; readonly span: Span }
  | { readonly kind: 'pair'; readonly first: RawOperand; readonly second: RawOperand; readonly span: Span };

export interface RawGuard {
  readonly name: Name;
  readonly negated: boolean;
  readonly span: Span;
}

export interface RawCall {
  readonly callee: Name;
  /** For an indirect call: the name of its prototype or of its list of targets. */
  readonly prototype: Name | undefined;
  readonly results: readonly RawOperand[];
  readonly args: readonly RawOperand[];
}

export interface RawInstruction {
  readonly kind: 'instruction';
  readonly guard: RawGuard | undefined;
  readonly match: OpcodeMatch;
  /** The opcode's text and span. */
  readonly opcode: Name;
  readonly operands: readonly RawOperand[];
  readonly call: RawCall | undefined;
  /**
   * Whether the instruction has an older notation, which was valid only before its form got the
   * current notation.
   */
  readonly isImplied?: boolean;
  /**
   * How the instruction is split, if it is a wide instruction. `match` then describes the pieces.
   */
  readonly wide?: WideOpcode | undefined;
  readonly span: Span;
}

export interface RegisterDeclaration {
  readonly kind: 'registers';
  readonly type: PtxType;
  /** The number of elements: 1, 2 or 4. */
  readonly vector: number;
  /** The declared names. `count` is 60 for `%r<60>`, and undefined for a single register. */
  readonly names: readonly (Name & { readonly count: number | undefined })[];
  readonly span: Span;
}

/** A single value of an initializer. */
export type RawValue =
  | { readonly kind: 'constant'; readonly value: Constant; readonly span: Span }
  | { readonly kind: 'string'; readonly text: string; readonly span: Span }
  | {
      readonly kind: 'address';
      readonly symbol: Name;
      readonly addend: bigint;
      readonly generic: boolean;
      /** For a byte of an address such as `0xFF00(sym)`: the number of the byte. */
      readonly byte: number | undefined;
      readonly span: Span;
    };

export interface RawVariable {
  readonly kind: 'variable';
  readonly name: Name;
  readonly space: 'global' | 'shared' | 'local' | 'const' | 'param' | 'reg';
  readonly type: PtxType;
  readonly vector: number;
  readonly align: number | undefined;
  /** The extents of an array; an open extent (`[]`) is undefined. Empty for a scalar. */
  readonly dimensions: readonly (number | undefined)[];
  readonly external: boolean;
  /** Whether the parameter is declared with `.ptr`. */
  readonly pointer?: true;
  /** The values, each with its element index. */
  readonly values: readonly { readonly index: number; readonly value: RawValue }[];
  readonly span: Span;
}

/** A texture, surface or sampler, of which only the name is recorded. */
export interface OpaqueVariable {
  readonly name: Name;
  /** `.texref` */
  readonly type: string;
}

/** The declared parameters and results of a function or a call prototype. */
export interface Signature {
  readonly params: readonly RawVariable[];
  readonly results: readonly RawVariable[];
}

export type RawStatement =
  | { readonly kind: 'open'; readonly span: Span }
  | { readonly kind: 'close'; readonly span: Span }
  | RegisterDeclaration
  | RawVariable
  | { readonly kind: 'label'; readonly name: Name; readonly span: Span }
  | ({ readonly kind: 'opaque' } & OpaqueVariable)
  | { readonly kind: 'targets'; readonly name: Name; readonly labels: readonly Name[]; readonly span: Span }
  | { readonly kind: 'prototype'; readonly name: Name; readonly signature: Signature; readonly span: Span }
  | { readonly kind: 'callees'; readonly name: Name; readonly functions: readonly Name[]; readonly span: Span }
  | RawInstruction
  | { readonly kind: 'unsupported'; readonly opcode: string; readonly diagnostic: Diagnostic; readonly span: Span };

export interface RawFunction {
  readonly kind: 'entry' | 'func';
  readonly name: Name;
  readonly results: readonly RawVariable[];
  readonly params: readonly RawVariable[];
  /** The statements; undefined for a declaration without a body. */
  readonly body: readonly RawStatement[] | undefined;
  readonly maxThreads: readonly [number, number, number] | undefined;
  readonly requiredThreads: readonly [number, number, number] | undefined;
  /**
   * Whether the function declares its cluster size (`.reqnctapercluster` or `.explicitcluster`).
   */
  readonly explicitCluster: boolean;
  /** The size of a cluster in blocks, from `.reqnctapercluster`. */
  readonly cluster: readonly [number, number, number] | undefined;
  readonly clusterSpan: Span | undefined;
  readonly span: Span;
}

export interface RawModule {
  readonly version: { readonly major: number; readonly minor: number; readonly span: Span } | undefined;
  readonly target: { readonly name: string; readonly span: Span } | undefined;
  readonly addressSize: 32 | 64;
  readonly variables: readonly RawVariable[];
  /**
   * The `.reg` and `.local` declarations in module scope, of which each thread has a separate
   * instance.
   */
  readonly perThread: readonly (RegisterDeclaration | RawVariable)[];
  /** Textures, surfaces and samplers. */
  readonly opaque: readonly OpaqueVariable[];
  readonly functions: readonly RawFunction[];
}
