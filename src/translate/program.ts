// A finished shader, and how to launch it.
import type { LanePlan } from '../base/lane-plan.ts';

/// How a kernel parameter reaches the shader: as bytes of the uniform block, or as a buffer with a binding of its own.
export type ParamPlace =
  | { readonly kind: 'value'; readonly offset: number; readonly bytes: number }
  | { readonly kind: 'binding'; readonly binding: number; readonly access: 'read' | 'read_write' }
  /// Not read by the kernel.
  | { readonly kind: 'unused' };

export interface WgslProgram {
  readonly code: string;
  readonly entryPoint: string;
  readonly kernel: string;
  readonly plan: LanePlan;
  /// By line of `code` (from 1), in order: the line of the PTX that it comes from. Lines that come from none are left out.
  readonly sourceMap: readonly { readonly wgslLine: number; readonly ptxLine: number }[];
  /// `threads`: no warp instructions, a thread is an invocation; `structured`: warp instructions in PTX's own structure; `dispatch`: by each
  /// lane's program counter.
  readonly mode: 'threads' | 'structured' | 'dispatch';
  /// Why the kernel is dispatched.
  readonly reason: string | undefined;
  readonly block: readonly [number, number, number];
  readonly workgroupSize: number;
  /// By parameter, in kernel order.
  readonly params: readonly ParamPlace[];
  /// Uniform block of parameters, if any is read.
  readonly paramsBinding: { readonly binding: number; readonly bytes: number } | undefined;
  /// Memory of module variables and of pointers without a binding: its first bytes, then the launch's buffers.
  readonly heap: { readonly binding: number; readonly image: Uint8Array } | undefined;
  /// A word that is not zero after a trap (1) or a deadlock (2).
  readonly status: { readonly binding: number } | undefined;
  /// Words of zeros that lanes lock values of several words with.
  readonly locks: { readonly binding: number; readonly bytes: number } | undefined;
  /// The grid the program was made for, where its workgroups are numbered in one row.
  readonly foldedGrid: readonly [number, number, number] | undefined;
  /// Whether f32 arithmetic is exact on an adapter of the profile it was made for.
  readonly float: 'exact' | 'fast';
}
