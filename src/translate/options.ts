// The options of `translate`, and its result.

import type { Driver } from '../base/adapter-facts.ts';
import type { FloatProfile } from '../base/float-profile.ts';
import type { LanePlan } from '../base/lane-plan.ts';
import type { MatrixConfig } from '../base/matrix-config.ts';
import type { Workarounds } from '../base/workarounds.ts';
import type { Diagnostic } from '../ptx/ast.ts';
import type { WgslProgram } from './program.ts';

/** Options of `translate`. */
export interface TranslateOptions {
  /** The name of the kernel. It may be absent if the module has only one. */
  readonly entry?: string;
  /** The number of threads in a block, at most 1,024 in total. */
  readonly block: readonly [number, number, number];
  /**
   * The number of blocks; required only if a dimension exceeds `maxWorkgroups`. `overrides`: a
   * pipeline may set the grid in the constants 0, 1 and 2 of the shader.
   */
  readonly grid?: readonly [number, number, number] | 'overrides';
  /**
   * The number of blocks in a cluster. If it is undefined, the kernel's `.reqnctapercluster`
   * determines the number.
   */
  readonly cluster?: readonly [number, number, number] | undefined;
  /** Whether the blocks of the grid may wait for each other. */
  readonly cooperative?: boolean;
  /** The size of dynamic shared memory, in bytes. */
  readonly sharedBytes?: number;
  /**
   * The `.texref` and `.surfref` variables that the launch passes as parameters after those of the
   * kernel. The default is the variables that the kernel names.
   */
  readonly references?: readonly string[];
  /**
   * The numbers of the parameters that receive pointers. Without this list, the program accepts
   * both a pointer and a number for a 64-bit parameter if the PTX does not show which it is.
   */
  readonly pointerParams?: readonly number[];
  /**
   * The numbers of the pointer parameters that have no binding of their own, because their memory
   * is in the heap or another parameter may point to it.
   */
  readonly heapParams?: ReadonlySet<number>;
  /** The address in the heap at which the module's variables begin. The default is 0. */
  readonly heapStart?: number;
  /** Whether a trap reports its thread. */
  readonly reportTraps?: boolean;
  /** Whether textures and surfaces are available. The default is true. */
  readonly images?: boolean;
  /** The lane plan. */
  readonly plan: LanePlan;
  /** The f32 behavior of the adapter. */
  readonly float: FloatProfile;
  /** The products of subgroup matrices that the adapter computes (default: none). */
  readonly matrices?: readonly MatrixConfig[];
  /** The workarounds to apply. The default is all of them, which is correct on any adapter. */
  readonly workarounds?: Workarounds;
  /** The driver, if it is known. It determines the forms of large kernels. */
  readonly driver?: Driver | undefined;
  /** The adapter limit of workgroups per dimension. The default is 65,535. */
  readonly maxWorkgroups?: number;
  /** The adapter limit of invocations in a workgroup. The default is 1,024. */
  readonly maxInvocations?: number;
  /**
   * The adapter limit of workgroup memory, in bytes. The default is 32,768. Only if it is explicit,
   * shared memory that exceeds it is in a buffer.
   */
  readonly maxWorkgroupBytes?: number;
  /** The adapter limit of storage buffers per stage. The default is 8. */
  readonly maxStorageBuffers?: number;
  /**
   * The number of polls without a change after which a lane stops waiting for other blocks: an even
   * number, 2^22 by default.
   */
  readonly maxPolls?: number;
  /** Whether to warn if the kernel orders memory for other blocks, which WGSL does not support. */
  readonly warnMemoryOrder?: boolean;
  /** Called after each pass, with the name of the pass and the text of the program. */
  readonly observe?: (pass: string, text: string) => void;
  /** Whether to verify the program after each pass, and throw if it is ill-formed. */
  readonly verify?: boolean;
}

/** The result of a translation. */
export interface TranslateResult {
  /** The program; undefined if there are errors. */
  readonly program: WgslProgram | undefined;
  /** Errors and warnings about the PTX. */
  readonly diagnostics: readonly Diagnostic[];
}
