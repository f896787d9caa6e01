// The messages between the thread of the reference interpreter and its owner.

import type { Launch } from '../../base/launch.ts';
import type { MatrixMode } from '../../base/matrix-mode.ts';
import type { InterpretOptions, InterpretResult } from '../../cpu-ref/interpreter/interpret.ts';
import type { Diagnostic, Source } from '../../ptx/ast.ts';
import type { KernelError } from '../../runtime/launch/kernel-error.ts';
import type { ExecutorRun } from './executor.ts';
import type { ShownCounters } from './shown-counters.ts';

/** A request. There is only one request at a time, and each request has one answer. */
export type ReferenceRequest =
  | {
      readonly kind: 'run';
      readonly launch: Launch;
      readonly matrix: MatrixMode | undefined;
      readonly counters: boolean;
    }
  | { readonly kind: 'check'; readonly launch: Launch; readonly options: CheckOptions };

/**
 * The options of `ReferenceThread.check`. `observe` is missing, because another thread cannot call
 * it.
 */
export interface CheckOptions extends Omit<InterpretOptions, 'observe'> {
  readonly counters?: boolean;
}

/** The sanitizer's result for a launch. */
export interface CheckResult extends Pick<InterpretResult, 'status' | 'findings'> {
  /** The counters, if `CheckOptions.counters` requests them. */
  readonly counters?: ShownCounters;
}

export type ReferenceAnswer =
  /** Sent once, without a request, when the modules are loaded. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'ran'; readonly run: ExecutorRun }
  | { readonly kind: 'checked'; readonly result: CheckResult }
  /** The parts of an error, because an error loses its class when it is sent. */
  | {
      readonly kind: 'kernel-error';
      readonly error: KernelError['kind'];
      readonly source: Source;
      readonly diagnostics: readonly Diagnostic[];
    }
  | { readonly kind: 'launch-error'; readonly message: string }
  /** The launch's buffers exceed the available memory. */
  | { readonly kind: 'no-memory'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string };
