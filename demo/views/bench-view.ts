// Throughput of warp instructions on this GPU, as a small chart.
import { byId, el } from '../dom.ts';
import type { GpuClient } from '../gpu/client.ts';
import type { BenchFigure } from '../gpu/messages.ts';
import { adapterText } from './gpu-card.ts';

export class BenchView {
  readonly #client: GpuClient;
  readonly #start = el('button', { type: 'button', class: 'primary', id: 'bench-start' }, 'Measure');
  readonly #cancel = el('button', { type: 'button', hidden: true }, 'Stop');
  readonly #status = el('p', { role: 'status', id: 'bench-status' });
  readonly #warning = el('div');
  readonly #chart = el('div', { id: 'bench-chart' });
  #figures: BenchFigure[] = [];
  #software = false;

  constructor(client: GpuClient) {
    this.#client = client;
    byId('view-bench').append(
      el('h2', {}, 'Bench this GPU'),
      el(
        'p',
        {},
        'Warp instructions in a loop, translated as the playground does it. A lane operation is one lane of one instruction; ',
        'two lengths of the loop are measured, so that the cost of a launch falls out.',
      ),
      el('div', { class: 'bar' }, this.#start, this.#cancel),
      this.#status,
      this.#warning,
      this.#chart,
    );
    this.#start.addEventListener('click', () => void this.run());
    this.#cancel.addEventListener('click', () => void this.#client.request('cancel', {}));
  }

  async run(): Promise<void> {
    this.#figures = [];
    this.#chart.replaceChildren();
    this.#warning.replaceChildren();
    this.#start.hidden = true;
    this.#cancel.hidden = false;
    this.#status.className = '';
    this.#status.textContent = 'Opening the GPU…';
    try {
      const info = await this.#client.request('open', { float: 'exact' });
      this.#software = info.report.adapter?.software === true;
      if (this.#software) this.#warning.append(softwareWarning());
      this.#status.textContent = `${adapterText(info)}: measuring…`;
      await this.#client.request('bench', {}, (figure) => {
        this.#figures.push(figure);
        this.#draw();
      });
      this.#status.textContent = adapterText(info);
    } catch (error) {
      this.#status.className = 'bad';
      this.#status.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.#start.hidden = false;
      this.#cancel.hidden = true;
    }
  }

  #draw(): void {
    const most = Math.max(...this.#figures.map(({ gops }) => gops));
    const body = el('tbody');
    for (const { name, gops, ms } of this.#figures) {
      const bar = el('div', { class: 'bench-bar', style: `inline-size: ${Math.max((gops / most) * 100, 0.5)}%` });
      body.append(
        el(
          'tr',
          {},
          el('th', { scope: 'row' }, name),
          // No bar for a software adapter: nothing that could be taken for a GPU's figure.
          el('td', { class: 'bench-track' }, this.#software ? 'software' : bar),
          el('td', {}, gops >= 100 ? gops.toFixed(0) : gops.toPrecision(3)),
          el('td', {}, ms.toFixed(1)),
        ),
      );
    }
    const unit = this.#software ? '10⁹ lanes/s of this CPU' : '10⁹ lanes/s';
    const head = el('tr');
    for (const text of ['instruction', '', unit, 'ms measured']) head.append(el('th', { scope: 'col' }, text));
    this.#chart.replaceChildren(el('table', { class: 'bench' }, el('thead', {}, head), body));
  }
}

function softwareWarning(): HTMLElement {
  return el(
    'p',
    { class: 'help-box' },
    el('strong', {}, 'This is no GPU. '),
    'The browser gave a software adapter, so the figures below are those of a CPU and say nothing about any GPU.',
  );
}
