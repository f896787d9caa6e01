// Shows the throughput of warp instructions on this GPU as a small chart.
import { rateText } from '../../src/base/rate.ts';
import { byId, el } from '../dom.ts';
import type { GpuClient } from '../gpu/client.ts';
import type { BenchFigure } from '../gpu/messages.ts';
import { adapterText } from './gpu-card.ts';

export class BenchView {
  readonly #client: GpuClient;
  readonly #start = el('button', { type: 'button', class: 'primary', id: 'bench-start' }, 'Measure');
  readonly #cancel = el('button', { type: 'button', id: 'bench-stop', hidden: true }, 'Stop');
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
        'The instructions of ',
        el('code', {}, 'npx lanewise bench'),
        ' in a loop. The page translates them as in the playground, and compares them with the reference before it measures them. ',
        'A lane operation is one instruction in one lane.',
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
    const most = Math.max(...this.#figures.map(({ rate }) => rate?.median ?? 0));
    const body = el('tbody');
    for (const figure of this.#figures) body.append(this.#row(figure, most));
    const head = el('tr');
    for (const text of [
      'instruction',
      '',
      this.#software ? 'of this CPU' : 'median',
      'from – to',
      'ms per sample',
      'checked',
    ]) {
      head.append(el('th', { scope: 'col' }, text));
    }
    this.#chart.replaceChildren(el('table', { class: 'bench' }, el('thead', {}, head), body));
  }

  #row({ id, rate, sampleMs, message, compared, clock }: BenchFigure, most: number): HTMLElement {
    const name = el('th', { scope: 'row' }, id.replace(/:(immediate|independent)/g, '').replaceAll(':', ' '));
    if (!rate) return el('tr', {}, name, el('td', { colspan: 5, class: 'bad' }, message));
    const width = Math.max((rate.median / most) * 100, 0.5);
    // Do not show a bar for a software adapter, because its speed cannot be compared with that of a
    // GPU.
    const bar = el('div', { class: 'bench-bar' });
    // Set the width as a property, because the page's policy blocks style attributes.
    bar.style.inlineSize = `${width}%`;
    return el(
      'tr',
      {},
      name,
      el('td', { class: 'bench-track' }, this.#software ? 'software' : bar),
      el('td', {}, rateText(rate.median, 'lane operations')),
      el('td', {}, `${rateText(rate.min, 'lane operations')} – ${rateText(rate.max, 'lane operations')}`),
      el('td', {}, `${sampleMs.toFixed(1)} (${clock === 'gpu' ? "GPU's clock" : "processor's clock"})`),
      el('td', {}, `${compared} ✓`),
    );
  }
}

function softwareWarning(): HTMLElement {
  return el(
    'p',
    { class: 'help-box' },
    el('strong', {}, 'This is not a GPU. '),
    'The browser selected a software adapter. The numbers below are for a CPU and do not apply to any GPU.',
  );
}
