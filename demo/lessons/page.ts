// The page of the lessons: shows one lesson, and runs the reader's kernel.
import { openClang } from '../clang/client.ts';
import { ClangLoader, clangSize } from '../clang/loader.ts';
import { openCompiler } from '../compiler/client.ts';
import { byId, el } from '../dom.ts';
import { type CodeView, type MakeCodeView, makePlainView } from '../editor/code-view.ts';
import { openGpuClient } from '../gpu/client.ts';
import { encodeState } from '../link.ts';
import { clangMessages } from '../program/clang-messages.ts';
import { LineFinder } from '../program/line-finder.ts';
import type { Message } from '../program/messages.ts';
import { initialState } from '../state.ts';
import { noGpuHelp } from '../views/gpu-card.ts';
import { lintOf, messageItems } from '../views/message-list.ts';
import { type CompiledKernel, type Failure, launchOf } from './check-outputs.ts';
import { checkOnGpu, type GpuResult } from './gpu-check.ts';
import { failureView, gpuView, passedView, scrollToCurrent, showList, showText } from './lesson-view.ts';
import { type ListedLesson, lessons, loadPrepared, type Prepared } from './list.ts';
import { LessonProgress } from './progress.ts';

/** Starts the page. `script` is the address of the page's script, which its workers also run. */
export async function start(script: string): Promise<void> {
  const page = new LessonsPage(script);
  window.addEventListener(
    'hashchange',
    () => void page.show(page.lessonOfAddress()).then(() => byId('lesson-title').focus()),
  );
  await page.show(page.lessonOfAddress());
  // If the editor cannot be loaded, the plain text remains.
  import('../editor/editor.ts').then(
    ({ makeCudaView }) => page.useEditor(makeCudaView),
    () => undefined,
  );
}

/** The sources of the shown lesson. */
interface Shown {
  readonly lesson: ListedLesson;
  readonly start: Prepared;
  readonly solution: Prepared;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

class LessonsPage {
  readonly #progress = new LessonProgress();
  readonly #compiler;
  readonly #gpu;
  readonly #loader: ClangLoader;
  #makeView: MakeCodeView = makePlainView;
  #view: CodeView | undefined;
  #shown: Shown | undefined;
  /** The last source that the page has compiled. */
  #compiled: Prepared | undefined;
  /** Whether the editor shows the solution instead of the reader's kernel. */
  #showsSolution = false;
  #isRunning = false;
  /** The number of runs. The GPU's result of an earlier run is not shown. */
  #runs = 0;
  /** Resolves when the GPU has finished the work of earlier runs. */
  #gpuWork: Promise<void> = Promise.resolve();

  constructor(script: string) {
    this.#compiler = openCompiler(script);
    this.#gpu = openGpuClient(script, (message) =>
      this.#sayGpu(`The GPU device was lost: ${message}. Run again to open a new one.`),
    );
    this.#loader = new ClangLoader(openClang(script), () => this.#showControls());
    byId('run').addEventListener('click', () => void this.#run());
    byId('solution').addEventListener('click', () => this.#toggleSolution());
    byId('restart').addEventListener('click', () => this.#restart());
    const wide = matchMedia('(min-width: 60rem)');
    const openContents = (): void => void byId('contents').toggleAttribute('open', wide.matches);
    wide.addEventListener('change', openContents);
    openContents();
  }

  /** Returns the lesson in the address, or the first lesson that the reader has not passed. */
  lessonOfAddress(): ListedLesson {
    const id = decodeURIComponent(location.hash.slice(1));
    const found = lessons.find((each) => each.id === id) ?? lessons.find((each) => !this.#progress.hasPassed(each.id));
    const lesson = found ?? lessons[0];
    if (lesson === undefined) throw new Error('the page has no lessons');
    return lesson;
  }

  async show(lesson: ListedLesson): Promise<void> {
    const [start, solution] = await Promise.all([
      loadPrepared(lesson.id, 'start'),
      loadPrepared(lesson.id, 'solution'),
    ]);
    this.#shown = { lesson, start, solution };
    this.#showsSolution = false;
    showList(lesson, this.#progress);
    scrollToCurrent();
    showText(lesson);
    this.#setText(this.#ownText(this.#shown));
  }

  useEditor(make: MakeCodeView): void {
    this.#makeView = make;
    if (this.#view) this.#edit(this.#view.text);
  }

  #ownText = ({ lesson, start }: Shown): string => this.#progress.draft(lesson.id) ?? start.cuda;

  /** Shows a text in a new editor, without the results of the previous text. */
  #setText(text: string): void {
    this.#clear();
    this.#edit(text);
  }

  #edit(text: string): void {
    this.#view = this.#makeView({
      parent: byId('editor'),
      label: 'CUDA source of the kernel',
      text,
      onChange: (next) => this.#keep(next),
      onLine: () => undefined,
      onSubmit: () => this.#submit(),
    });
    this.#showControls();
  }

  /** Stores the reader's text. */
  #keep(text: string): void {
    if (this.#shown === undefined) return;
    const { lesson, start, solution } = this.#shown;
    if (this.#showsSolution && text === solution.cuda) return;
    this.#showsSolution = false;
    this.#progress.setDraft(lesson.id, text === start.cuda ? undefined : text);
    this.#showControls();
  }

  #toggleSolution(): void {
    if (this.#shown === undefined || this.#isRunning) return;
    this.#showsSolution = !this.#showsSolution;
    this.#setText(this.#showsSolution ? this.#shown.solution.cuda : this.#ownText(this.#shown));
  }

  #restart(): void {
    if (this.#shown === undefined || this.#isRunning) return;
    this.#showsSolution = false;
    this.#progress.setDraft(this.#shown.lesson.id, undefined);
    this.#setText(this.#shown.start.cuda);
  }

  /** Returns the PTX of a source, if the page has it without the compiler. */
  #prepared(text: string): Prepared | undefined {
    const known = [this.#shown?.start, this.#shown?.solution, this.#compiled];
    return known.find((each) => each?.cuda === text);
  }

  #needsDownload(): boolean {
    return !this.#loader.isLoaded && this.#view !== undefined && this.#prepared(this.#view.text) === undefined;
  }

  #showControls(): void {
    const needsDownload = this.#needsDownload();
    byId('run').textContent = needsDownload ? `Download the compiler (${clangSize}) and run` : 'Run';
    byId('compiler-note').textContent = needsDownload
      ? `To run your changes, the page needs clang in WebAssembly. It downloads ${clangSize} once, and the browser keeps them.`
      : '';
    byId('solution').textContent = this.#showsSolution ? 'Back to your kernel' : 'Show the solution';
  }

  /** Runs the kernel for Ctrl-Enter. A download requires a click. */
  #submit(): void {
    if (this.#needsDownload()) byId('run').focus();
    else void this.#run();
  }

  #clear(): void {
    this.#runs++;
    for (const id of ['run-status', 'diagnostics', 'verdict', 'gpu-result', 'playground-link'])
      byId(id).replaceChildren();
  }

  #say(...content: (Node | string)[]): void {
    byId('run-status').replaceChildren(...content);
  }

  #sayGpu(...content: (Node | string)[]): void {
    byId('gpu-result').replaceChildren(el('p', { class: 'note' }, ...content));
  }

  async #run(): Promise<void> {
    const [shown, view] = [this.#shown, this.#view];
    if (this.#isRunning || shown === undefined || view === undefined) return;
    this.#isRunning = true;
    byId('run').setAttribute('aria-disabled', 'true');
    this.#clear();
    try {
      const source = await this.#compile(view.text);
      if (source !== undefined) await this.#judge(shown, source);
    } catch (error) {
      this.#say(reasonOf(error));
    } finally {
      this.#isRunning = false;
      byId('run').setAttribute('aria-disabled', 'false');
      this.#showControls();
    }
  }

  /** Compiles a source, unless its PTX is known. Returns undefined after showing errors. */
  async #compile(text: string): Promise<Prepared | undefined> {
    const known = this.#prepared(text);
    if (known !== undefined) return known;
    const { ptx, messages } = await this.#loader.compile(text, (...content) => this.#say(...content));
    const list = clangMessages(messages, text);
    this.#showMessages(list, text);
    this.#say(ptx !== undefined ? '' : list.length === 0 ? messages : 'Not compiled.');
    if (ptx === undefined) return undefined;
    this.#compiled = { cuda: text, ptx };
    return this.#compiled;
  }

  #showMessages(list: readonly Message[], text: string): void {
    this.#view?.setLint(lintOf(list));
    const places = { lines: new LineFinder(text), onJump: (offset: number) => this.#view?.goTo(offset) };
    byId('diagnostics').replaceChildren(...messageItems(list, ['text', 'page'], places));
  }

  async #judge(shown: Shown, source: Prepared): Promise<void> {
    const { lesson } = shown;
    const isOwn = !this.#showsSolution;
    const [seed = 0] = crypto.getRandomValues(new Uint32Array(1));
    const total = lesson.sizes.length;
    this.#say('Running on the reference…');
    const request = { lesson: lesson.id, ...source, seed };
    const verdict = await this.#compiler.request('judge', request, (done) =>
      this.#say(`Running on the reference: ${done} of ${total} launches`),
    );
    // The reader may have opened another lesson.
    if (this.#shown !== shown) return;
    this.#say('');
    void this.#linkPlayground(lesson, source, seed);
    if (verdict.kind === 'failed') return this.#showFailure(verdict, source);
    if (isOwn) this.#progress.pass(lesson.id);
    showList(lesson, this.#progress);
    byId('verdict').replaceChildren(passedView(verdict.trials, lessons[lesson.number]));
    // The reader may continue while the GPU works.
    const run = this.#runs;
    this.#gpuWork = this.#gpuWork.then(() => this.#runOnGpu(shown, verdict, seed, () => run === this.#runs));
  }

  #showFailure(failure: Failure, { cuda }: Prepared): void {
    const finder = new LineFinder(cuda);
    const offsetOf = (line: number): number => finder.offsetOf({ line, column: 1 }) ?? 0; // The editor shows the source.
    byId('verdict').replaceChildren(failureView(failure, (line) => this.#view?.goTo(offsetOf(line))));
    const { line, title, text } = failure;
    if (line === undefined) return;
    const from = offsetOf(line);
    const to = from + (cuda.slice(from).split('\n', 1)[0] ?? '').length; // `split` returns at least one item.
    this.#view?.setLint([{ from, to, severity: 'error', source: title, message: text }]);
  }

  async #runOnGpu(
    { lesson, solution }: Shown,
    kernel: CompiledKernel,
    seed: number,
    isCurrent: () => boolean,
  ): Promise<void> {
    const show = (...content: Node[]): void => {
      if (isCurrent()) byId('gpu-result').replaceChildren(...content);
    };
    if (!isCurrent()) return;
    const measure = (which: CompiledKernel): Promise<GpuResult> =>
      checkOnGpu(this.#gpu, lesson, which, seed, (text) => show(el('p', { class: 'note' }, text)));
    if (!('gpu' in navigator)) return show(noGpu('navigator.gpu is missing'));
    try {
      show(el('p', { class: 'note' }, 'Opening the GPU…'));
      const result = await measure(kernel);
      if (result.failure !== undefined) {
        const { failure } = result;
        return show(failureView({ ...failure, title: `${failure.title} on this GPU` }, () => undefined));
      }
      show(gpuView(result, undefined));
      if (result.time === undefined || kernel.ptx === solution.ptx || !isCurrent()) return;
      const best = await measure({ ...kernel, ptx: solution.ptx });
      show(gpuView(result, best.time?.spread.median));
    } catch (error) {
      show(noGpu(reasonOf(error)));
    }
  }

  async #linkPlayground(lesson: ListedLesson, { ptx, cuda }: Prepared, seed: number): Promise<void> {
    const { block } = launchOf(lesson, { ptx, entry: '' }, Math.min(...lesson.sizes), seed);
    const hash = await encodeState({ ...initialState, text: ptx, cuda, block });
    if (hash === undefined) return;
    byId('playground-link').replaceChildren(
      el('a', { href: `./index.html#${hash}` }, 'Open this kernel in the playground'),
      ', to see its PTX and WGSL, and to step through its warps.',
    );
  }
}

const noGpu = (reason: string): HTMLElement =>
  el(
    'details',
    { class: 'about' },
    el('summary', {}, 'Without a GPU, the page does not measure the time'),
    noGpuHelp(reason, 'The judge needs only the reference.'),
  );
