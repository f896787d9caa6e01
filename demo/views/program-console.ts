// Runs the program in the CUDA pane, if it has a `main`, and shows what it writes.
import { waitingProblem } from '../../src/program/page/waiting.ts';
import { hasMain } from '../../src/program/source-code.ts';
import { clangSize } from '../clang/loader.ts';
import { sourceName } from '../clang/source-name.ts';
import { byId, el } from '../dom.ts';
import type { Store } from '../state.ts';
import type { ProgramClient } from '../whole-program/client.ts';
import type { ProgramProgress } from '../whole-program/messages.ts';
import { WorkerError } from '../workers/client.ts';
import type { CudaCompiler } from './cuda-compiler.ts';

/** The console shows the last characters of the output. */
const maxCharacters = 100_000;

export interface ProgramConsoleOptions {
  readonly store: Store;
  readonly compiler: CudaCompiler;
  readonly program: ProgramClient;
  /** Reads the text of the source at once, although the user may still be typing. */
  readonly readTexts: () => void;
}

export class ProgramConsole {
  readonly #options: ProgramConsoleOptions;
  #isRunning = false;
  #isStopped = false;
  #characters = 0;

  constructor(options: ProgramConsoleOptions) {
    this.#options = options;
    byId('program-run').addEventListener('click', () => void this.#run());
    byId('program-stop').addEventListener('click', () => this.#stop());
    byId('program-arguments').addEventListener('keydown', ({ key }) => {
      if (key === 'Enter') void this.#run();
    });
    options.store.listen((_, changed) => {
      if (changed.has('cuda')) this.refresh();
    });
    this.refresh();
  }

  /** Shows the controls if the source has a `main`. The button names the download that a run needs. */
  refresh(): void {
    const { store, compiler } = this.#options;
    byId('program').hidden = !hasMain(store.state.cuda) && !this.#isRunning;
    byId('program-run').textContent = compiler.isLoaded
      ? 'Run program'
      : `Download the compiler (${clangSize}) and run program`;
    byId('program-run').hidden = this.#isRunning;
    byId('program-stop').hidden = !this.#isRunning;
  }

  #stop(): void {
    this.#isStopped = true;
    this.#options.program.supersede(0);
  }

  async #run(): Promise<void> {
    const { compiler, program, readTexts, store } = this.#options;
    if (this.#isRunning) return;
    const problem = waitingProblem();
    if (problem !== undefined) return this.#say(problem);
    readTexts();
    this.#isStopped = false;
    this.#clear();
    this.#setRunning(true);
    let device = '';
    try {
      const compiled = await compiler.compileProgram();
      if (compiled === undefined) return this.#say('Not compiled');
      if (this.#isStopped) return this.#say('Stopped');
      this.#say('Opening the device…');
      const start = performance.now();
      const { wasm, modules: texts } = compiled;
      const modules = texts.map((text) => ({ file: sourceName, text }));
      const run = { program: { wasm, modules, args: this.#words(), env: [], files: [] }, float: store.state.float };
      const { code } = await program.request('run', run, (step) => {
        if (step.kind === 'output') return this.#write(step);
        device = step.name;
        this.#say(`Running on ${device}…`);
      });
      this.#say(`Exit code ${code}, after ${((performance.now() - start) / 1000).toFixed(1)} s on ${device}`);
    } catch (error) {
      if (error instanceof WorkerError && error.kind === 'superseded') return this.#say('Stopped');
      this.#write({ kind: 'output', stream: 2, text: error instanceof Error ? error.message : String(error) });
      this.#say('Ended by an error');
    } finally {
      this.#setRunning(false);
    }
  }

  /** Returns the program's name and arguments, which spaces separate. */
  #words(): string[] {
    const field = byId('program-arguments');
    const text = field instanceof HTMLInputElement ? field.value : '';
    return ['program', ...text.split(/\s+/).filter((word) => word !== '')];
  }

  #setRunning(isRunning: boolean): void {
    this.#isRunning = isRunning;
    this.refresh();
  }

  #say(text: string): void {
    byId('program-status').textContent = text;
  }

  /** Stops the program that is running, and removes its output, because the source is another one. */
  reset(): void {
    if (this.#isRunning) this.#stop();
    this.#clear();
  }

  #clear(): void {
    this.#characters = 0;
    byId('program-output').replaceChildren();
    this.#say('');
  }

  #write({ stream, text }: Extract<ProgramProgress, { kind: 'output' }>): void {
    const output = byId('program-output');
    output.append(stream === 1 ? text : el('span', { class: 'stderr' }, text));
    this.#characters += text.length;
    for (let first = output.firstChild; first && this.#characters > maxCharacters; first = output.firstChild) {
      this.#characters -= first.textContent?.length ?? 0; // Only documents lack text.
      first.remove();
    }
    output.scrollTop = output.scrollHeight;
  }
}
