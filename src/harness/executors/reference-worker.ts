// The thread of the reference interpreter. It is apart because nothing else ends a kernel that never returns, and because signals
// are seen while it runs.

import { parentPort } from 'node:worker_threads';
import { LaunchError } from '../../cpu-ref/executor.ts';
import { interpret } from '../../cpu-ref/interpreter/interpret.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { cpuExecutor } from './cpu-executor.ts';
import { loadKernel } from './load-kernel.ts';
import type { ReferenceAnswer, ReferenceRequest } from './reference-messages.ts';

const cpu = cpuExecutor();

async function answer(request: ReferenceRequest): Promise<ReferenceAnswer> {
  const { kind, launch } = request;
  if (kind === 'run') return { kind: 'ran', run: await cpu.run(launch) };
  const module = loadKernel(launch);
  const { status, findings, diagnostics } = interpret(module, launch, request.options);
  if (status === 'unsupported') throw new KernelError('unsupported', module.source, diagnostics);
  return { kind: 'checked', result: { status, findings } };
}

function answerOf(error: unknown): ReferenceAnswer {
  if (error instanceof KernelError) {
    const { kind, source, diagnostics } = error;
    return { kind: 'kernel-error', error: kind, source, diagnostics };
  }
  if (error instanceof LaunchError) return { kind: 'launch-error', message: error.message };
  return { kind: 'error', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

parentPort?.on('message', (request: ReferenceRequest) => {
  answer(request)
    .catch(answerOf)
    .then((message) => parentPort?.postMessage(message));
});
const ready: ReferenceAnswer = { kind: 'ready' };
parentPort?.postMessage(ready);
