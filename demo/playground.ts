// The playground: CUDA, PTX and WGSL side by side, the lanes below.
import { promisedFloats } from '../src/base/float-profile.ts';
import { planFor } from '../src/base/lane-plan.ts';
import type { ClangClient } from './clang/client.ts';
import type { CompilerClient } from './compiler/client.ts';
import { ShownTrace } from './compiler/pack-trace.ts';
import { byId, debounce } from './dom.ts';
import { type CodeView, type MakeCodeView, makePlainView } from './editor/code-view.ts';
import type { GpuClient } from './gpu/client.ts';
import type { GpuInfo } from './gpu/messages.ts';
import type { CudaLines } from './program/cuda-lines.ts';
import type { Edit } from './program/edit-operands.ts';
import { LineFinder } from './program/line-finder.ts';
import { type LineMap, lineMap } from './program/line-map.ts';
import { type Message, pageMessage } from './program/messages.ts';
import type { Program } from './program/program.ts';
import { backOver, nextExecution, runBackTo, runTo, stepOver } from './program/stepping.ts';
import type { Target } from './program/translation.ts';
import type { AppState, Store } from './state.ts';
import { counterView } from './views/counter-view.ts';
import { CudaCompiler } from './views/cuda-compiler.ts';
import { renderInputs } from './views/inputs-view.ts';
import { LaneView } from './views/lane-view.ts';
import { lintOf, messageItems } from './views/message-list.ts';
import { playgroundBar } from './views/playground-bar.ts';
import { RunView } from './views/run-view.ts';
import { copyText, saveText } from './views/save-text.ts';
import { makeSplitter } from './views/splitter.ts';
import { StateView } from './views/state-view.ts';
import { WorkerError } from './workers/client.ts';

/** The time after which a worker that still processes an older text is ended. */
const graceMs = 500;

/** The time without an answer after which the page shows that it waits. */
const quietMs = 400;

/**
 * The messages about the text, by the part that reports them, in the order of the parts' answers.
 */
interface Findings {
  parse: readonly Message[];
  trace: readonly Message[];
  translate: readonly Message[];
}

const noFindings: Findings = { parse: [], trace: [], translate: [] };

type EditorMaker = 'makePtxEditor' | 'makeWgslView' | 'makeCudaView';

export interface PlaygroundClients {
  readonly compiler: CompilerClient;
  /** A separate compiler, so edits of the text do not end a run. */
  readonly reference: CompilerClient;
  readonly gpu: GpuClient;
  readonly clang: ClangClient;
}

export class Playground {
  readonly #store: Store;
  readonly #compiler: CompilerClient;
  #editor: CodeView;
  #wgsl: CodeView;
  readonly #lanes: LaneView;
  readonly #run: RunView;
  #gpu: GpuInfo | undefined;
  /**
   * The revision of the text. It increases with each change that affects the program, and answers
   * about older revisions are dropped.
   */
  #revision = 0;
  /** The revision of the translation, which also depends on the GPU and the plan. */
  #translation = 0;
  /** Whether the page shows results of the current text. The translation may be older. */
  #isCurrent = false;
  /** Resolves when the work in progress is finished. */
  #work: Promise<void> = Promise.resolve();
  #program: Program | undefined;
  #trace: ShownTrace | undefined;
  #findings: Findings = noFindings;
  /** The text of `#program`, `#trace` and `#findings`, and its lines. */
  #text = '';
  #lines = new LineFinder('');
  #map: LineMap = lineMap([]);
  #cudaLines: CudaLines | undefined;
  #cuda: CodeView;
  readonly #cudaCompiler: CudaCompiler;
  #linked: { ptx: readonly number[]; wgsl: readonly number[]; cuda: readonly number[] } = {
    ptx: [],
    wgsl: [],
    cuda: [],
  };
  #breakpoints: ReadonlySet<number> = new Set();
  /** The line of the cursor. */
  #cursor = 1;
  readonly #state: StateView;
  #setting = false;

  constructor(store: Store, { compiler, reference, gpu, clang }: PlaygroundClients, onGpu: (info: GpuInfo) => void) {
    this.#store = store;
    this.#compiler = compiler;
    this.#editor = this.#makeEditor(makePlainView);
    this.#wgsl = this.#makeWgsl(makePlainView);
    this.#cuda = this.#makeCuda(makePlainView);
    this.#cudaCompiler = new CudaCompiler({ store, clang, view: () => this.#cuda });
    this.#state = new StateView({ onJump: (offset) => this.#editor.goTo(offset), onOpen: () => this.#showState() });
    this.#lanes = new LaneView(store, (edit) => this.#edit(edit));
    const settled = (): Promise<void> => this.#work;
    const items = (messages: readonly Message[]): HTMLElement[] => messageItems(messages, ['run'], this.#places);
    this.#run = new RunView({
      store,
      gpu,
      reference,
      settled,
      onReport: ({ info }) => onGpu(info),
      messageItems: items,
      counterView: (counters, measure) => counterView(counters, { ...this.#places, measure }),
    });
    byId('playground-bar').append(...playgroundBar(store));
    makeSplitter();
    this.#makeDebugger();
    byId('wgsl-copy').addEventListener('click', () => void copyText(this.#wgsl.text, byId('wgsl-copied')));
    byId('wgsl-save').addEventListener('click', () =>
      saveText(`${this.#program?.entry ?? 'kernel'}.wgsl`, this.#wgsl.text),
    );
    store.listen((_, changed) => this.#changed(changed));
    this.#analyze();
  }

  /** Replaces the plain text by the editor. */
  useEditor({ makePtxEditor, makeWgslView, makeCudaView }: Readonly<Record<EditorMaker, MakeCodeView>>): void {
    this.#editor = this.#makeEditor(makePtxEditor);
    this.#wgsl = this.#makeWgsl(makeWgslView);
    this.#cuda = this.#makeCuda(makeCudaView);
    this.#cudaCompiler.refresh();
    this.#showMessages();
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
      onClick: (line) => this.#goToExecution([line]),
      onBreakpoints: (lines) => {
        this.#breakpoints = lines;
      },
    });
  }

  #makeCuda(make: MakeCodeView): CodeView {
    const store = debounce(120, () => this.#store.set({ cuda: this.#cuda.text }));
    return make({
      parent: byId('cuda'),
      label: 'CUDA',
      text: this.#cuda?.text ?? this.#store.state.cuda,
      onChange: () => {
        if (!this.#setting) store();
      },
      onLine: (line) => this.#linkFromPtxLines(this.#ptxOfCuda(line)),
      onClick: (line) => this.#goToExecution(this.#ptxOfCuda(line)),
      onSubmit: () => void this.#cudaCompiler.compile(),
    });
  }

  #ptxOfCuda(line: number): number[] {
    return (this.#cudaLines?.lines ?? []).flatMap(({ ptxLine, cudaLine }) => (cudaLine === line ? [ptxLine] : []));
  }

  #cudaOfPtx(line: number): number[] {
    return (this.#cudaLines?.lines ?? []).flatMap(({ ptxLine, cudaLine }) => (ptxLine === line ? [cudaLine] : []));
  }

  #lineOf = (step: number): number => this.#lines.at(this.#trace?.startOf(step) ?? 0).line;

  #makeDebugger(): void {
    type Move = (trace: ShownTrace, at: number) => number | undefined;
    const moves: readonly (readonly [id: string, move: Move, otherwise: string])[] = [
      ['step-over', stepOver, 'the last step'],
      ['back-over', backOver, 'the first step'],
      [
        'run-on',
        (trace, at) =>
          runTo(trace, at, this.#breakpoints, this.#lineOf) ?? (at < trace.length - 1 ? trace.length - 1 : undefined),
        'the last step',
      ],
      [
        'run-back',
        (trace, at) => runBackTo(trace, at, this.#breakpoints, this.#lineOf) ?? (at > 0 ? 0 : undefined),
        'the first step',
      ],
      [
        'run-to',
        (trace, at) => nextExecution(trace, at, new Set([this.#cursor]), this.#lineOf),
        'this warp does not execute the line',
      ],
    ];
    for (const [id, move, otherwise] of moves) {
      byId(id).addEventListener('click', () => {
        const step = this.#trace && move(this.#trace, this.#lanes.at);
        byId('debug-status').textContent = step === undefined ? otherwise : '';
        if (step !== undefined) this.#store.set({ step });
      });
    }
  }

  /** Goes to the next execution of a clicked line, if the warp executes it. */
  #goToExecution(lines: readonly number[]): void {
    if (!this.#trace || !this.#isCurrent) return;
    const step = nextExecution(this.#trace, this.#lanes.at, new Set(lines), this.#lineOf);
    if (step !== undefined) this.#store.set({ step });
  }

  #makeWgsl(make: MakeCodeView): CodeView {
    const text = this.#wgsl?.text ?? '';
    return make({
      parent: byId('wgsl'),
      label: 'WGSL',
      text,
      onLine: (line) => this.#linkFromWgsl(line),
      onClick: (line) => this.#goToExecution(this.#ptxOfWgsl(line)),
    });
  }

  /** Scrolls to the kernel itself, which follows the helpers. */
  #showMain(): void {
    const line = this.#wgsl.text.split('\n').findIndex((text) => text.startsWith('@compute'));
    if (line >= 0) this.#wgsl.show(line + 1, 'start');
  }

  /** Translates to WGSL for the opened GPU. */
  setGpu(info: GpuInfo): void {
    this.#gpu = info;
    // Otherwise, the pending translation already uses this GPU.
    if (this.#isCurrent) this.#begin(this.#translate(this.#revision));
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
    if (changed.has('cuda')) {
      this.#setting = true;
      this.#cuda.setText(this.#store.state.cuda);
      this.#setting = false;
    }
    if (any('text', 'cuda', 'inputs', 'runs', 'entry', 'block', 'grid', 'shared', 'cta', 'warp')) this.#analyze();
    else if (any('plan', 'float') && this.#isCurrent) this.#begin(this.#translate(this.#revision));
    if (changed.has('step')) this.#showStep();
    if (changed.has('format')) {
      renderInputs(byId('inputs'), this.#program, this.#store);
      this.#run.refresh();
      this.#showStep();
    }
  }

  #analyze(): void {
    this.#compiler.supersede(graceMs);
    this.#isCurrent = false;
    this.#lanes.setCurrent(false);
    this.#begin(this.#analysis(++this.#revision));
  }

  /** Shows that work is in progress until all of it is finished. */
  #begin(work: Promise<void>): void {
    const waiting = setTimeout(() => {
      if (this.#work === all) this.#note('working…');
    }, quietMs);
    byId('view-playground').setAttribute('aria-busy', 'true');
    const all = work.finally(() => {
      clearTimeout(waiting);
      if (this.#work === all) byId('view-playground').setAttribute('aria-busy', 'false');
    });
    this.#work = all;
  }

  /** Shows each answer as it arrives. */
  async #analysis(revision: number): Promise<void> {
    const request = { revision, state: this.#store.state };
    const parsed = await this.#ask(() => this.#compiler.request('parse', request));
    if (revision !== this.#revision) return;
    this.#findings = { ...noFindings, parse: parsed.answer?.messages ?? parsed.failure };
    this.#setProgram(parsed.answer?.program);
    if (parsed.answer?.program) this.#setCuda(parsed.answer.cuda);
    this.#showMessages();
    if (!this.#program) {
      this.#isCurrent = true;
      this.#showStep();
      return this.#note(this.#wgsl.text === '' ? '' : 'for the last text without errors');
    }
    const traced = await this.#ask(() => this.#compiler.request('trace', request));
    if (revision !== this.#revision) return;
    this.#trace = traced.answer && new ShownTrace(traced.answer.trace);
    this.#findings = { ...this.#findings, trace: traced.answer?.messages ?? traced.failure };
    this.#isCurrent = true;
    this.#lanes.setCurrent(true);
    this.#showStep();
    await this.#translate(revision);
  }

  #setProgram(program: Program | undefined): void {
    this.#program = program;
    const names = { module: 'module', fragment: 'fragment', sass: 'SASS fragment' };
    byId('dialect').textContent = program ? names[program.dialect] : '';
    if (program) renderInputs(byId('inputs'), program, this.#store);
    this.#run.setProgram(program);
    this.#text = this.#store.state.text;
    this.#lines = new LineFinder(this.#text);
  }

  async #translate(revision: number): Promise<void> {
    const turn = ++this.#translation;
    if (!this.#program) return;
    this.#compiler.supersede(graceMs);
    const request = { revision, state: this.#store.state, target: this.#target() };
    const { answer, failure } = await this.#ask(() => this.#compiler.request('translate', request));
    if (revision !== this.#revision || turn !== this.#translation) return;
    this.#wgsl.setText(answer?.code ?? '');
    this.#note(answer?.note ?? 'not translated');
    this.#findings = { ...this.#findings, translate: answer?.messages ?? failure };
    this.#map = lineMap(answer?.lines ?? []);
    this.#link(this.#linked.ptx);
    const [shown] = this.#linked.wgsl;
    if (shown === undefined) this.#showMain();
    else this.#wgsl.show(shown, 'center');
    this.#showMessages();
  }

  /** Returns the answer, or a message about a worker that failed or was ended. */
  async #ask<T>(request: () => Promise<T>): Promise<{ answer: T | undefined; failure: readonly Message[] }> {
    try {
      return { answer: await request(), failure: [] };
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      if (error.kind === 'superseded') return { answer: undefined, failure: [] };
      const isLate = error.kind === 'overrun';
      const text = isLate ? `${error.message} The text is kept.` : `This is a fault of the page: ${error.message}`;
      return { answer: undefined, failure: [pageMessage(isLate ? 'PAGE004' : 'PAGE005', text)] };
    }
  }

  #note(text: string): void {
    byId('plan-note').textContent = text;
  }

  #target(): Target {
    const { plan, float: mode } = this.#store.state;
    const measured = this.#gpu?.profile ?? promisedFloats;
    const own = this.#gpu?.report.lanePlan ?? planFor(32);
    return { plan: plan === 'auto' ? own : planFor(Number(plan)), float: { ...measured, mode } };
  }

  #showMessages(): void {
    const { parse, trace, translate } = this.#findings;
    const messages = [...parse, ...trace, ...translate];
    this.#editor.setLint(lintOf(messages));
    byId('diagnostics').replaceChildren(...messageItems(messages, ['text', 'page'], this.#places));
    byId('findings').replaceChildren(...messageItems(messages, ['run'], this.#places));
  }

  get #places() {
    return { lines: this.#lines, onJump: (offset: number) => this.#editor.goTo(offset) };
  }

  #setCuda(cuda: CudaLines | undefined): void {
    this.#cudaLines = cuda;
    const isPasted = this.#store.state.cuda !== '';
    const unlinked = isPasted ? 'compile it to link its lines with the PTX' : '';
    const paste = `paste ${cuda?.file} here: its lines are linked with the PTX`;
    byId('cuda-note').textContent = cuda === undefined ? unlinked : isPasted ? cuda.file : paste;
  }

  #showStep(): void {
    this.#lanes.render(this.#program, this.#trace, this.#text);
    // Steps of an earlier text do not have a place in this one.
    const step = this.#program && this.#lanes.step;
    if (step && this.#store.state.step > 0) {
      const { line } = this.#lines.at(step.start);
      this.#editor.show(line);
      const [cuda] = this.#cudaOfPtx(line);
      if (cuda !== undefined) this.#cuda.show(cuda);
    }
    this.#mark();
    this.#state.renderLanes(step);
    this.#showState();
  }

  /** Shows registers and memory, if the user has opened them. */
  #showState(): void {
    const [program, trace, at] = [this.#program, this.#trace, this.#lanes.at];
    const { registers, state } = this.#state.wants;
    if (!program || !trace || !this.#isCurrent || trace.length === 0) return;
    const { format } = this.#store.state;
    if (registers) this.#state.renderRegisters(trace.registersAt(at), trace.typesAt(at), format);
    if (!state) return;
    const request = { revision: this.#revision, state: this.#store.state, step: at };
    void this.#ask(() => this.#compiler.request('inspect', request)).then(({ answer }) => {
      const isLatest = request.revision === this.#revision && at === this.#lanes.at;
      if (isLatest) this.#state.renderState(answer, program, this.#lines, format);
    });
  }

  #mark(): void {
    const step = this.#program && this.#lanes.step;
    const line = step && this.#lines.at(step.start).line;
    this.#editor.setMarks({ linked: this.#linked.ptx, step: line });
    this.#wgsl.setMarks({ linked: this.#linked.wgsl, step: undefined });
    const cuda = line === undefined ? undefined : this.#cudaOfPtx(line)[0];
    this.#cuda.setMarks({ linked: this.#linked.cuda, step: cuda });
  }

  #linkFromPtx(line: number): void {
    this.#cursor = line;
    this.#linkFromPtxLines([line]);
  }

  #linkFromPtxLines(lines: readonly number[]): void {
    this.#link(lines);
    const [first] = this.#linked.wgsl;
    if (first !== undefined) this.#wgsl.show(first, 'center');
  }

  #link(lines: readonly number[]): void {
    const wgsl = lines.flatMap((line) => this.#map.toWgsl.get(line) ?? []); // Absent: a line without code.
    const cuda = lines.flatMap((line) => this.#cudaOfPtx(line));
    this.#linked = { ptx: wgsl.length + cuda.length > 0 ? lines : [], wgsl, cuda };
    this.#mark();
    const [shown] = cuda;
    if (shown !== undefined) this.#cuda.show(shown);
  }

  #ptxOfWgsl(line: number): number[] {
    const ptx = this.#map.toPtx.get(line);
    return ptx === undefined ? [] : [ptx];
  }

  #linkFromWgsl(line: number): void {
    const lines = this.#ptxOfWgsl(line);
    this.#link(lines);
    const [ptx] = lines;
    if (ptx !== undefined) this.#editor.show(ptx);
  }
}
