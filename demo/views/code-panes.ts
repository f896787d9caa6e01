// Shows the three texts next to each other: CUDA, PTX and WGSL. Each line is linked with the
// corresponding lines of the other texts.
import { byId, debounce } from '../dom.ts';
import { type CodeView, type Lint, type MakeCodeView, makePlainView } from '../editor/code-view.ts';
import type { CudaLines } from '../program/cuda-lines.ts';
import type { Edit } from '../program/edit-operands.ts';
import { type LineMap, lineMap } from '../program/line-map.ts';
import type { SourceLine } from '../program/source-lines.ts';
import type { AppState, Store } from '../state.ts';

export type EditorMakers = Readonly<Record<'makePtxEditor' | 'makeWgslView' | 'makeCudaView', MakeCodeView>>;

const plain: EditorMakers = { makePtxEditor: makePlainView, makeWgslView: makePlainView, makeCudaView: makePlainView };

/** The time from the last key press until the page reads a text, in milliseconds. */
const typingMs = 120;

export interface CodePanesOptions {
  readonly store: Store;
  /**
   * Called with the PTX lines that correspond to a line that the user clicked, in any of the texts.
   */
  readonly onClick: (ptxLines: readonly number[]) => void;
  /** Called when the user presses Ctrl-Enter in the CUDA source. */
  readonly onSubmit: () => void;
}

export class CodePanes {
  readonly #options: CodePanesOptions;
  #ptx: CodeView;
  #wgsl: CodeView;
  #cuda: CodeView;
  #map: LineMap = lineMap([]);
  #cudaLines: CudaLines | undefined;
  #linked: Readonly<Record<'ptx' | 'wgsl' | 'cuda', readonly number[]>> = { ptx: [], wgsl: [], cuda: [] };
  /** The PTX line of the current step. */
  #stepLine: number | undefined;
  /** Whether the page itself is changing a text. */
  #isSetting = false;
  /** The PTX lines with breakpoints. */
  breakpoints: ReadonlySet<number> = new Set();
  /** The PTX line of the cursor. */
  cursor = 1;

  constructor(options: CodePanesOptions) {
    this.#options = options;
    const { text, cuda } = options.store.state;
    [this.#ptx, this.#wgsl, this.#cuda] = this.#makeViews(plain, text, '', cuda);
  }

  /** Reads the texts at once, although the user may still be typing. */
  readTexts(): void {
    this.#options.store.set({ text: this.#ptx.text, cuda: this.#cuda.text });
  }

  /** Replaces the plain views with editors. */
  useEditor(makers: EditorMakers): void {
    const { text } = this.#ptx;
    [this.#ptx, this.#wgsl, this.#cuda] = this.#makeViews(makers, text, this.#wgsl.text, this.#cuda.text);
    this.#showMain();
    this.#mark();
  }

  #makeViews(makers: EditorMakers, text: string, code: string, source: string): [CodeView, CodeView, CodeView] {
    const { store, onClick, onSubmit } = this.#options;
    const typed = (read: () => Partial<AppState>): (() => void) => {
      const quietly = debounce(typingMs, () => store.set(read()));
      return () => {
        if (!this.#isSetting) quietly();
      };
    };
    const ptx = makers.makePtxEditor({
      parent: byId('ptx'),
      label: 'PTX',
      text,
      onChange: typed(() => ({ text: ptx.text })),
      onLine: (line) => {
        this.cursor = line;
        this.#linkFromPtx([line]);
      },
      onClick: (line) => onClick([line]),
      onBreakpoints: (lines) => {
        this.breakpoints = lines;
      },
    });
    const wgsl = makers.makeWgslView({
      parent: byId('wgsl'),
      label: 'WGSL',
      text: code,
      onLine: (line) => this.#linkFromWgsl(line),
      onClick: (line) => onClick(this.#ptxOfWgsl(line)),
    });
    const cuda = makers.makeCudaView({
      parent: byId('cuda'),
      label: 'CUDA',
      text: source,
      onChange: typed(() => ({ cuda: cuda.text })),
      onLine: (line) => this.#linkFromPtx(this.#ptxOfCuda(line)),
      onClick: (line) => onClick(this.#ptxOfCuda(line)),
      onSubmit,
    });
    return [ptx, wgsl, cuda];
  }

  /** The current view of the CUDA source. */
  get cuda(): CodeView {
    return this.#cuda;
  }

  get wgslText(): string {
    return this.#wgsl.text;
  }

  setPtx(text: string): void {
    this.#set(() => this.#ptx.setText(text));
  }

  setCuda(text: string): void {
    this.#set(() => this.#cuda.setText(text));
  }

  /** Edits the PTX. Returns the new text. */
  editPtx(edit: Edit): string {
    this.#set(() => this.#ptx.edit(edit));
    return this.#ptx.text;
  }

  #set(change: () => void): void {
    this.#isSetting = true;
    change();
    this.#isSetting = false;
  }

  setLint(list: readonly Lint[]): void {
    this.#ptx.setLint(list);
  }

  goTo(offset: number): void {
    this.#ptx.goTo(offset);
  }

  /** Shows a translation. Scrolls to the lines that are linked with the line of the cursor. */
  setWgsl(text: string, lines: readonly SourceLine[]): void {
    this.#wgsl.setText(text);
    this.#map = lineMap(lines);
    this.#link(this.#linked.ptx);
    const [shown] = this.#linked.wgsl;
    if (shown === undefined) this.#showMain();
    else this.#wgsl.show(shown, 'center');
  }

  setCudaLines(lines: CudaLines | undefined): void {
    this.#cudaLines = lines;
  }

  /**
   * Marks the PTX line of the current step. Scrolls to the line if the user has moved to this step.
   */
  showStep(line: number | undefined, scrolls: boolean): void {
    this.#stepLine = line;
    if (scrolls && line !== undefined) {
      this.#ptx.show(line);
      const [cuda] = this.#cudaOfPtx(line);
      if (cuda !== undefined) this.#cuda.show(cuda);
    }
    this.#mark();
  }

  /** Scrolls to the kernel itself, which is below the helpers. */
  #showMain(): void {
    const line = this.#wgsl.text.split('\n').findIndex((text) => text.startsWith('@compute'));
    if (line >= 0) this.#wgsl.show(line + 1, 'start');
  }

  #mark(): void {
    const line = this.#stepLine;
    this.#ptx.setMarks({ linked: this.#linked.ptx, step: line });
    this.#wgsl.setMarks({ linked: this.#linked.wgsl, step: undefined });
    const cuda = line === undefined ? undefined : this.#cudaOfPtx(line)[0];
    this.#cuda.setMarks({ linked: this.#linked.cuda, step: cuda });
  }

  #ptxOfCuda(line: number): number[] {
    return (this.#cudaLines?.lines ?? []).flatMap(({ ptxLine, cudaLine }) => (cudaLine === line ? [ptxLine] : []));
  }

  #cudaOfPtx(line: number): number[] {
    return (this.#cudaLines?.lines ?? []).flatMap(({ ptxLine, cudaLine }) => (ptxLine === line ? [cudaLine] : []));
  }

  #ptxOfWgsl(line: number): number[] {
    const ptx = this.#map.toPtx.get(line);
    return ptx === undefined ? [] : [ptx];
  }

  #linkFromPtx(lines: readonly number[]): void {
    this.#link(lines);
    const [first] = this.#linked.wgsl;
    if (first !== undefined) this.#wgsl.show(first, 'center');
  }

  #linkFromWgsl(line: number): void {
    const lines = this.#ptxOfWgsl(line);
    this.#link(lines);
    const [ptx] = lines;
    if (ptx !== undefined) this.#ptx.show(ptx);
  }

  #link(lines: readonly number[]): void {
    const wgsl = lines.flatMap((line) => this.#map.toWgsl.get(line) ?? []); // A line may have no code.
    const cuda = lines.flatMap((line) => this.#cudaOfPtx(line));
    this.#linked = { ptx: wgsl.length + cuda.length > 0 ? lines : [], wgsl, cuda };
    this.#mark();
    const [shown] = cuda;
    if (shown !== undefined) this.#cuda.show(shown);
  }
}
