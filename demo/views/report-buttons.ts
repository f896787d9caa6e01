// Buttons that copy or save a report for `lanewise merge`.
import { el } from '../dom.ts';
import { saveText } from './save-text.ts';

/** The tool in the documents of the page. */
export const pageTool = {
  name: 'lanewise',
  version: String(import.meta.env.VITE_LANEWISE_VERSION),
  node: 'browser',
  platform: navigator.userAgent,
} as const;

export class ReportButtons {
  readonly #documentOf: () => object;
  readonly #show: (text: HTMLElement) => void;
  readonly #copy = el('button', { type: 'button', class: 'quiet copy-report', hidden: true }, 'Copy report');
  readonly #save = el('button', { type: 'button', class: 'quiet save-report', hidden: true }, 'Save report');

  /** `show` shows the report's text if the page must not access the clipboard. */
  constructor(documentOf: () => object, show: (text: HTMLElement) => void) {
    this.#documentOf = documentOf;
    this.#show = show;
    this.#copy.title = 'The input of `lanewise merge`, which compares this browser with others';
    this.#copy.addEventListener('click', () => void this.#copyReport());
    // A file does not need the clipboard.
    this.#save.addEventListener('click', () => saveText('lanewise-report.json', this.#text(), 'application/json'));
  }

  get buttons(): readonly HTMLElement[] {
    return [this.#copy, this.#save];
  }

  set isHidden(isHidden: boolean) {
    for (const button of this.buttons) button.hidden = isHidden;
  }

  #text(): string {
    return `${JSON.stringify(this.#documentOf(), null, 2)}\n`;
  }

  async #copyReport(): Promise<void> {
    const text = this.#text();
    try {
      await navigator.clipboard.writeText(text);
      this.#copy.textContent = 'Copied';
    } catch {
      this.#show(el('textarea', { readonly: true, rows: 16, 'aria-label': 'Report' }, text));
    }
    setTimeout(() => {
      this.#copy.textContent = 'Copy report';
    }, 2000);
  }
}
