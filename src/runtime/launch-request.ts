// What a launcher is asked for.

import type { Dim3 } from '../base/launch.ts';
import type { Compiled } from './compiled.ts';
import type { PointerArgument } from './memory/allocation.ts';

export interface LaunchRequest {
  readonly grid: Dim3;
  /** By parameter: where it points, `null` for nowhere, undefined for what is no pointer. */
  readonly pointers: readonly (PointerArgument | null | undefined)[];
  /** The shader in which these pointer parameters have no binding of their own. */
  readonly shaderFor: (heapParams: ReadonlySet<number>) => Compiled;
  /** Writes an argument that is no pointer. */
  readonly write: (param: number, to: DataView) => void;
  /** Throws for an argument that does not say where it points. */
  readonly refuse: (param: number) => never;
}
