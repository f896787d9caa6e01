// The counts of a survey, and its differences.
import type { Launch } from '../../base/launch.ts';
import type { ExecutorName } from '../executors/executor.ts';
import type { SurveyedKernel } from './survey.ts';
import type { SurveyStatus } from './survey-entry.ts';

export interface SurveyDifference {
  readonly executor: ExecutorName;
  readonly message: string;
  readonly launch: Launch;
  /** Must be called with the path to which the case was written. */
  readonly saved: (path: string) => void;
}

interface DifferenceRecord {
  readonly file: string;
  readonly entry: string;
  readonly executor: ExecutorName;
  readonly status: SurveyStatus;
  readonly block: readonly number[];
  readonly grid: readonly number[];
  readonly message: string;
  case?: string;
}

/** The statuses, ordered from the best to the worst. */
const order: readonly SurveyStatus[] = ['agrees', 'close', 'optimizer', 'refused', 'failed', 'differs'];

type Counts = Record<string, number>;

function count(counts: Counts, key: string, by = 1): void {
  counts[key] = (counts[key] ?? 0) + by;
}

const sorted = (counts: Counts): Counts => Object.fromEntries(Object.entries(counts).sort((a, b) => b[1] - a[1]));

export class SurveyTally {
  #files = 0;
  readonly #unparsed: { file: string; problem: string }[] = [];
  #kernels = 0;
  #launches = 0;
  #compared = 0;
  /** The numbers of kernels with a launch, by the worst status of any executor. */
  readonly #ran: Counts = {};
  readonly #byExecutor: Record<string, Counts> = {};
  /** The numbers of kernels without a launch, by the most frequent reason. */
  readonly #without: Counts = {};
  readonly #missed: { file: string; entry: string; reason: string }[] = [];
  readonly #ended: { file: string; entry: string }[] = [];
  readonly #differences: DifferenceRecord[] = [];

  addFile(file: string, problem: string | undefined): void {
    this.#files++;
    if (problem !== undefined) this.#unparsed.push({ file, problem });
  }

  /** Adds a kernel, and returns the differences to save. */
  addKernel({ file, entry, result }: SurveyedKernel): SurveyDifference[] {
    this.#kernels++;
    if (result === undefined) {
      this.#ended.push({ file, entry });
      return [];
    }
    const { launches, dropped } = result;
    if (launches.length === 0) {
      const reason = Object.entries(dropped).sort((a, b) => b[1] - a[1])[0]?.[0] ?? 'no launch was tried';
      count(this.#without, reason);
      this.#missed.push({ file, entry, reason });
      return [];
    }
    const worst = new Map<ExecutorName, SurveyStatus>();
    const found = new Map<ExecutorName, SurveyDifference>();
    for (const { answers, compared, launch } of launches) {
      this.#launches++;
      this.#compared += compared * answers.length;
      for (const { executor, status, message } of answers) {
        const before = worst.get(executor) ?? 'agrees';
        if (order.indexOf(status) > order.indexOf(before)) worst.set(executor, status);
        else worst.set(executor, before);
        if (!launch || (status !== 'differs' && status !== 'failed') || found.has(executor)) continue;
        const { block, grid } = launch;
        const record: DifferenceRecord = { file, entry, executor, status, block, grid, message };
        this.#differences.push(record);
        const saved = (path: string) => {
          record.case = path;
        };
        found.set(executor, { executor, message, launch, saved });
      }
    }
    for (const [executor, status] of worst) {
      this.#byExecutor[executor] ??= {};
      count(this.#byExecutor[executor], status);
    }
    const all = [...worst.values()].sort((a, b) => order.indexOf(b) - order.indexOf(a));
    count(this.#ran, all[0] ?? 'agrees');
    return [...found.values()];
  }

  get passed(): boolean {
    return this.#differences.length === 0 && this.#ended.length === 0 && this.#compared > 0;
  }

  #withLaunch(): number {
    return Object.values(this.#ran).reduce((sum, n) => sum + n, 0);
  }

  line(): string {
    return `${this.#kernels} kernels, ${this.#withLaunch()} of them run, ${this.#differences.length} differences`;
  }

  summary(): string {
    const ran = Object.entries(this.#ran).map(([status, n]) => `${n} ${status}`);
    const parts = [
      `${this.#files} files (${this.#unparsed.length} do not parse), ${this.#kernels} kernels`,
      `${this.#withLaunch()} with a launch: ${ran.join(', ') || 'none'}`,
      `${this.#launches} launches, ${this.#compared} values compared`,
    ];
    if (this.#ended.length > 0) parts.push(`${this.#ended.length} took too long or ended their process`);
    return parts.join('; ');
  }

  document(): object {
    return {
      files: this.#files,
      unparsed: this.#unparsed,
      kernels: this.#kernels,
      kernelsRun: this.#withLaunch(),
      launches: this.#launches,
      compared: this.#compared,
      ran: this.#ran,
      byExecutor: this.#byExecutor,
      withoutLaunch: sorted(this.#without),
      missed: this.#missed,
      ended: this.#ended,
      differences: this.#differences,
    };
  }
}
