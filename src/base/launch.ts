// A kernel launch: the in-memory form of a case file, which every executor accepts.

import type { Image } from './image.ts';

export type ScalarKind = 'u32' | 's32' | 'u64' | 's64' | 'f16' | 'bf16' | 'f32' | 'f64' | 'u16' | 's16' | 'u8' | 's8';

/** The type of a buffer's elements: a number, or bits, which are printed in hexadecimal. */
export type ElementKind = ScalarKind | 'b8' | 'b16' | 'b32' | 'b64';

export interface Tolerance {
  readonly rel: number;
  readonly abs: number;
}

/**
 * A buffer parameter: `bytes` of device memory. The kernel receives its address, or a handle if it
 * is a texture or surface. Without `data` the buffer starts as zeros.
 */
export interface BufferParam {
  readonly name: string;
  readonly kind: 'buffer';
  readonly type: ElementKind;
  readonly bytes: number;
  readonly data?: Uint8Array;
  /**
   * The expected contents after the launch. `any` leaves them unspecified: nothing compares the
   * buffer.
   */
  readonly expect?: Uint8Array | 'any';
  readonly tolerance?: Tolerance;
  readonly image?: Image;
}

/** A scalar parameter. `value` is stored little-endian in the parameter's type. */
export interface ScalarParam {
  readonly name: string;
  readonly kind: 'scalar';
  readonly type: ScalarKind;
  readonly value: number | bigint;
}

/**
 * An address inside a by-value parameter: the bytes from `at` on hold the address of byte `offset`
 * of buffer parameter number `to`.
 */
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

/** A file that PTX was compiled from: messages quote its lines. */
export interface OriginFile {
  /** As the PTX's `.file` directive names it. */
  readonly path: string;
  /** The name to show. */
  readonly name: string;
  readonly text: string;
}

export type Dim3 = readonly [number, number, number];

/** `params` is in kernel order. */
export interface Launch {
  readonly id: string;
  readonly group: string;
  /** The PTX text, and the name that diagnostics print for it. */
  readonly ptx: string;
  readonly ptxFile: string;
  /** The CUDA source of the PTX, if it is known. */
  readonly origins?: readonly OriginFile[];
  readonly entry: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  /** Dynamic shared memory in bytes. */
  readonly sharedBytes: number;
  readonly params: readonly LaunchParam[];
  /**
   * Whether all blocks must be resident together, so they can wait for each other
   * (`cudaLaunchCooperativeKernel`).
   */
  readonly cooperative?: boolean;
  /** The texts that the kernel must print, in any order. */
  readonly prints?: readonly string[];
  /** If the launch must fail: a part of the failure's message. */
  readonly fails?: string;
}

/** The contents of every buffer parameter after the launch, by parameter number. */
export type LaunchOutputs = ReadonlyMap<number, Uint8Array>;

/** Returns the numbers of the parameters that hold pointers. */
export const pointersOf = ({ params }: Launch): readonly number[] =>
  params.flatMap(({ kind }, index) => (kind === 'buffer' ? [index] : []));

/** The PTX of a launch as diagnostics need it. */
export const sourceOf = ({ ptx, ptxFile, origins }: Pick<Launch, 'ptx' | 'ptxFile' | 'origins'>) => ({
  file: ptxFile,
  text: ptx,
  ...(origins === undefined ? {} : { origins }),
});
