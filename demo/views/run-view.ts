// Runs the program on the GPU, and marks whether each value agrees with that of the reference.

import type { ShownCounter } from '../../src/harness/executors/shown-counters.ts';
import type { CompilerClient } from '../compiler/client.ts';
import type { ReferenceAnswer } from '../compiler/messages.ts';
import { byId, el, moreNote } from '../dom.ts';
import type { GpuClient } from '../gpu/client.ts';
import type { MeasuredTime, RunReport } from '../gpu/messages.ts';
import { maxShownBuffers } from '../program/limits.ts';
import { type Message, runMessages } from '../program/messages.ts';
import type { Program } from '../program/program.ts';
import { verdictOf } from '../program/verdict.ts';
import type { Store } from '../state.ts';
import { WorkerError } from '../workers/client.ts';
import { bufferView } from './buffer-view.ts';
import { adapterText } from './gpu-card.ts';

export interface RunViewOptions {
  readonly store: Store;
  readonly gpu: GpuClient;
  /** A separate compiler, so that edits of the text do not end its work. */
  readonly reference: CompilerClient;
  /** Resolves when the program belongs to the editor's text. */
  readonly settled: () => Promise<void>;
  /** Returns an explanation of why there is no program. */
  readonly problem: () => string;
  readonly onReport: (report: RunReport) => void;
  /** Creates list items with links to the lines of the text. */
  readonly messageItems: (messages: readonly Message[]) => readonly HTMLElement[];
  readonly counterView: (counters: readonly ShownCounter[], measure: () => Promise<MeasuredTime>) => HTMLElement;
}

export class RunView {
  readonly #options: RunViewOptions;
  #program: Program | undefined;
  #last: { report: RunReport; program: Program } | undefined;
  #running = false;

  constructor(options: RunViewOptions) {
    this.#options = options;
    byId('run').addEventListener('click', () => void this.run());
  }

  setProgram(program: Program | undefined): void {
    const before = this.#program;
    this.#program = program;
    byId('run').setAttribute('aria-disabled', String(!program));
    // Mark the last result as old if the text or the inputs have changed since the run.
    if (this.#last && before !== program)
      for (const id of ['run-result', 'run-status']) byId(id).classList.toggle('stale', this.#last.program !== program);
  }

  /** Shows the last result again, in the current format. */
  refresh(): void {
    if (this.#last) this.#show(this.#last.report, this.#last.program);
  }

  async run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    const status = byId('run-status');
    status.className = '';
    status.textContent = 'Running…';
    try {
      await this.#options.settled();
      const program = this.#program;
      if (!program) {
        status.className = 'bad';
        status.textContent = this.#options.problem();
        return;
      }
      const { launch } = program;
      const reference = await this.#reference(program);
      const { float } = this.#options.store.state;
      const report = await this.#options.gpu.request('run', { launch, float, reference }, (text) => {
        status.textContent = text;
      });
      this.#last = { report, program };
      this.#options.onReport(report);
      this.#show(report, program);
      byId('run-result').classList.toggle('stale', this.#program !== program);
    } catch (error) {
      status.className = 'bad';
      status.textContent = failureText(error);
      byId('run-result').replaceChildren();
    } finally {
      this.#running = false;
    }
  }

  /**
   * Runs the program on the reference. If the reference takes too long, returns an answer without
   * outputs, so that the GPU can still run it.
   */
  async #reference({ launch, prefix }: Program): Promise<ReferenceAnswer> {
    try {
      return await this.#options.reference.request('reference', { launch, prefix });
    } catch (error) {
      if (!(error instanceof WorkerError) || error.kind !== 'overrun') throw error;
      const nothing = new Map();
      return {
        expected: undefined,
        undefinedMasks: nothing,
        writers: nothing,
        problem: error.message,
        findings: [],
        counters: [],
      };
    }
  }

  #measure({ launch }: Program): Promise<MeasuredTime> {
    return this.#options.gpu.request('measure', { launch, float: this.#options.store.state.float });
  }

  #show(report: RunReport, program: Program): void {
    const { comparison, problem, written, findings } = report;
    const elements = [...written.values()].reduce((sum, marks) => sum + marks.filter((mark) => mark !== 0).length, 0);
    const { tolerance, conflicting } = program;
    const verdict = verdictOf({ comparison, problem, written: elements, findings, conflicting, tolerance });
    const status = byId('run-status');
    status.className = `verdict-${verdict.kind}`;
    status.replaceChildren(el('strong', {}, `${verdict.title}.`), ` ${verdict.text}`);
    const note = [adapterText(report.info), `${report.ms.toFixed(1)} ms`, report.note].filter((text) => text !== '');
    const { format } = this.#options.store.state;
    const buffers = program.launch.params.flatMap((param, index) => {
      const marks = written.get(index);
      return param.kind === 'buffer' && marks ? [{ param, index, marks }] : [];
    });
    const shown = buffers.slice(0, maxShownBuffers);
    const messages = this.#options.messageItems(runMessages(findings, program.prefix));
    byId('run-result').replaceChildren(
      ...(messages.length === 0
        ? []
        : [el('ul', { class: 'messages', 'aria-label': 'Findings of the run' }, ...messages)]),
      el('p', { class: 'note' }, note.join(' · ')),
      ...shown.map((buffer) => bufferView(buffer, report, format, program)),
      ...moreNote(buffers.length - shown.length, 'buffers'),
      ...(report.counters.length === 0
        ? []
        : [this.#options.counterView(report.counters, () => this.#measure(program))]),
    );
  }
}

function failureText(error: unknown): string {
  if (!(error instanceof WorkerError)) return error instanceof Error ? error.message : String(error);
  if (error.kind === 'lost') return `The GPU device was lost: ${error.message}. Run again to open a new one.`;
  if (error.kind === 'timeout' || error.kind === 'overrun')
    return `${error.message}. The next run opens a new device; the text is kept.`;
  return error.message;
}
