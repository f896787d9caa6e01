// The reader's progress, which the browser stores: the passed lessons, and the edited kernels.
import { fieldsOf } from '../../src/base/json-value.ts';

const key = 'lanewise-lessons';

export class LessonProgress {
  readonly #passed = new Set<string>();
  readonly #drafts = new Map<string, string>();

  /** Reads the stored progress. Starts without progress if there is none. */
  constructor() {
    const fields = stored();
    const passed = fields.passed;
    if (Array.isArray(passed)) for (const id of passed) if (typeof id === 'string') this.#passed.add(id);
    for (const [id, text] of Object.entries(fieldsOf(fields.drafts)))
      if (typeof text === 'string') this.#drafts.set(id, text);
  }

  hasPassed(id: string): boolean {
    return this.#passed.has(id);
  }

  get passedCount(): number {
    return this.#passed.size;
  }

  pass(id: string): void {
    this.#passed.add(id);
    this.#store();
  }

  /** The reader's kernel of a lesson; undefined if the reader has not edited it. */
  draft(id: string): string | undefined {
    return this.#drafts.get(id);
  }

  /** Stores the reader's kernel, or removes it if `text` is undefined. */
  setDraft(id: string, text: string | undefined): void {
    if (text === undefined) this.#drafts.delete(id);
    else this.#drafts.set(id, text);
    this.#store();
  }

  #store(): void {
    const document = { passed: [...this.#passed], drafts: Object.fromEntries(this.#drafts) };
    try {
      localStorage.setItem(key, JSON.stringify(document));
    } catch {
      // The browser does not allow storage. The progress lasts until the page closes.
    }
  }
}

function stored(): Readonly<Record<string, unknown>> {
  try {
    const text = localStorage.getItem(key);
    return text === null ? {} : fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}
