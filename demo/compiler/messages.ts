// What the page asks of the worker that parses, translates and interprets.
import type { Launch, LaunchOutputs } from '../../src/base/launch.ts';
import type { Message } from '../program/messages.ts';
import type { Program } from '../program/program.ts';
import type { Target, Translation } from '../program/translation.ts';
import type { AppState } from '../state.ts';
import type { PackedTrace } from './pack-trace.ts';

/** The state, and a number that grows when anything in it changes that a program depends on. */
export interface ProgramRequest {
  readonly revision: number;
  readonly state: AppState;
}

export interface ParseAnswer {
  readonly messages: readonly Message[];
  readonly program: Program | undefined;
}

export interface TraceAnswer {
  readonly trace: PackedTrace;
  readonly messages: readonly Message[];
}

/** What the reference makes of a launch: outputs to compare with, or the reason why there are none. */
export interface ReferenceAnswer {
  readonly expected: LaunchOutputs | undefined;
  readonly undefinedMasks: LaunchOutputs;
  readonly problem: string;
}

/** Every request, with what comes back. A trace and a translation are undefined where the text does not parse. */
export interface CompilerRequests {
  parse: { args: ProgramRequest; result: ParseAnswer };
  trace: { args: ProgramRequest; result: TraceAnswer | undefined };
  translate: { args: ProgramRequest & { readonly target: Target }; result: Translation | undefined };
  /** Rejects where the kernel is not supported. */
  reference: { args: { readonly launch: Launch }; result: ReferenceAnswer };
}
