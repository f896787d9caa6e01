// The data of a built module: the shaders of its kernels, and their layout.

/**
 * A parameter of a kernel: its name, the first letter of its kind, its size in bytes, and its PTX
 * type.
 */
export type BuiltParam = readonly [name: string, kind: string, bytes: number, type: string];

/** The owner of a binding: a parameter by its number, or a buffer of the launcher. */
export type BuiltOwner = number | 'params' | 'instructions' | 'blockMemory' | 'locks' | 'status';

/** The layout of a shader's bindings and parameters. */
export interface BuiltPlan {
  /** For each binding, its number, the first letter of its type, and its owner. */
  readonly buffers: readonly (readonly [binding: number, type: 'r' | 's' | 'u', of: BuiltOwner])[];
  /** The parameters in the uniform buffer, and their offsets in the buffer. */
  readonly values: readonly (readonly [param: number, offset: number])[];
  /** The size of the uniform buffer. */
  readonly bytes: number;
  /** The instructions of an encoded kernel, in words. */
  readonly instructions?: readonly number[] | undefined;
  /** The size of the lock buffer. */
  readonly locks?: number | undefined;
  /** The bytes of shared and local memory in a buffer, for each block. */
  readonly blockMemory?: number | undefined;
  /** The size of the buffer that reports traps. */
  readonly status?: number | undefined;
}

/**
 * A shader of a kernel. `size` is the subgroup size: negative if the shader requests this size, and
 * 0 for the portable plan. `needs` are bits of `strengths`, which the device must have. `plan` and
 * `code` are the numbers of the shader's plan and code.
 */
export type BuiltShader = readonly [size: number, needs: number, plan: number, code: number];

/**
 * A part of the concatenated text of all earlier codes: the index of its first character, and its
 * length.
 */
export type Run = readonly [from: number, length: number];

/** A part of a code: new text, or a part of an earlier code. */
export type Part = string | Run;

export interface BuiltKernel {
  readonly block: readonly [number, number, number];
  readonly params: readonly BuiltParam[];
  /** The shaders, the best ones first. */
  readonly shaders: readonly BuiltShader[];
}

export interface BuiltData {
  /** The codes of the shaders. A code is the concatenation of its parts. */
  readonly codes: readonly (readonly Part[])[];
  readonly plans: readonly BuiltPlan[];
  readonly kernels: Readonly<Record<string, BuiltKernel>>;
}
