// The validation in the page: a matrix of instructions and forms, whose cells are filled during the
// run.
import { jsonDocument } from '../../src/harness/report/json.ts';
import { describeFirst, grouped } from '../../src/harness/report/text.ts';
import { hasFailed, totals } from '../../src/harness/runs/results.ts';
import type { ValidateResult } from '../../src/harness/runs/validate.ts';
import { warpRows } from '../../src/isa/index.ts';
import { byId, el } from '../dom.ts';
import type { GpuClient } from '../gpu/client.ts';
import type { Store } from '../state.ts';
import { caseTables } from './case-tables.ts';
import { adapterText } from './gpu-card.ts';
import { pageTool, ReportButtons } from './report-buttons.ts';

const signs = { pass: '✓', fail: '✗', unsupported: '–', error: '!' } as const;

export class ValidateView {
  readonly #store: Store;
  readonly #client: GpuClient;
  readonly #query = el('input', { type: 'text', id: 'query', spellcheck: 'false', list: 'queries', size: 32 });
  readonly #seed = el('input', { type: 'number', min: 0, max: 4294967295, id: 'seed' });
  readonly #exhaustive = el('input', { type: 'checkbox', id: 'exhaustive' });
  readonly #start = el('button', { type: 'button', class: 'primary', id: 'validate-start' }, 'Validate');
  readonly #cancel = el('button', { type: 'button', id: 'validate-cancel', hidden: true }, 'Stop');
  readonly #report = new ReportButtons(
    () => this.#document(),
    (text) => this.#detail.replaceChildren(text),
  );
  readonly #progress = el('progress', { max: 1, value: 0, 'aria-label': 'Progress', hidden: true });
  readonly #status = el('p', { role: 'status', id: 'validate-status' });
  readonly #adapter = el('p', { class: 'note' });
  readonly #matrix = el('div', {
    class: 'matrix-scroll',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Results by instruction and form',
  });
  readonly #detail = el('div', { id: 'validate-detail', 'aria-live': 'polite' });
  #results: ValidateResult[] = [];
  #started = new Date();
  #running = false;

  constructor(store: Store, client: GpuClient) {
    this.#store = store;
    this.#client = client;
    this.#query.value = store.state.query;
    this.#seed.value = String(store.state.seed);
    const queries = el('datalist', { id: 'queries' });
    queries.append(...warpRows.map(({ name }) => el('option', { value: name })));
    byId('view-validate').append(
      el('h2', {}, 'Validate this GPU'),
      el(
        'p',
        {},
        'Runs warp instructions in every form on this GPU and compares every lane with the reference. Examples of queries: ',
        ...['shfl.sync', 'shfl.sync:bfly', '*:*:guard', 'vote.sync redux.sync', '*'].flatMap((query, index) => [
          index > 0 ? ', ' : '',
          el('button', { type: 'button', class: 'link', onclick: () => this.#choose(query) }, query),
        ]),
        '.',
      ),
      el(
        'div',
        { class: 'bar' },
        el('label', { class: 'field' }, el('span', {}, 'Query'), this.#query),
        el('label', { class: 'field' }, el('span', {}, 'Seed'), this.#seed),
        el('label', { class: 'field' }, this.#exhaustive, el('span', {}, 'exhaustive (minutes)')),
        this.#start,
        this.#cancel,
        ...this.#report.buttons,
      ),
      queries,
      this.#progress,
      this.#status,
      this.#adapter,
      this.#matrix,
      this.#detail,
    );
    this.#start.addEventListener('click', () => void this.run());
    this.#cancel.addEventListener('click', () => void this.#client.request('cancel', {}));
    this.#query.addEventListener('change', () => store.set({ query: this.#query.value }));
    this.#query.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') void this.run();
    });
    this.#seed.addEventListener('change', () =>
      store.set({ seed: Math.max(0, Math.trunc(Number(this.#seed.value))) >>> 0 }),
    );
  }

  /** Writes the query of a link into the field. */
  setQuery(query: string): void {
    this.#choose(query);
  }

  #choose(query: string): void {
    this.#query.value = query;
    this.#store.set({ query });
  }

  get #queries(): string[] {
    const words = this.#query.value.split(/[\s,]+/).filter((word) => word !== '');
    return words.includes('*') ? [] : words;
  }

  async run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    this.#results = [];
    this.#started = new Date();
    this.#setRunning(true);
    this.#status.className = '';
    this.#status.textContent = 'Opening the GPU…';
    this.#matrix.replaceChildren();
    this.#detail.replaceChildren();
    const seed = this.#store.state.seed;
    const args = { queries: this.#queries, seed, exhaustive: this.#exhaustive.checked };
    try {
      const info = await this.#client.request('open', { float: 'exact' });
      this.#adapter.textContent = adapterText(info);
      const { cancelled } = await this.#client.request('validate', args, ({ done, total, label, results }) => {
        this.#progress.max = total;
        this.#progress.value = done;
        this.#status.textContent = `${done} of ${total}: ${label}`;
        if (results.length === 0) return;
        this.#results.push(...results);
        this.#draw();
      });
      this.#conclude(cancelled);
    } catch (error) {
      this.#status.className = 'bad';
      this.#status.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.#running = false;
      this.#setRunning(false);
    }
  }

  #setRunning(running: boolean): void {
    this.#start.hidden = running;
    this.#cancel.hidden = !running;
    this.#progress.hidden = !running;
    this.#report.isHidden = running || this.#results.length === 0;
  }

  #conclude(cancelled: boolean): void {
    const { compared, mismatches, undefined: unknown } = totals(this.#results);
    const bad = this.#results.filter(hasFailed).length;
    const seconds = ((Date.now() - this.#started.getTime()) / 1000).toFixed(1);
    const start = cancelled ? 'Stopped. ' : '';
    const isGood = bad === 0 && compared > 0;
    this.#status.className = isGood ? 'good' : 'bad';
    this.#status.textContent = isGood
      ? `${start}All ${grouped(compared)} lane results of ${this.#results.length} suites agree with the reference; ${grouped(unknown)} are undefined by PTX. ${seconds} s`
      : compared === 0
        ? `${start}Nothing was checked.`
        : `${start}${grouped(mismatches)} mismatches; ${bad} of ${this.#results.length} suites did not pass. ${seconds} s`;
  }

  #draw(): void {
    const rowOf = ({ suite }: ValidateResult): string =>
      [suite.row, suite.mods].filter((text) => text !== '').join(' ');
    const forms = [...new Set(this.#results.map(({ suite }) => suite.form))];
    const rows = [...new Set(this.#results.map(rowOf))];
    const byPlace = new Map(this.#results.map((result) => [`${rowOf(result)}|${result.suite.form}`, result]));
    const head = el('tr', {}, el('th', { scope: 'col' }, 'instruction'));
    for (const form of forms) head.append(el('th', { scope: 'col', class: 'form' }, el('span', {}, form)));
    const body = el('tbody');
    for (const name of rows) {
      const row = el('tr', {}, el('th', { scope: 'row' }, name));
      for (const form of forms) row.append(this.#cell(byPlace.get(`${name}|${form}`)));
      body.append(row);
    }
    this.#matrix.replaceChildren(el('table', { class: 'matrix' }, el('thead', {}, head), body));
  }

  #cell(result: ValidateResult | undefined): HTMLElement {
    if (!result) return el('td');
    const { status, compared, mismatches } = result;
    const label = `${result.id}: ${status}, ${compared} lanes compared, ${mismatches} mismatches`;
    const button = el(
      'button',
      {
        type: 'button',
        class: `verdict ${status}`,
        title: label,
        'aria-label': label,
        onclick: () => this.#show(result),
      },
      signs[status],
    );
    return el('td', {}, button);
  }

  #show(result: ValidateResult): void {
    const { id, status, cases, compared, undefined: unknown, mismatches, first, message, ms } = result;
    const texts = [
      `${grouped(cases)} cases, ${grouped(compared)} lane results compared, ${grouped(unknown)} undefined by PTX, ${grouped(mismatches)} different, ${ms.toFixed(1)} ms`,
      ...(first ? [describeFirst(first)] : []),
      ...(message ? [message] : []),
    ];
    this.#detail.replaceChildren(
      el('h3', {}, `${id}: ${status}`),
      el('pre', { tabindex: 0 }, texts.join('\n')),
      ...caseTables(result.lanes ?? []),
    );
  }

  /** Returns the same document that the command line writes. */
  #document(): object {
    const run = {
      command: 'validate',
      query: this.#queries,
      seed: this.#store.state.seed,
      exhaustive: this.#exhaustive.checked,
      started: this.#started.toISOString(),
      ms: Date.now() - this.#started.getTime(),
    } as const;
    return jsonDocument(pageTool, run, this.#results);
  }
}
