// The messages between a survey and its worker processes.
import type { ExecutorReport } from '../executors/executor.ts';
import type { ExecutorsOrder } from '../executors/open-executor.ts';
import type { WorkerFailure } from '../sessions/worker-process.ts';
import type { SurveyEntryOptions, SurveyedEntry } from './survey-entry.ts';

/** The first message to a worker process, sent once. */
export interface OpenOrder extends ExecutorsOrder, Omit<SurveyEntryOptions, 'executors'> {
  readonly kind: 'open';
}

/** The request to survey the kernels of a file, starting with the kernel of number `skip`. */
export interface FileOrder {
  readonly kind: 'file';
  readonly path: string;
  /** The file's name in results. */
  readonly name: string;
  readonly skip: number;
}

export type ToSurveyWorker = OpenOrder | FileOrder;

export type FromSurveyWorker =
  | { readonly kind: 'opened'; readonly reports: readonly ExecutorReport[] }
  /** If the file cannot be parsed, `problem` is the reason. */
  | { readonly kind: 'parsed'; readonly entries: readonly string[]; readonly problem: string | undefined }
  | { readonly kind: 'entry'; readonly index: number }
  /** The driver has been compiling for some seconds. `text` is a message for the user. */
  | { readonly kind: 'compiling'; readonly text: string }
  | { readonly kind: 'surveyed'; readonly index: number; readonly result: SurveyedEntry }
  | { readonly kind: 'end' }
  | WorkerFailure;
