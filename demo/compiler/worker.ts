// The worker that parses, translates and interprets, so that these tasks never block the page.
import { KernelCounters } from '../../src/cpu-ref/counters.ts';
import { interpret } from '../../src/cpu-ref/interpreter/interpret.ts';
import { loadKernel } from '../../src/harness/executors/load-kernel.ts';
import { shownCounters } from '../../src/harness/executors/shown-counters.ts';
import { KernelError } from '../../src/runtime/launch/kernel-error.ts';
import { cudaLines } from '../program/cuda-lines.ts';
import { runMessages, textMessages } from '../program/messages.ts';
import { type Analysis, analyze, type ParsedText, parseEditor, plainProgram } from '../program/program.ts';
import { stateAfter, traceProgram } from '../program/trace.ts';
import { translateProgram } from '../program/translation.ts';
import type { AppState } from '../state.ts';
import type { Handlers, PlainError, Request } from '../workers/protocol.ts';
import { serve } from '../workers/serve.ts';
import type { CompilerRequests, ProgramRequest } from './messages.ts';
import { packTrace } from './pack-trace.ts';

/**
 * The maximum number of instructions that the reference executes for a comparison with the GPU.
 * Executing all of them takes several seconds.
 */
const maxSteps = 5_000_000;

/**
 * The last analysis and the last parsed text, which are stored because consecutive requests often
 * contain the same text.
 */
let last: { readonly revision: number; readonly analysis: Analysis } | undefined;
let lastText: { readonly text: string; readonly cuda: string; readonly parsed: ParsedText } | undefined;

function parsedOf({ text, cuda }: AppState): ParsedText {
  if (lastText?.text !== text || lastText.cuda !== cuda) lastText = { text, cuda, parsed: parseEditor({ text, cuda }) };
  return lastText.parsed;
}

function analysisOf({ revision, state }: ProgramRequest): Analysis {
  if (last?.revision !== revision) last = { revision, analysis: analyze(state, parsedOf(state)) };
  return last.analysis;
}

const handlers: Handlers<CompilerRequests> = {
  async parse(request) {
    const { diagnostics, program } = analysisOf(request);
    return {
      messages: textMessages(diagnostics),
      program: program && plainProgram(program),
      cuda: program && cudaLines(program.kernel),
    };
  },

  async trace(request) {
    const { program } = analysisOf(request);
    if (!program) return undefined;
    const trace = traceProgram(program, request.state);
    return { trace: packTrace(trace), messages: runMessages(trace.findings, program.prefix) };
  },

  async inspect(request) {
    const { program } = analysisOf(request);
    return program && stateAfter(program, request.state, request.step);
  },

  async translate(request) {
    const { program } = analysisOf(request);
    return program && (await translateProgram(program, request.target));
  },

  async reference({ launch, prefix }) {
    const kernel = loadKernel(launch);
    const counters = new KernelCounters();
    const { observe } = counters;
    const result = interpret(kernel, launch, { maxSteps, sanitize: true, trackWriters: true, observe });
    const { status, outputs, undefinedMasks, writers, findings } = result;
    if (status === 'unsupported') throw new KernelError('unsupported', kernel.source, result.diagnostics);
    // The reference has reached its own limit of steps, which is not a finding about the kernel.
    const isCut = result.failure?.code === 'RUN014';
    return {
      expected: status === 'done' ? outputs : undefined,
      undefinedMasks: status === 'done' ? undefinedMasks : new Map(),
      writers,
      problem: result.failure?.message ?? '', // `failure` is undefined if the launch has finished.
      counters: shownCounters(counters.counts, prefix).rows,
      findings: isCut ? findings.filter(({ code }) => code !== 'RUN014') : findings,
    };
  },

  async judge({ lesson: id, ...request }, progress) {
    // Only the page of the lessons needs these modules.
    const [{ judge }, { lessonOf }] = await Promise.all([import('../lessons/judge.ts'), import('../lessons/list.ts')]);
    let passed = 0;
    return judge(lessonOf(id), request, () => progress(++passed));
  },
};

function plain(error: unknown): PlainError {
  if (error instanceof KernelError) return { name: error.name, kind: undefined, message: error.render(false) };
  if (error instanceof Error) return { name: error.name, kind: undefined, message: error.message };
  return { name: 'Error', kind: undefined, message: String(error) };
}

/** Answers all requests, beginning with those in `early`. */
export function answer(early: readonly MessageEvent<Request<CompilerRequests>>[]): void {
  serve(handlers, plain, early);
}
