// Runs each launch on the reference, on a copy of the launch's memory, and reports the findings of
// the sanitizer.

import { demangledText } from '../../base/demangle.ts';
import { type Finding, findingDiagnostic, type InterpretResult, LaunchError } from '../../cpu-ref/executor.ts';
import { interpret } from '../../cpu-ref/interpreter/interpret.ts';
import type { Source } from '../../ptx/ast.ts';
import { originOf, positionOf, renderDiagnostic } from '../../ptx/index.ts';
import type { LaunchRequest } from '../launch-request.ts';
import type { SanitizeOptions, SanitizerReport } from './reports.ts';
import { maxSnapshotBytes, type Snapshot, type SnapshotTaker, Unrecordable } from './snapshot.ts';
import { toLaunch } from './to-launch.ts';

/**
 * The limits on launches that wait for the reference. A launch that would exceed a limit is
 * skipped.
 */
const maxWaiting = 256;
const maxWaitingBytes = maxSnapshotBytes;
const defaultSteps = 10_000_000;
/** The seed of the values in memory that the kernel does not write, as in `lanewise check`. */
const seed = 1;

export class Sanitizer {
  readonly #taker: SnapshotTaker;
  readonly #options: SanitizeOptions;
  readonly #reports = new Map<string, SanitizerReport>();
  #launches = 0;
  #waiting = 0;
  #waitingBytes = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(taker: SnapshotTaker, options: SanitizeOptions) {
    this.#taker = taker;
    this.#options = options;
  }

  /**
   * Copies the memory of a launch before the launch runs, and adds the launch to those that wait
   * for the reference.
   */
  observe(request: LaunchRequest): undefined {
    const launch = ++this.#launches;
    const { name } = request.facts.entry;
    if (this.#options.kernels?.includes(name) === false) return;
    try {
      if (this.#waiting >= maxWaiting) throw new Unrecordable(`${maxWaiting} launches already wait for the reference`);
      const snapshot = this.#taker.take(request, maxWaitingBytes - this.#waitingBytes);
      this.#waiting += 1;
      this.#waitingBytes += snapshot.bytes;
      this.#work = this.#work.then(async () => {
        try {
          await this.#check(snapshot, launch);
        } finally {
          this.#waiting -= 1;
          this.#waitingBytes -= snapshot.bytes;
        }
      });
      this.#work.catch(() => undefined);
    } catch (error) {
      this.#skip(error, name, launch);
    }
  }

  /** Resolves with all reports so far, after all launches so far are checked. */
  async finished(): Promise<readonly SanitizerReport[]> {
    await this.#work;
    return [...this.#reports.values()];
  }

  async #check(snapshot: Snapshot, launch: number): Promise<void> {
    const { entry } = snapshot.facts;
    const contents = await snapshot.memory;
    // Let the page run other tasks between two launches.
    await new Promise((resolve) => setTimeout(resolve));
    try {
      const { launch: made, module } = toLaunch(snapshot, contents, entry.name);
      const { maxSteps = defaultSteps } = this.#options;
      const result = interpret(module, made, { sanitize: true, seed, maxSteps });
      this.#report(result, module.source, entry.name, launch);
    } catch (error) {
      this.#skip(error, entry.name, launch);
    }
  }

  #report({ status, findings, diagnostics }: InterpretResult, source: Source, kernel: string, launch: number): void {
    for (const finding of findings) this.#add(reportOf(finding, source, kernel, launch));
    if (status !== 'unsupported') return;
    const message = diagnostics.map((diagnostic) => diagnostic.message).join('; ');
    this.#add(plainReport(`the reference does not support it: ${message}`, kernel, launch));
  }

  /** Reports a launch that cannot be checked. Throws any other error again. */
  #skip(error: unknown, kernel: string, launch: number): void {
    if (!(error instanceof Unrecordable || error instanceof LaunchError)) throw error;
    this.#add(plainReport(error.message, kernel, launch));
  }

  /** Reports a problem, unless an equal report about the kernel exists. */
  #add(report: SanitizerReport): void {
    const { kind, kernel, message, finding, place } = report;
    const where = finding ? `${finding.code} ${place?.file}:${place?.line}:${place?.column}` : message;
    const key = `${kind} ${kernel} ${where}`;
    if (this.#reports.has(key)) return;
    this.#reports.set(key, report);
    const { onReport = ({ text }) => console.warn(text) } = this.#options;
    onReport(report);
  }
}

function plainReport(message: string, kernel: string, launch: number): SanitizerReport {
  const text = `${kernel}, launch ${launch}: not checked by the sanitizer: ${message}`;
  return { kind: 'skipped', kernel, launch, message, finding: undefined, place: undefined, text };
}

function reportOf(finding: Finding, source: Source, kernel: string, launch: number): SanitizerReport {
  const { start } = finding.span;
  const origin = originOf(source, start);
  const { line, column } = origin ?? positionOf(source, start);
  return {
    kind: finding.code === 'RUN014' ? 'unfinished' : 'finding',
    kernel,
    launch,
    message: demangledText(finding.message),
    finding,
    place: { file: origin?.file ?? source.file, line, column },
    text: `${kernel}, launch ${launch}:\n${renderDiagnostic(source, findingDiagnostic(finding), { color: false })}`,
  };
}
