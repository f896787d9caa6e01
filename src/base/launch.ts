// A kernel launch: the in-memory form of a case file, which every executor accepts.

import type { Image } from './image.ts';
import type { TensorMap } from './tensor-map.ts';

/** The type of a scalar. */
export type ScalarKind = 'u32' | 's32' | 'u64' | 's64' | 'f16' | 'bf16' | 'f32' | 'f64' | 'u16' | 's16' | 'u8' | 's8';

/**
 * The type of a buffer's elements: a number type, or a type of bits. Bits are printed in
 * hexadecimal.
 */
export type ElementKind = ScalarKind | 'b8' | 'b16' | 'b32' | 'b64';

/**
 * The maximum difference of a floating-point element from its expected value: the larger of
 * `abs` and `rel` times the expected magnitude.
 */
export interface Tolerance {
  /** The relative part. */
  readonly rel: number;
  /** The absolute part. */
  readonly abs: number;
}

/**
 * A buffer parameter, which is device memory. The kernel receives its address, or a handle if it is
 * a texture or surface. If `data` is undefined, the buffer initially contains zeros.
 */
export interface BufferParam {
  /** The name in messages. In case files, the names must be unique. */
  readonly name: string;
  /** Marks a buffer. */
  readonly kind: 'buffer';
  /** The type of the elements, for comparing and printing them. */
  readonly type: ElementKind;
  /** The size in bytes. */
  readonly bytes: number;
  /** The contents before the launch. If `data` is shorter than `bytes`, zeros follow. */
  readonly data?: Uint8Array;
  /**
   * The expected contents after the launch. For `any`, the contents are unspecified and not
   * compared.
   */
  readonly expect?: Uint8Array | 'any';
  /** The maximum difference of an element. If it is undefined, all bits must be equal. */
  readonly tolerance?: Tolerance;
  /** The shape and sampling, if the parameter is a texture or surface. */
  readonly image?: Image;
  /**
   * Whether the kernel has no parameter for the buffer, and finds its address in other parameters.
   * Such buffers follow the kernel's parameters.
   */
  readonly unpassed?: true;
}

/** A scalar parameter. `value` is stored little-endian in the parameter's type. */
export interface ScalarParam {
  /** The name, for messages. */
  readonly name: string;
  /** Marks a scalar. */
  readonly kind: 'scalar';
  /** The type of the scalar. */
  readonly type: ScalarKind;
  /** The value; a bigint for 64-bit integers. */
  readonly value: number | bigint;
}

/**
 * An address inside of a by-value parameter. The bytes from `at` on contain the address of byte
 * `offset` of buffer parameter number `to`.
 */
export interface InnerPointer {
  /** The place of the address in the parameter, in bytes. */
  readonly at: number;
  /** The number of the buffer parameter, from 0. */
  readonly to: number;
  /** The distance from the start of that buffer, in bytes. */
  readonly offset: number;
}

/** A by-value struct or array parameter (`.param .align A .b8 x[n]`). */
export interface BytesParam {
  /** The name, for messages. */
  readonly name: string;
  /** Marks a parameter passed by value. */
  readonly kind: 'bytes';
  /** The bytes of the value. */
  readonly data: Uint8Array;
  /** The addresses inside the value. */
  readonly pointers?: readonly InnerPointer[];
  /** The tensor map that the bytes encode, if they are one. */
  readonly tensorMap?: TensorMap;
}

/** A parameter of a launch. */
export type LaunchParam = BufferParam | ScalarParam | BytesParam;

/** A source file of the PTX, such as a CUDA file, whose lines diagnostics quote. */
export interface OriginFile {
  /** The path in the PTX's `.file` directive. */
  readonly path: string;
  /** The name in diagnostics. */
  readonly name: string;
  /** The text of the file. */
  readonly text: string;
}

/** The size of a grid or block, or a position in it: x, y and z. */
export type Dim3 = readonly [number, number, number];

/**
 * A kernel launch: the kernel, its grid and its parameters. Every executor accepts launches, and
 * case files store them.
 */
export interface Launch {
  /** The name of the launch in results; letters, digits and `_.:-`. */
  readonly id: string;
  /** The name of the launch's group, for reports. */
  readonly group: string;
  /** The text of the PTX module. */
  readonly ptx: string;
  /** The name of the PTX in diagnostics. */
  readonly ptxFile: string;
  /** The CUDA sources of the PTX, if they are available. */
  readonly origins?: readonly OriginFile[];
  /** The name of the kernel. */
  readonly entry: string;
  /** The size of the grid in blocks. */
  readonly grid: Dim3;
  /** The size of a block in threads. */
  readonly block: Dim3;
  /**
   * The size of a cluster in blocks (`cudaLaunchAttributeClusterDimension`). If it is undefined, the
   * kernel's `.reqnctapercluster` determines the size.
   */
  readonly cluster?: Dim3;
  /** The size of dynamic shared memory in bytes. */
  readonly sharedBytes: number;
  /** The parameters, in the order of the kernel's parameters. */
  readonly params: readonly LaunchParam[];
  /**
   * Whether all blocks must be resident at the same time, so that they can wait for each other
   * (`cudaLaunchCooperativeKernel`).
   */
  readonly cooperative?: boolean;
  /** The texts that the kernel must print, in any order. */
  readonly prints?: readonly string[];
  /** If the launch must fail: a part of the expected message. */
  readonly fails?: string;
}

/** The contents of every buffer parameter after the launch, by parameter number. */
export type LaunchOutputs = ReadonlyMap<number, Uint8Array>;

/** Whether the kernel has a parameter for `param`. */
export const isPassed = (param: LaunchParam): boolean =>
  param.kind !== 'buffer' || (param.image?.reference !== true && param.unpassed !== true);

/** Whether a parameter consists only of an address in another parameter's buffer. */
export const isInnerPointer = (param: LaunchParam): boolean =>
  param.kind === 'bytes' && param.data.length === 8 && param.pointers?.length === 1;

/** Returns the numbers of the parameters that are pointers. */
export const pointersOf = ({ params }: Launch): readonly number[] =>
  params.flatMap((param, index) => (param.kind === 'buffer' || isInnerPointer(param) ? [index] : []));

/** Returns the PTX of a launch in the form that diagnostics need. */
export const sourceOf = ({ ptx, ptxFile, origins }: Pick<Launch, 'ptx' | 'ptxFile' | 'origins'>) => ({
  file: ptxFile,
  text: ptx,
  ...(origins === undefined ? {} : { origins }),
});
