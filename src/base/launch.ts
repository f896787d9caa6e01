// A kernel launch: the in-memory form of a case file, and what every executor (cpu, chrome, dawn, cuda) takes.

import type { Image } from './image.ts';

export type ScalarKind = 'u32' | 's32' | 'u64' | 's64' | 'f16' | 'bf16' | 'f32' | 'f64' | 'u16' | 's16' | 'u8' | 's8';

/** What a buffer's elements are: numbers, or bits, which are printed in hexadecimal. */
export type ElementKind = ScalarKind | 'b8' | 'b16' | 'b32' | 'b64';

export interface Tolerance {
  readonly rel: number;
  readonly abs: number;
}

/**
 * A buffer parameter: `bytes` of device memory whose address the kernel gets, or whose handle, where it is a texture or surface. Without `data`
 * it starts as zeros.
 */
export interface BufferParam {
  readonly name: string;
  readonly kind: 'buffer';
  readonly type: ElementKind;
  readonly bytes: number;
  readonly data?: Uint8Array;
  /** What it must hold after the launch; `any` leaves that open, and nothing compares the buffer. */
  readonly expect?: Uint8Array | 'any';
  readonly tolerance?: Tolerance;
  readonly image?: Image;
}

/** A scalar parameter; the bits are `value` as its type stores them, little-endian. */
export interface ScalarParam {
  readonly name: string;
  readonly kind: 'scalar';
  readonly type: ScalarKind;
  readonly value: number | bigint;
}

/** An address inside a by-value parameter: from byte `at` on, the address of byte `offset` of buffer parameter number `to`. */
export interface InnerPointer {
  readonly at: number;
  readonly to: number;
  readonly offset: number;
}

/** A by-value struct or array parameter (`.param .align A .b8 x[n]`). */
export interface BytesParam {
  readonly name: string;
  readonly kind: 'bytes';
  readonly data: Uint8Array;
  readonly pointers?: readonly InnerPointer[];
}

export type LaunchParam = BufferParam | ScalarParam | BytesParam;

export type Dim3 = readonly [number, number, number];

/** Params are in kernel order. */
export interface Launch {
  readonly id: string;
  readonly group: string;
  /** PTX text and the name to print in diagnostics. */
  readonly ptx: string;
  readonly ptxFile: string;
  readonly entry: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  /** Dynamic shared memory, bytes. */
  readonly sharedBytes: number;
  readonly params: readonly LaunchParam[];
  /** Whether all blocks run at the same time, so that they can wait for each other (`cudaLaunchCooperativeKernel`). */
  readonly cooperative?: boolean;
  /** The texts that it must print, in any order. */
  readonly prints?: readonly string[];
  /** Where it must fail: what the failure's message holds. */
  readonly fails?: string;
}

/** Contents of every buffer parameter after the launch, by parameter index. */
export type LaunchOutputs = ReadonlyMap<number, Uint8Array>;

/** Numbers of the parameters that a launch passes pointers for. */
export const pointersOf = ({ params }: Launch): readonly number[] =>
  params.flatMap(({ kind }, index) => (kind === 'buffer' ? [index] : []));
