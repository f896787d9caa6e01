// The thread of the reference interpreter. A kernel that never returns can only be stopped by
// ending the thread, and signals must be handled while the interpreter runs.

import { parentPort } from 'node:worker_threads';
import { KernelCounters } from '../../cpu-ref/counters.ts';
import { LaunchError } from '../../cpu-ref/executor.ts';
import { interpret } from '../../cpu-ref/interpreter/interpret.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { cpuExecutor } from './cpu-executor.ts';
import { loadKernel } from './load-kernel.ts';
import type { ReferenceAnswer, ReferenceRequest } from './reference-messages.ts';
import { shownCounters } from './shown-counters.ts';

const executors = { hopper: cpuExecutor('hopper'), ieee: cpuExecutor('ieee') };

async function answer(request: ReferenceRequest): Promise<ReferenceAnswer> {
  const { kind, launch } = request;
  if (kind === 'run') {
    const { counters } = request;
    return { kind: 'ran', run: await executors[request.matrix ?? 'hopper'].run(launch, { counters }) };
  }
  const module = loadKernel(launch);
  const { counters: isCounting = false, ...options } = request.options;
  const counters = isCounting ? new KernelCounters() : undefined;
  const observed = counters === undefined ? options : { ...options, observe: counters.observe };
  const { status, findings, diagnostics } = interpret(module, launch, observed);
  if (status === 'unsupported') throw new KernelError('unsupported', module.source, diagnostics);
  const counted = counters === undefined ? {} : { counters: shownCounters(counters.counts) };
  return { kind: 'checked', result: { status, findings, ...counted } };
}

function answerOf(error: unknown): ReferenceAnswer {
  if (error instanceof KernelError) {
    const { kind, source, diagnostics } = error;
    return { kind: 'kernel-error', error: kind, source, diagnostics };
  }
  if (error instanceof LaunchError) return { kind: 'launch-error', message: error.message };
  if (error instanceof RangeError && /allocation failed/.test(error.message))
    return { kind: 'no-memory', message: error.message };
  return { kind: 'error', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/**
 * Sends an answer to the owner. Ignores an error, because there is no channel after the owner has
 * ended.
 */
const send = (message: ReferenceAnswer): void => {
  if (parentPort) parentPort.postMessage(message);
  else process.send?.(message, () => undefined);
};

(parentPort ?? process).on('message', (request: ReferenceRequest) => {
  answer(request).catch(answerOf).then(send);
});
if (!parentPort) process.once('disconnect', () => process.exit());
const ready: ReferenceAnswer = { kind: 'ready' };
send(ready);
