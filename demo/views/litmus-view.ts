// The litmus tests in the page: which orders of memory accesses this GPU shows, and which PTX allows.
import { jsonDocument } from '../../src/harness/report/json.ts';
import { grouped } from '../../src/harness/report/text.ts';
import type { Result } from '../../src/harness/runs/results.ts';
import { byId, choice, el } from '../dom.ts';
import type { GpuClient } from '../gpu/client.ts';
import type { LitmusFigure } from '../gpu/messages.ts';
import { adapterText } from './gpu-card.ts';
import { pageTool, ReportButtons } from './report-buttons.ts';

/** The shapes with their usual names, and the orders of their accesses. */
const shapes = [
  ['MP', 'message passing'],
  ['SB', 'store buffering'],
  ['LB', 'load buffering'],
  ['IRIW', 'independent reads of independent writes'],
  ['CoRR', 'coherent reads'],
  ['2+2W', 'two writers of two words'],
  ['S', 'write after a message'],
  ['R', 'write against a read'],
  ['WRC', 'write-to-read causality'],
  ['ISA2', 'a message that two threads pass on'],
] as const;
const orders = [
  ['relaxed', 'no order'],
  ['release+acquire', 'release and acquire'],
  ['relaxed+acq_rel', 'fence.acq_rel'],
  ['relaxed+sc', 'fence.sc'],
] as const;

const nameOf = (shape: string, order: string): string => `${shape}+${order}+gpu+apart`;

export class LitmusView {
  readonly #client: GpuClient;
  readonly #start = el('button', { type: 'button', class: 'primary', id: 'litmus-start' }, 'Run');
  readonly #all = el('button', { type: 'button', id: 'litmus-all' }, 'Run all');
  readonly #cancel = el('button', { type: 'button', id: 'litmus-stop', hidden: true }, 'Stop');
  readonly #status = el('p', { role: 'status', id: 'litmus-status' });
  readonly #figures = el('div', { id: 'litmus-figures' });
  readonly #report = new ReportButtons(
    () => this.#document(),
    (text) => this.#figures.prepend(text),
  );
  #shape: string = 'MP';
  #order: string = 'relaxed';
  #names: readonly string[] = [];
  #results: Result[] = [];
  #started = new Date();

  constructor(client: GpuClient) {
    this.#client = client;
    byId('view-litmus').append(
      el('h2', {}, 'Memory order of this GPU'),
      el(
        'p',
        {},
        'Runs a litmus test many times: small programs that write and read shared words at the same time. ',
        'The chart shows how often each result occurred, and whether PTX allows it. ',
        'Results marked * need accesses that happen out of order.',
      ),
      el(
        'div',
        { class: 'bar' },
        choice(
          'Test',
          shapes.map(([name, text]) => [name, `${name}: ${text}`] as const),
          this.#shape,
          (value) => {
            this.#shape = value;
          },
        ),
        choice('Order', orders, this.#order, (value) => {
          this.#order = value;
        }),
        this.#start,
        this.#all,
        this.#cancel,
        ...this.#report.buttons,
      ),
      this.#status,
      this.#figures,
    );
    this.#start.addEventListener('click', () => void this.#run([nameOf(this.#shape, this.#order)]));
    this.#all.addEventListener('click', () => {
      void this.#run(shapes.flatMap(([shape]) => orders.map(([order]) => nameOf(shape, order))));
    });
    this.#cancel.addEventListener('click', () => void this.#client.request('cancel', {}));
  }

  async #run(names: readonly string[]): Promise<void> {
    this.#names = names;
    this.#results = [];
    this.#started = new Date();
    this.#figures.replaceChildren();
    this.#setRunning(true);
    this.#status.className = '';
    this.#status.textContent = 'Opening the GPU…';
    try {
      const info = await this.#client.request('open', { float: 'exact' });
      await this.#client.request('litmus', { names }, ({ done, total, name, figure }) => {
        this.#status.textContent = `${adapterText(info)}: ${done} of ${total}: ${name}`;
        if (figure === undefined) return;
        this.#results.push(figure.result);
        this.#figures.append(...figureOf(name, figure));
      });
      const forbidden = this.#results.reduce((sum, { mismatches }) => sum + mismatches, 0);
      const instances = this.#results.reduce((sum, { compared }) => sum + compared, 0);
      this.#status.className = forbidden === 0 ? 'good' : 'bad';
      this.#status.textContent = `${adapterText(info)}: ${grouped(forbidden)} of ${grouped(instances)} instances showed a result that PTX forbids.`;
    } catch (error) {
      this.#status.className = 'bad';
      this.#status.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.#setRunning(false);
    }
  }

  #setRunning(running: boolean): void {
    for (const button of [this.#start, this.#all]) button.hidden = running;
    this.#cancel.hidden = !running;
    this.#report.isHidden = running || this.#results.length === 0;
  }

  #document(): object {
    const started = this.#started.toISOString();
    const ms = Date.now() - this.#started.getTime();
    return jsonDocument(pageTool, { command: 'litmus', query: this.#names, started, ms }, this.#results);
  }
}

/** Draws the histogram of a test. The lengths of the bars are logarithms of the counts. */
function figureOf(name: string, { verdict, condition, text, outcomes, result }: LitmusFigure): readonly HTMLElement[] {
  const most = Math.log10(1 + Math.max(...outcomes.map(({ count }) => count)));
  const body = el('tbody');
  for (const { text: outcome, count, verdict: own, isWeak } of outcomes) {
    const bar = el('div', { class: own === 'forbidden' ? 'bench-bar forbidden' : 'bench-bar' });
    // Set the width as a property, because the page's policy blocks style attributes.
    bar.style.inlineSize = `${(100 * Math.log10(1 + count)) / most}%`;
    const note = own === 'forbidden' ? 'forbidden' : count === 0 ? 'allowed, not seen' : 'allowed';
    body.append(
      el(
        'tr',
        {},
        el('th', { scope: 'row' }, `${isWeak ? '* ' : ''}${outcome}`),
        el('td', { class: 'bench-track' }, bar),
        el('td', {}, grouped(count)),
        el('td', { class: own === 'forbidden' ? 'bad' : '' }, note),
      ),
    );
  }
  const head = el('tr', {}, ...['result', '', 'instances', 'PTX'].map((title) => el('th', { scope: 'col' }, title)));
  return [
    el('h3', {}, name),
    el(
      'p',
      {},
      `PTX ${verdict === 'allowed' ? 'allows' : 'forbids'} `,
      el('code', {}, condition),
      `. ${grouped(result.compared)} instances in ${(result.ms / 1000).toFixed(1)} s.`,
    ),
    el(
      'div',
      { class: 'matrix-scroll', tabindex: 0, role: 'region', 'aria-label': `Results of ${name}` },
      el('table', { class: 'bench' }, el('thead', {}, head), body),
    ),
    el('details', {}, el('summary', {}, 'The test'), el('pre', { tabindex: 0 }, text)),
  ];
}
