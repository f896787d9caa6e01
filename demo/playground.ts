// The playground: text on the left, WGSL on the right, what the lanes do below.

import type { FloatProfile } from '../src/base/float-profile.ts';
import { type LanePlan, planFor } from '../src/base/lane-plan.ts';
import { positionOf } from '../src/ptx/index.ts';
import { translate, type WgslProgram } from '../src/translate/index.ts';
import { byId, choice, debounce, el } from './dom.ts';
import { type CodeView, type Lint, type MakeCodeView, makePlainView } from './editor/code-view.ts';
import { exampleItems } from './examples.ts';
import type { GpuClient } from './gpu/client.ts';
import type { GpuInfo } from './gpu/messages.ts';
import type { Edit } from './program/edit-operands.ts';
import { type LineMap, mapLines } from './program/line-map.ts';
import { type Message, messagesOf } from './program/messages.ts';
import { analyze, type Program } from './program/program.ts';
import { type Trace, traceProgram } from './program/trace.ts';
import type { AppState, Store } from './state.ts';
import { renderInputs } from './views/inputs-view.ts';
import { LaneView } from './views/lane-view.ts';
import { RunView } from './views/run-view.ts';

const plans: readonly (readonly [AppState['plan'], string])[] = [
  ['auto', "this GPU's"],
  ['32', 'subgroups of 32 (native)'],
  ['64', 'subgroups of 64 (wide)'],
  ['128', 'subgroups of 128 (wide)'],
  ['16', 'subgroups of 16 (narrow)'],
  ['8', 'subgroups of 8 (narrow)'],
  ['4', 'subgroups of 4 (narrow)'],
  ['0', 'no subgroups (portable)'],
];

/// Without a GPU that was measured: the arithmetic that WGSL promises at least.
const weakestFloats = { denormals: 'flushed', fma: 'unfused', contracts: true, div: 'approx', sqrt: 'approx' } as const;

export class Playground {
  readonly #store: Store;
  #editor: CodeView;
  #wgsl: CodeView;
  readonly #lanes: LaneView;
  readonly #run: RunView;
  #gpu: GpuInfo | undefined;
  #program: Program | undefined;
  #trace: Trace | undefined;
  #map: LineMap = { toWgsl: new Map(), toPtx: new Map() };
  #linked: { ptx: readonly number[]; wgsl: readonly number[] } = { ptx: [], wgsl: [] };
  #setting = false;
  #lint: readonly Lint[] = [];

  constructor(store: Store, client: GpuClient, onGpu: (info: GpuInfo) => void) {
    this.#store = store;
    this.#editor = this.#makeEditor(makePlainView);
    this.#wgsl = this.#makeWgsl(makePlainView);
    this.#lanes = new LaneView(store, (edit) => this.#edit(edit));
    this.#run = new RunView(store, client, ({ info }) => onGpu(info));
    this.#bar();
    store.listen((_, changed) => this.#changed(changed));
    this.#analyze();
  }

  /// Puts the editor where the plain text stood.
  useEditor({ makePtxEditor, makeWgslView }: { makePtxEditor: MakeCodeView; makeWgslView: MakeCodeView }): void {
    this.#editor = this.#makeEditor(makePtxEditor);
    this.#wgsl = this.#makeWgsl(makeWgslView);
    this.#editor.setLint(this.#lint);
    this.#showMain();
    this.#mark();
  }

  #makeEditor(make: MakeCodeView): CodeView {
    const quietly = debounce(120, () => this.#store.set({ text: this.#editor.text }));
    return make({
      parent: byId('ptx'),
      label: 'PTX',
      text: this.#editor?.text ?? this.#store.state.text,
      onChange: () => {
        if (!this.#setting) quietly();
      },
      onLine: (line) => this.#linkFromPtx(line),
    });
  }

  #makeWgsl(make: MakeCodeView): CodeView {
    const text = this.#wgsl?.text ?? '';
    return make({ parent: byId('wgsl'), label: 'WGSL', text, onLine: (line) => this.#linkFromWgsl(line) });
  }

  /// The kernel itself: helpers stand before it.
  #showMain(): void {
    const line = this.#wgsl.text.split('\n').findIndex((text) => text.startsWith('@compute'));
    if (line >= 0) this.#wgsl.show(line + 1, 'start');
  }

  /// Writes the WGSL for the GPU that was opened.
  setGpu(info: GpuInfo): void {
    this.#gpu = info;
    this.#translate();
  }

  #bar(): void {
    const { state } = this.#store;
    const menu = el('select', { id: 'examples', onchange: () => void this.#load(menu.value) });
    menu.append(el('option', { value: '' }, 'Examples…'));
    for (const group of new Set(exampleItems.map((item) => item.group))) {
      const list = el('optgroup', { label: group });
      for (const { id, title } of exampleItems.filter((item) => item.group === group))
        list.append(el('option', { value: id }, title));
      menu.append(list);
    }
    const plan = choice('WGSL for', plans, state.plan, (value) =>
      this.#store.set({ plan: plans.find(([key]) => key === value)?.[0] ?? 'auto' }),
    );
    const floats = choice(
      'f32',
      [
        ['exact', 'exact'],
        ['fast', 'as fast as the GPU has it'],
      ],
      state.float,
      (value) => this.#store.set({ float: value === 'fast' ? 'fast' : 'exact' }),
    );
    byId('playground-bar').append(el('label', { class: 'field' }, el('span', {}, 'Start from'), menu), plan, floats);
  }

  async #load(id: string): Promise<void> {
    const example = exampleItems.find((item) => item.id === id);
    if (example) this.#store.set(await example.load());
  }

  #edit(edit: Edit): void {
    this.#setting = true;
    this.#editor.edit(edit);
    this.#setting = false;
    this.#store.set({ text: this.#editor.text });
  }

  #changed(changed: ReadonlySet<keyof AppState>): void {
    const any = (...keys: (keyof AppState)[]): boolean => keys.some((key) => changed.has(key));
    if (changed.has('text')) {
      this.#setting = true;
      this.#editor.setText(this.#store.state.text);
      this.#setting = false;
    }
    if (any('text', 'inputs', 'runs', 'entry', 'block', 'grid', 'warp')) this.#analyze();
    else if (any('plan', 'float')) this.#translate();
    if (changed.has('step')) this.#showStep();
    if (changed.has('format')) {
      renderInputs(byId('inputs'), this.#program, this.#store);
      this.#run.refresh();
      this.#showStep();
    }
  }

  #analyze(): void {
    const { state } = this.#store;
    const { diagnostics, program } = analyze(state);
    this.#program = program;
    this.#trace = program && traceProgram(program, state.warp);
    const names = { module: 'module', fragment: 'fragment', sass: 'SASS fragment' };
    byId('dialect').textContent = program ? names[program.dialect] : '';
    if (program) renderInputs(byId('inputs'), program, this.#store);
    this.#run.setProgram(program);
    const messages = messagesOf(diagnostics, program, this.#trace);
    const fromTranslator = this.#translate();
    this.#showMessages([...messages, ...fromTranslator]);
    this.#showStep();
  }

  #translate(): readonly Message[] {
    const program = this.#program;
    const note = byId('plan-note');
    if (!program) {
      note.textContent = this.#wgsl.text === '' ? '' : 'of the last text without errors';
      return [];
    }
    const { plan, float } = this.#floats();
    const { block, grid } = program.launch;
    const result = translate(program.kernel, { entry: program.entry, block, grid, plan, float });
    this.#wgsl.setText(result.program?.code ?? '');
    note.textContent = result.program ? planNote(result.program) : 'not translated';
    this.#map = mapLines(this.#store.state.text, result.program?.code ?? '');
    const [line] = this.#linked.ptx;
    const wgsl = line === undefined ? [] : (this.#map.toWgsl.get(line) ?? []);
    this.#linked = { ptx: line === undefined || wgsl.length === 0 ? [] : [line], wgsl };
    if (wgsl[0] === undefined) this.#showMain();
    else this.#wgsl.show(wgsl[0], 'center');
    this.#mark();
    return messagesOf(result.diagnostics, program, undefined);
  }

  #floats(): { plan: LanePlan; float: FloatProfile } {
    const { plan, float: mode } = this.#store.state;
    const measured = this.#gpu?.profile ?? weakestFloats;
    const own = this.#gpu?.report.lanePlan ?? planFor(32);
    return { plan: plan === 'auto' ? own : planFor(Number(plan)), float: { ...measured, mode } };
  }

  #showMessages(messages: readonly Message[]): void {
    this.#lint = messages.map(({ from, to, severity, code, text, hint }) => {
      const message = hint === undefined ? text : `${text}\n${hint}`;
      return { from, to, severity, source: code, message };
    });
    this.#editor.setLint(this.#lint);
    const source = { file: '', text: this.#store.state.text };
    const items = (kind: Message['origin']): HTMLElement[] =>
      messages
        .filter(({ origin }) => origin === kind)
        .map(({ from, severity, code, text, hint }) => {
          const { line, column } = positionOf(source, from);
          const jump = el(
            'button',
            { type: 'button', class: 'link', onclick: () => this.#editor.goTo(from) },
            `${line}:${column}`,
          );
          const name = severity === 'error' ? 'Error' : 'Warning';
          return el(
            'li',
            { class: severity },
            jump,
            ` ${name} ${code}: ${text}`,
            hint !== undefined && el('div', { class: 'hint' }, hint),
          );
        });
    byId('diagnostics').replaceChildren(...items('text'));
    byId('findings').replaceChildren(...items('run'));
  }

  #showStep(): void {
    this.#lanes.render(this.#program, this.#trace);
    // Steps of an earlier text have no place in this one.
    const step = this.#program && this.#lanes.step;
    if (step && this.#store.state.step > 0) this.#editor.show(this.#lineAt(step.start));
    this.#mark();
  }

  #lineAt(offset: number): number {
    return positionOf({ file: '', text: this.#store.state.text }, offset).line;
  }

  #mark(): void {
    const step = this.#program && this.#lanes.step;
    this.#editor.setMarks({ linked: this.#linked.ptx, step: step && this.#lineAt(step.start) });
    this.#wgsl.setMarks({ linked: this.#linked.wgsl, step: undefined });
  }

  #linkFromPtx(line: number): void {
    const wgsl = this.#map.toWgsl.get(line) ?? [];
    this.#linked = { ptx: wgsl.length > 0 ? [line] : [], wgsl };
    this.#mark();
    const [first] = wgsl;
    if (first !== undefined) this.#wgsl.show(first, 'center');
  }

  #linkFromWgsl(line: number): void {
    const ptx = this.#map.toPtx.get(line);
    this.#linked = ptx === undefined ? { ptx: [], wgsl: [] } : { ptx: [ptx], wgsl: this.#map.toWgsl.get(ptx) ?? [] };
    this.#mark();
    if (ptx !== undefined) this.#editor.show(ptx);
  }
}

function planNote({ plan, mode, reason }: WgslProgram): string {
  const size = plan.kind === 'portable' ? 'without subgroups' : `subgroups of ${plan.subgroupSize}`;
  const why = mode === 'dispatch' && reason !== undefined ? `, dispatched: ${reason}` : '';
  return `${plan.kind} plan, ${size}${why}`;
}
