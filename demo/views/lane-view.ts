// Steps through the run on the reference: shows the instruction, its controls, the picture and the
// table.
import { laneNames } from '../../src/cpu-ref/interpreter/state/findings.ts';
import { printInstruction } from '../../src/ptx/index.ts';
import type { ShownTrace } from '../compiler/pack-trace.ts';
import { byId, choice, el } from '../dom.ts';
import type { Edit } from '../program/edit-operands.ts';
import { clip } from '../program/limits.ts';
import type { Program } from '../program/program.ts';
import { type Scene, sceneOf } from '../program/scene.ts';
import type { TraceStep } from '../program/trace.ts';
import type { AppState, Format, Store } from '../state.ts';
import { KnobsView } from './knobs-view.ts';
import { laneFigure } from './lane-figure.ts';
import { renderLaneTable } from './lane-table.ts';
import { rowHelp } from './row-help.ts';

const formats: readonly (readonly [Format, string])[] = [
  ['auto', "the register's type"],
  ['unsigned', 'unsigned'],
  ['signed', 'signed'],
  ['hex', 'hexadecimal'],
  ['float', 'f32'],
];

/** The maximum number of characters of the instruction that are shown above the picture. */
const maxInstruction = 300;

export class LaneView {
  readonly #store: Store;
  readonly #onEdit: (edit: Edit) => void;
  readonly #knobs = new KnobsView(byId('knobs'));
  #selected: number | undefined;
  #program: Program | undefined;
  #trace: ShownTrace | undefined;

  constructor(store: Store, onEdit: (edit: Edit) => void) {
    this.#store = store;
    this.#onEdit = onEdit;
    const go = (where: (step: number, last: number) => number) => () => {
      const last = (this.#trace?.length ?? 1) - 1;
      store.set({ step: Math.min(Math.max(where(this.at, last), 0), Math.max(last, 0)) });
    };
    byId('step-first').addEventListener(
      'click',
      go(() => 0),
    );
    byId('step-back').addEventListener(
      'click',
      go((step) => step - 1),
    );
    byId('step-on').addEventListener(
      'click',
      go((step) => step + 1),
    );
    byId('step-last').addEventListener(
      'click',
      go((_, last) => last),
    );
    const range = byId('step-range');
    range.addEventListener('input', () => {
      if (range instanceof HTMLInputElement) store.set({ step: Number(range.value) });
    });
  }

  /** The index of the shown step. If the index in the state is too large, this is the last step. */
  get at(): number {
    return Math.min(this.#store.state.step, Math.max((this.#trace?.length ?? 1) - 1, 0));
  }

  /** The shown step. */
  get step(): TraceStep | undefined {
    return this.#trace?.at(this.at);
  }

  /**
   * Sets whether the shown program belongs to the editor's text. Until it does, the controls keep
   * their settings.
   */
  setCurrent(isCurrent: boolean): void {
    this.#knobs.setCurrent(isCurrent);
  }

  /**
   * Shows the current step of a trace. `text` is the source of the program. If there is no program,
   * the last picture remains and is marked as old.
   */
  render(program: Program | undefined, trace: ShownTrace | undefined, text: string): void {
    byId('lanes-body').classList.toggle('stale', program === undefined && this.#trace !== undefined);
    if (!program) return this.#knobs.render(undefined);
    this.#program = program;
    this.#trace = trace;
    const { state } = this.#store;
    const { step } = this;
    this.#stepper(text);
    this.#options(state);
    const onEdit = this.#onEdit;
    this.#knobs.render(program && step ? { text, program, step, onEdit } : undefined);
    this.#picture(step, state.format);
  }

  #stepper(text: string): void {
    const length = this.#trace?.length ?? 0; // There may be no trace yet.
    const at = this.at;
    const range = byId('step-range');
    if (range instanceof HTMLInputElement) {
      range.max = String(Math.max(length - 1, 0));
      range.value = String(at);
      range.disabled = length < 2;
    }
    for (const [id, disabled] of [
      ['step-first', at === 0],
      ['step-back', at === 0],
      ['step-on', at >= length - 1],
      ['step-last', at >= length - 1],
    ] as const) {
      const button = byId(id);
      // Do not use `disabled`, because the button would lose the keyboard focus at the last step.
      button.setAttribute('aria-disabled', String(disabled));
    }
    const { step } = this;
    const count = `${length}${this.#trace?.cut ? ' shown' : ''}`;
    byId('step-count').textContent = length === 0 ? 'no steps' : `step ${at + 1} of ${count}`;
    byId('step-text').replaceChildren(
      ...(step
        ? [
            el('code', {}, clip(printInstruction({ span: step }, { file: '', text }), maxInstruction)),
            el('details', { class: 'about' }, el('summary', {}, 'description'), rowHelp(step.instruction.row)),
          ]
        : []),
    );
  }

  #options({ format, cta, warp }: AppState): void {
    const root = byId('lane-options');
    if (root.contains(document.activeElement)) return;
    // There may be no program yet.
    const { block, grid } = this.#program?.launch ?? { block: [1, 1, 1], grid: [1, 1, 1] };
    const warps = Math.ceil((block[0] * block[1] * block[2]) / 32);
    const blocks = grid[0] * grid[1] * grid[2];
    const isModule = this.#program?.dialect === 'module';
    const positions = Array.from({ length: blocks }, (_, index) => {
      const [x, y] = [index % grid[0], Math.floor(index / grid[0]) % grid[1]];
      return [String(index), `(${x}, ${y}, ${Math.floor(index / (grid[0] * grid[1]))})`] as const;
    });
    const list = Array.from({ length: warps }, (_, index) => [String(index), `warp ${index}`] as const);
    root.replaceChildren(
      choice('Values as', formats, format, (value) =>
        this.#store.set({ format: formats.find(([key]) => key === value)?.[0] ?? 'auto' }),
      ),
      ...(isModule && blocks > 1
        ? [choice('Block', positions, String(cta), (value) => this.#store.set({ cta: Number(value), step: 0 }))]
        : []),
      ...(isModule && warps > 1
        ? [choice('Warp', list, String(warp), (value) => this.#store.set({ warp: Number(value), step: 0 }))]
        : []),
    );
  }

  #picture(step: TraceStep | undefined, format: Format): void {
    const figure = byId('figure');
    const table = byId('lane-table');
    if (!step) {
      byId('lane-summary').textContent = this.#trace?.error ?? '';
      figure.replaceChildren();
      table.replaceChildren();
      return;
    }
    const scene = sceneOf(step);
    const summary = describe(scene);
    byId('lane-summary').textContent = summary;
    const onSelect = (lane: number | undefined): void => {
      this.#selected = lane;
      this.#picture(this.step, this.#store.state.format);
    };
    const scroll = figure.querySelector('.figure-scroll')?.scrollLeft ?? 0;
    figure.replaceChildren(laneFigure({ scene, format, summary, selected: this.#selected, onSelect }));
    figure.querySelector('.figure-scroll')?.scrollTo({ left: scroll, behavior: 'instant' });
    renderLaneTable(table, scene, format, this.#selected, onSelect);
  }
}

const maskWhere = (scene: Scene, test: (facts: Scene['lanes'][number]) => boolean): number =>
  scene.lanes.reduce((mask, facts) => (test(facts) ? mask | (1 << facts.lane) : mask), 0) >>> 0;

/** Describes the picture in words. */
function describe(scene: Scene): string {
  const running = maskWhere(scene, ({ executes }) => executes);
  const parts = [
    running === 0xffffffff
      ? 'All 32 lanes execute it.'
      : running === 0
        ? 'No lane executes it.'
        : `Executed by ${laneNames(running)}.`,
  ];
  if (scene.kind === 'shuffle') {
    const own = maskWhere(scene, ({ inRange }) => inRange === false);
    const across = maskWhere(scene, ({ lane, reads }) => reads !== undefined && reads !== lane);
    const readers =
      across === 0
        ? 'No lane reads'
        : across === 0xffffffff
          ? 'Every lane reads'
          : `${capital(laneNames(across))} read`;
    parts.push(`${readers} from another lane.`);
    if (own !== 0) parts.push(`Out of range, so they keep their own value: ${laneNames(own)}.`);
  }
  if (scene.kind === 'exchange') {
    const groups = new Set(scene.lanes.filter(({ executes }) => executes).map(({ group }) => group));
    parts.push(groups.size === 1 ? 'They act as one group.' : `They form ${groups.size} groups.`);
  }
  const outside = maskWhere(scene, ({ executes, member }) => executes && member === false);
  if (outside !== 0) parts.push(`Not in their own membermask: ${laneNames(outside)}.`);
  const unknown = maskWhere(scene, (facts) => facts.undefined);
  if (unknown !== 0) parts.push(`Undefined by PTX: ${laneNames(unknown)}.`);
  return parts.join(' ');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
