// The program of a worker process. It surveys the files that it receives, with its own executors.
import { createHash } from 'node:crypto';
import { parsePtx } from '../../ptx/index.ts';
import { compileLine } from '../../runtime/device/compilations.ts';
import { openExecutors } from '../executors/open-executor.ts';
import { maxPtxBytes, readText } from '../files/read-text.ts';
import { watchCompilations } from '../runs/compile-progress.ts';
import { toParent, workerFailure } from '../sessions/worker-process.ts';
import type { FileOrder, FromSurveyWorker, OpenOrder, ToSurveyWorker } from './messages.ts';
import { type SurveyEntryOptions, surveyEntry } from './survey-entry.ts';

let options: SurveyEntryOptions | undefined;

process.on('message', (message: ToSurveyWorker) => {
  void (message.kind === 'open' ? open(message) : file(message)).catch((error: unknown) => {
    report(workerFailure(error));
  });
});
// The parent has ended or has no more work.
process.on('disconnect', () => {
  void Promise.all((options?.executors ?? []).map((executor) => executor.close())).finally(() => process.exit(0));
});

async function open(order: OpenOrder): Promise<void> {
  const { seed, attempts, launches, timeoutMs } = order;
  const { onPhase } = watchCompilations(
    (event) => report({ kind: 'compiling', text: compileLine(event) }),
    () => undefined,
  );
  const executors = await openExecutors({ ...order, onPhase });
  options = { executors, seed, attempts, launches, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  report({ kind: 'opened', reports: executors.map((executor) => executor.describe()) });
}

async function file({ path, name, skip }: FileOrder): Promise<void> {
  if (options === undefined) throw new Error('received a file before the executors were open');
  const { module, diagnostics } = parsePtx(readText(path, maxPtxBytes), { file: name, dialect: 'module' });
  const entries = module?.functions.filter(({ kind }) => kind === 'entry') ?? [];
  const [first] = diagnostics;
  const problem = module === undefined ? `${first?.code}: ${first?.message}` : undefined;
  report({ kind: 'parsed', entries: entries.map((entry) => entry.name), problem });
  for (const [index, entry] of entries.entries()) {
    if (module === undefined || index < skip) continue;
    report({ kind: 'entry', index });
    const result = await surveyEntry(module, entry, idOf(name, entry.name), options);
    report({ kind: 'surveyed', index, result });
  }
  report({ kind: 'end' });
}

/** Returns an id for a kernel that is also a valid file name. */
function idOf(file: string, entry: string): string {
  const hash = createHash('sha256').update(`${file}\n${entry}`).digest('hex').slice(0, 8);
  return `${entry.replace(/[^A-Za-z0-9_]/g, '_').slice(0, 80)}-${hash}`;
}

const report = (message: FromSurveyWorker): void => toParent(message);
