// What parsing makes of text before names are resolved: flat lists, so that depth of nesting costs nothing.

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
  /** `x` of `%v.x`. */
  readonly component: string | undefined;
  readonly sign: '' | '!' | '-';
  /** Bytes added (`+4`); undefined without `+`. */
  readonly offset: bigint | undefined;
  /** Elements added (`arr[2]`). */
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
      /** A scalar, or a vector. */
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
  /** Of an indirect call: its prototype, or list of targets. */
  readonly prototype: Name | undefined;
  readonly results: readonly RawOperand[];
  readonly args: readonly RawOperand[];
}

export interface RawInstruction {
  readonly kind: 'instruction';
  readonly guard: RawGuard | undefined;
  readonly match: OpcodeMatch;
  /** The opcode's own place. */
  readonly opcode: Name;
  readonly operands: readonly RawOperand[];
  readonly call: RawCall | undefined;
  /** The module is older than the form as it is written today. */
  readonly isImplied?: boolean;
  /** `match` is of its pieces. */
  readonly wide?: WideOpcode | undefined;
  readonly span: Span;
}

export interface RegisterDeclaration {
  readonly kind: 'registers';
  readonly type: PtxType;
  /** Elements: 1, 2 or 4. */
  readonly vector: number;
  /** `count` of `%r<60>`. */
  readonly names: readonly (Name & { readonly count: number | undefined })[];
  readonly span: Span;
}

/** A leaf of an initializer. */
export type RawValue =
  | { readonly kind: 'constant'; readonly value: Constant; readonly span: Span }
  | { readonly kind: 'string'; readonly text: string; readonly span: Span }
  | {
      readonly kind: 'address';
      readonly symbol: Name;
      readonly addend: bigint;
      readonly generic: boolean;
      /** Of `0xFF00(sym)`: which byte of the address. */
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
  /** Extents, undefined for `[]`; empty for a scalar. */
  readonly dimensions: readonly (number | undefined)[];
  readonly external: boolean;
  /** Declared with `.ptr`. */
  readonly pointer?: true;
  /** With the element index at which each stands. */
  readonly values: readonly { readonly index: number; readonly value: RawValue }[];
  readonly span: Span;
}

/** A texture, surface or sampler: only its name is kept. */
export interface OpaqueVariable {
  readonly name: Name;
  /** `.texref` */
  readonly type: string;
}

/** What a call passes, and what it gets. */
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
  /** Undefined for a declaration without body. */
  readonly body: readonly RawStatement[] | undefined;
  readonly maxThreads: readonly [number, number, number] | undefined;
  readonly requiredThreads: readonly [number, number, number] | undefined;
  /** Whether it says the size of its clusters, by `.reqnctapercluster` or `.explicitcluster`. */
  readonly explicitCluster: boolean;
  readonly span: Span;
}

export interface RawModule {
  readonly version: { readonly major: number; readonly minor: number; readonly span: Span } | undefined;
  readonly target: { readonly name: string; readonly span: Span } | undefined;
  readonly addressSize: 32 | 64;
  readonly variables: readonly RawVariable[];
  /** `.reg` and `.local` of the module: each thread has its own. */
  readonly perThread: readonly (RegisterDeclaration | RawVariable)[];
  /** Textures, surfaces and samplers. */
  readonly opaque: readonly OpaqueVariable[];
  readonly functions: readonly RawFunction[];
}
