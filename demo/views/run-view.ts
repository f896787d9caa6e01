// Runs the program on this GPU, and marks whether each value agrees with the reference.
import type { LaunchParam } from '../../src/base/launch.ts';
import { scalarFormats } from '../../src/base/scalars.ts';
import type { PtxType } from '../../src/isa/index.ts';
import type { CompilerClient } from '../compiler/client.ts';
import type { ReferenceAnswer } from '../compiler/messages.ts';
import { byId, el, moreNote } from '../dom.ts';
import { formatBits, shorten } from '../format.ts';
import type { GpuClient } from '../gpu/client.ts';
import type { RunReport } from '../gpu/messages.ts';
import { unpackBits } from '../program/inputs.ts';
import { clip, maxNameLength, maxShownBuffers } from '../program/limits.ts';
import type { Program } from '../program/program.ts';
import { hasLane } from '../program/scene.ts';
import type { Store } from '../state.ts';
import { WorkerError } from '../workers/client.ts';
import { adapterText } from './gpu-card.ts';

type Verdict = 'agrees' | 'differs' | 'undefined' | 'unknown' | 'absent';

const marks: Readonly<Record<Verdict, string>> = {
  agrees: '✓',
  differs: '✗',
  undefined: '?',
  unknown: '',
  absent: '–',
};
const words: Readonly<Record<Verdict, string>> = {
  agrees: 'agrees with the reference',
  differs: 'differs from the reference',
  undefined: 'undefined by PTX, not compared',
  unknown: 'not compared',
  absent: 'inactive',
};

/** The maximum number of shown elements of a buffer. */
const maxShown = 256;

export interface RunViewOptions {
  readonly store: Store;
  readonly gpu: GpuClient;
  /** A separate compiler, so edits of the text do not end its work. */
  readonly reference: CompilerClient;
  /** Resolves when the program belongs to the editor's text. */
  readonly settled: () => Promise<void>;
  readonly onReport: (report: RunReport) => void;
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
    // A result of another text, or of other inputs, is marked as old.
    if (this.#last && before !== program)
      for (const id of ['run-result', 'run-status']) byId(id).classList.toggle('stale', this.#last.program !== program);
  }

  /** Shows the last result in another format. */
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
      if (!program) return void status.replaceChildren();
      const { launch } = program;
      const reference = await this.#reference(program);
      const { float } = this.#options.store.state;
      const report = await this.#options.gpu.request('run', { launch, float, reference });
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

  /** Runs on the GPU even if the reference takes too long. */
  async #reference({ launch }: Program): Promise<ReferenceAnswer> {
    try {
      return await this.#options.reference.request('reference', { launch });
    } catch (error) {
      if (!(error instanceof WorkerError) || error.kind !== 'overrun') throw error;
      return { expected: undefined, undefinedMasks: new Map(), problem: error.message };
    }
  }

  #show(report: RunReport, program: Program): void {
    const status = byId('run-status');
    status.className = report.comparison && report.comparison.mismatches === 0 ? 'good' : 'bad';
    status.textContent = verdictText(report);
    const note = [adapterText(report.info), `${report.ms.toFixed(1)} ms`, report.note].filter((text) => text !== '');
    const { format } = this.#options.store.state;
    const outputs = program.launch.params.flatMap((param, index) =>
      isOutput(param, index, report, program) ? [{ param, index }] : [],
    );
    const shown = outputs.slice(0, maxShownBuffers);
    byId('run-result').replaceChildren(
      el('p', { class: 'note' }, note.join(' · ')),
      ...shown.map(({ param, index }) => strip(param, index, report, format, program)),
      ...moreNote(outputs.length - shown.length, 'buffers'),
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

function verdictText({ comparison, problem }: RunReport): string {
  if (!comparison) return `Ran, but the reference has no result to compare with: ${problem}`;
  const { compared, mismatches, undefined: unknown } = comparison;
  const more = unknown > 0 ? ` ${unknown} undefined by PTX, not compared.` : '';
  if (compared === 0) return `Nothing to compare.${more}`;
  if (mismatches === 0) return `All ${compared} values agree with the reference.${more}`;
  return `${mismatches} of ${compared} values differ from the reference.${more}`;
}

/** Returns whether a buffer holds a fragment's results, or the kernel changed it. */
function isOutput(
  param: LaunchParam,
  index: number,
  { outputs }: RunReport,
  { dialect }: Program,
): param is BufferParam {
  if (param.kind !== 'buffer') return false;
  if (dialect !== 'module') return param.data === undefined;
  const after = outputs.get(index);
  return after?.some((byte, at) => byte !== (param.data?.[at] ?? 0)) ?? false;
}

type BufferParam = Extract<LaunchParam, { kind: 'buffer' }>;

function strip(
  param: BufferParam,
  index: number,
  { outputs, expected, undefinedMasks }: RunReport,
  format: Parameters<typeof formatBits>[2],
  program: Program,
): HTMLElement {
  const { bytes } = scalarFormats[param.type];
  const got = outputs.get(index) ?? new Uint8Array();
  const want = expected?.get(index);
  const mask = undefinedMasks.get(index);
  const register = program.outputs.find(
    ({ name }) => param.name === `out_${name.replace(/^%/, '').replace(/\W/g, '_')}`,
  );
  const type: PtxType = register?.type ?? param.type;
  const count = Math.floor(param.bytes / bytes);
  const cells = Array.from({ length: Math.min(count, maxShown) }, (_, at) => {
    const bits = unpackBits(got, at, bytes);
    const wanted = want && unpackBits(want, at, bytes);
    const isUndefined = mask?.subarray(at * bytes, (at + 1) * bytes).some((byte) => byte !== 0) ?? false;
    const absent = register !== undefined && !hasLane(program.runs, at);
    const verdict: Verdict =
      absent && wanted === bits
        ? 'absent'
        : wanted === undefined
          ? 'unknown'
          : isUndefined
            ? 'undefined'
            : wanted === bits
              ? 'agrees'
              : 'differs';
    const text = formatBits(bits, type, format);
    const expects =
      verdict === 'differs' && wanted !== undefined ? `, expected ${formatBits(wanted, type, format)}` : '';
    return el(
      'li',
      {
        class: `outcome ${verdict}`,
        title: `${register ? 'lane' : 'element'} ${at}: ${text}, ${words[verdict]}${expects}`,
      },
      el('span', { class: 'index' }, String(at)),
      el('span', { class: 'value' }, verdict === 'absent' ? '' : shorten(text, 8)),
      el('span', { class: 'mark', role: 'img', 'aria-label': words[verdict] + expects }, marks[verdict]),
    );
  });
  const list = el('ol', { class: 'outcomes' });
  list.append(...cells);
  const rest = count > maxShown ? `, the first ${maxShown} of ${count}` : '';
  return el(
    'section',
    { class: 'strip' },
    el('h3', {}, el('code', {}, clip(register?.name ?? param.name, maxNameLength)), ` ${type}${rest}`),
    list,
  );
}
