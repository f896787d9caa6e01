// The playground: CUDA, PTX and WGSL next to each other, and the lanes below.
import { promisedFloats } from '../src/base/float-profile.ts';
import { planFor } from '../src/base/lane-plan.ts';
import type { ClangClient } from './clang/client.ts';
import type { CompilerClient } from './compiler/client.ts';
import { ShownTrace } from './compiler/pack-trace.ts';
import { byId } from './dom.ts';
import type { GpuClient } from './gpu/client.ts';
import type { GpuInfo } from './gpu/messages.ts';
import type { CudaLines } from './program/cuda-lines.ts';
import { LineFinder } from './program/line-finder.ts';
import { type Message, pageMessage } from './program/messages.ts';
import type { Program } from './program/program.ts';
import { runProblem } from './program/run-problem.ts';
import { nextExecution } from './program/stepping.ts';
import type { Target } from './program/translation.ts';
import type { AppState, Store } from './state.ts';
import { CodePanes, type EditorMakers } from './views/code-panes.ts';
import { counterView } from './views/counter-view.ts';
import { CudaCompiler } from './views/cuda-compiler.ts';
import { makeDebugBar } from './views/debug-bar.ts';
import { renderInputs } from './views/inputs-view.ts';
import { LaneView } from './views/lane-view.ts';
import { lintOf, messageItems } from './views/message-list.ts';
import { playgroundBar } from './views/playground-bar.ts';
import { ProgramConsole } from './views/program-console.ts';
import { RunView } from './views/run-view.ts';
import { copyText, saveText } from './views/save-text.ts';
import { makeSplitter } from './views/splitter.ts';
import { StateView } from './views/state-view.ts';
import type { ProgramClient } from './whole-program/client.ts';
import { WorkerError } from './workers/client.ts';

/**
 * The time in milliseconds that a worker may still process an older text before the page ends it.
 */
const graceMs = 500;

/** The time in milliseconds after which the page shows that it waits for an answer. */
const quietMs = 400;

/**
 * The messages about the text, by the request that reports them. The requests are in the order of
 * their answers.
 */
interface Findings {
  parse: readonly Message[];
  trace: readonly Message[];
  translate: readonly Message[];
}

const noFindings: Findings = { parse: [], trace: [], translate: [] };

export interface PlaygroundClients {
  readonly compiler: CompilerClient;
  /** The compiler for runs, which is separate so that edits of the text do not end a run. */
  readonly reference: CompilerClient;
  readonly gpu: GpuClient;
  readonly clang: ClangClient;
  readonly program: ProgramClient;
}

export class Playground {
  readonly #store: Store;
  readonly #compiler: CompilerClient;
  readonly #panes: CodePanes;
  readonly #lanes: LaneView;
  readonly #run: RunView;
  #gpu: GpuInfo | undefined;
  /**
   * The revision of the text. The revision increases with each change that affects the program.
   * Answers about older revisions are ignored.
   */
  #revision = 0;
  /** The revision of the translation, which also depends on the GPU and the plan. */
  #translation = 0;
  /** Whether the shown results are those of the current text. The translation may be older. */
  #isCurrent = false;
  /** Resolves when the work in progress has finished. */
  #work: Promise<void> = Promise.resolve();
  #program: Program | undefined;
  #trace: ShownTrace | undefined;
  #findings: Findings = noFindings;
  /** The text to which `#program`, `#trace` and `#findings` belong, and its lines. */
  #text = '';
  #lines = new LineFinder('');
  readonly #cudaCompiler: CudaCompiler;
  readonly #console: ProgramConsole;
  readonly #state: StateView;

  constructor(
    store: Store,
    { compiler, reference, gpu, clang, program }: PlaygroundClients,
    onGpu: (info: GpuInfo) => void,
  ) {
    this.#store = store;
    this.#compiler = compiler;
    this.#panes = new CodePanes({
      store,
      onClick: (lines) => this.#goToExecution(lines),
      onSubmit: () => void this.#cudaCompiler.compile(),
    });
    this.#cudaCompiler = new CudaCompiler({
      store,
      clang,
      view: () => this.#panes.cuda,
      onLoaded: () => this.#console.refresh(),
    });
    const readTexts = (): void => this.#panes.readTexts();
    this.#console = new ProgramConsole({ store, compiler: this.#cudaCompiler, program, readTexts });
    this.#state = new StateView({ onJump: (offset) => this.#panes.goTo(offset), onOpen: () => this.#showState() });
    this.#lanes = new LaneView(store, (edit) => store.set({ text: this.#panes.editPtx(edit) }));
    const settled = (): Promise<void> => {
      this.#panes.readTexts();
      return this.#work;
    };
    const items = (messages: readonly Message[]): HTMLElement[] => messageItems(messages, ['run'], this.#places);
    this.#run = new RunView({
      store,
      gpu,
      reference,
      settled,
      problem: () => runProblem(store.state, this.#findings.parse),
      onReport: ({ info }) => onGpu(info),
      messageItems: items,
      counterView: (counters, measure) => counterView(counters, { ...this.#places, measure }),
    });
    byId('playground-bar').append(...playgroundBar(store));
    makeSplitter();
    makeDebugBar({
      trace: () => this.#trace,
      at: () => this.#lanes.at,
      lineOf: this.#lineOf,
      breakpoints: () => this.#panes.breakpoints,
      cursor: () => this.#panes.cursor,
      onStep: (step) => store.set({ step }),
    });
    byId('wgsl-copy').addEventListener('click', () => void copyText(this.#panes.wgslText, byId('wgsl-copied')));
    byId('wgsl-save').addEventListener('click', () =>
      saveText(`${this.#program?.entry ?? 'kernel'}.wgsl`, this.#panes.wgslText),
    );
    store.listen((_, changed) => this.#changed(changed));
    this.#analyze();
  }

  /** Replaces the plain text by the editor. */
  useEditor(makers: EditorMakers): void {
    this.#panes.useEditor(makers);
    this.#cudaCompiler.refresh();
    this.#showMessages();
  }

  #lineOf = (step: number): number => this.#lines.at(this.#trace?.startOf(step) ?? 0).line;

  /** Moves to the next execution of a clicked line, if the warp executes that line. */
  #goToExecution(lines: readonly number[]): void {
    if (!this.#trace || !this.#isCurrent) return;
    const step = nextExecution(this.#trace, this.#lanes.at, new Set(lines), this.#lineOf);
    if (step !== undefined) this.#store.set({ step });
  }

  /** Sets the opened GPU, and translates the program for that GPU. */
  setGpu(info: GpuInfo): void {
    this.#gpu = info;
    // If the results are not current, the pending translation already uses this GPU.
    if (this.#isCurrent) this.#begin(this.#translate(this.#revision));
  }

  #changed(changed: ReadonlySet<keyof AppState>): void {
    const any = (...keys: (keyof AppState)[]): boolean => keys.some((key) => changed.has(key));
    if (changed.has('text')) this.#panes.setPtx(this.#store.state.text);
    if (changed.has('cuda')) this.#showCuda(this.#store.state.cuda);
    if (any('text', 'cuda', 'inputs', 'runs', 'entry', 'block', 'grid', 'shared', 'cta', 'warp')) this.#analyze();
    else if (any('plan', 'float') && this.#isCurrent) this.#begin(this.#translate(this.#revision));
    if (changed.has('step')) this.#showStep();
    if (changed.has('format')) {
      renderInputs(byId('inputs'), this.#program, this.#store);
      this.#run.refresh();
      this.#showStep();
    }
  }

  #showCuda(text: string): void {
    // A source that the user has typed is already in its view.
    const isReplaced = this.#panes.cuda.text !== text;
    this.#panes.setCuda(text);
    if (!isReplaced) return;
    this.#cudaCompiler.clear();
    this.#console.reset();
  }

  #analyze(): void {
    this.#compiler.supersede(graceMs);
    this.#isCurrent = false;
    this.#lanes.setCurrent(false);
    this.#begin(this.#analysis(++this.#revision));
  }

  /** Shows that work is in progress, until all of the work has finished. */
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

  /** Analyzes the text. Shows each answer when it arrives. */
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
      return this.#note(this.#panes.wgslText === '' ? '' : 'for the last text without errors');
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
    this.#note(answer?.note ?? 'not translated');
    this.#findings = { ...this.#findings, translate: answer?.messages ?? failure };
    this.#panes.setWgsl(answer?.code ?? '', answer?.lines ?? []);
    this.#showMessages();
  }

  /** Sends a request. Returns the answer, or a message if the worker has failed or was ended. */
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
    this.#panes.setLint(lintOf(messages));
    byId('diagnostics').replaceChildren(...messageItems(messages, ['text', 'page'], this.#places));
    byId('findings').replaceChildren(...messageItems(messages, ['run'], this.#places));
  }

  get #places() {
    return { lines: this.#lines, onJump: (offset: number) => this.#panes.goTo(offset) };
  }

  #setCuda(cuda: CudaLines | undefined): void {
    this.#panes.setCudaLines(cuda);
    const isPasted = this.#store.state.cuda !== '';
    const unlinked = isPasted ? 'compile it to link its lines with the PTX' : '';
    const paste = `paste ${cuda?.file} here: its lines are linked with the PTX`;
    byId('cuda-note').textContent = cuda === undefined ? unlinked : isPasted ? cuda.file : paste;
  }

  #showStep(): void {
    this.#lanes.render(this.#program, this.#trace, this.#text);
    // A step of an earlier text does not have a position in the current text.
    const step = this.#program && this.#lanes.step;
    this.#panes.showStep(step && this.#lines.at(step.start).line, this.#store.state.step > 0);
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
}
