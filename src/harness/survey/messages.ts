// What a survey and its worker processes say to each other.
import type { ExecutorReport } from '../executors/executor.ts';
import type { ExecutorsOrder } from '../executors/open-executor.ts';
import type { WorkerFailure } from '../sessions/worker-process.ts';
import type { SurveyEntryOptions, SurveyedEntry } from './survey-entry.ts';

/** First, once. */
export interface OpenOrder extends ExecutorsOrder, Omit<SurveyEntryOptions, 'executors'> {
  readonly kind: 'open';
}

/** Then file by file: the entries from `skip` on. */
export interface FileOrder {
  readonly kind: 'file';
  readonly path: string;
  /** In results. */
  readonly name: string;
  readonly skip: number;
}

export type ToSurveyWorker = OpenOrder | FileOrder;

export type FromSurveyWorker =
  | { readonly kind: 'opened'; readonly reports: readonly ExecutorReport[] }
  /** `problem`: why it does not parse. */
  | { readonly kind: 'parsed'; readonly entries: readonly string[]; readonly problem: string | undefined }
  | { readonly kind: 'entry'; readonly index: number }
  | { readonly kind: 'surveyed'; readonly index: number; readonly result: SurveyedEntry }
  | { readonly kind: 'end' }
  | WorkerFailure;
