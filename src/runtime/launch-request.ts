// The request for a launch.

import type { Dim3 } from '../base/launch.ts';
import type { Compiled } from './compiled.ts';
import type { PointerArgument } from './memory/allocation.ts';

export interface LaunchRequest {
  readonly grid: Dim3;
  /**
   * The pointers by parameter: `null` for a null pointer, undefined for arguments that are not
   * pointers.
   */
  readonly pointers: readonly (PointerArgument | null | undefined)[];
  /** Returns the shader in which these pointer parameters lack a binding of their own. */
  readonly shaderFor: (heapParams: ReadonlySet<number>) => Compiled;
  /** Writes an argument that is not a pointer. */
  readonly write: (param: number, to: DataView) => void;
  /** Throws for an argument whose memory is unknown. */
  readonly refuse: (param: number) => never;
}
