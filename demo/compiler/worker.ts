// The worker that parses, translates and interprets, so the page never blocks on a text.
import { interpretKernel } from '../../src/harness/executors/cpu-executor.ts';
import { loadKernel } from '../../src/harness/executors/load-kernel.ts';
import { KernelError } from '../../src/runtime/launch/kernel-error.ts';
import { runMessages, textMessages } from '../program/messages.ts';
import { type Analysis, analyze, plainProgram } from '../program/program.ts';
import { traceProgram } from '../program/trace.ts';
import { translateProgram } from '../program/translation.ts';
import type { Handlers, PlainError, Request } from '../workers/protocol.ts';
import { serve } from '../workers/serve.ts';
import type { CompilerRequests, ProgramRequest } from './messages.ts';
import { packTrace } from './pack-trace.ts';

/** The instruction limit of the reference for a run on the GPU: several seconds. */
const maxSteps = 5_000_000;

/** A cache: several consecutive requests have the same text. */
let last: { readonly revision: number; readonly analysis: Analysis } | undefined;

function analysisOf({ revision, state }: ProgramRequest): Analysis {
  if (last?.revision !== revision) last = { revision, analysis: analyze(state) };
  return last.analysis;
}

const handlers: Handlers<CompilerRequests> = {
  async parse(request) {
    const { diagnostics, program } = analysisOf(request);
    return { messages: textMessages(diagnostics), program: program && plainProgram(program) };
  },

  async trace(request) {
    const { program } = analysisOf(request);
    if (!program) return undefined;
    const trace = traceProgram(program, request.state.warp);
    return { trace: packTrace(trace), messages: runMessages(trace.findings, program.prefix) };
  },

  async translate(request) {
    const { program } = analysisOf(request);
    return program && translateProgram(program, request.target);
  },

  async reference({ launch }) {
    try {
      const { outputs, undefinedMasks } = interpretKernel(loadKernel(launch), launch, { maxSteps });
      return { expected: outputs, undefinedMasks, problem: '' };
    } catch (error) {
      if (error instanceof KernelError && error.kind !== 'failed') throw error;
      return { expected: undefined, undefinedMasks: new Map(), problem: plain(error).message };
    }
  },
};

function plain(error: unknown): PlainError {
  if (error instanceof KernelError) return { name: error.name, kind: undefined, message: error.render(false) };
  if (error instanceof Error) return { name: error.name, kind: undefined, message: error.message };
  return { name: 'Error', kind: undefined, message: String(error) };
}

/** Answers all requests, the ones in `early` first. */
export function answer(early: readonly MessageEvent<Request<CompilerRequests>>[]): void {
  serve(handlers, plain, early);
}
