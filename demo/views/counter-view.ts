// Shows the counters of the reference and the time of the kernel on the GPU.

import type { ShownCounter } from '../../src/harness/executors/shown-counters.ts';
import { el } from '../dom.ts';
import { timeText } from '../format.ts';
import type { MeasuredTime } from '../gpu/messages.ts';
import type { LineFinder } from '../program/line-finder.ts';

export interface CounterViewOptions {
  readonly lines: LineFinder;
  readonly onJump: (offset: number) => void;
  readonly measure: () => Promise<MeasuredTime>;
}

export function counterView(counters: readonly ShownCounter[], options: CounterViewOptions): HTMLElement {
  const body = el('tbody');
  for (const { name, value, about, worst } of counters) {
    const jump = worst !== undefined && [
      ' (most at ',
      el(
        'button',
        { type: 'button', class: 'link', onclick: () => options.onJump(worst) },
        `line ${options.lines.at(worst).line}`,
      ),
      ')',
    ];
    body.append(
      el('tr', {}, el('th', { scope: 'row' }, name), el('td', {}, value), el('td', {}, about, ...(jump || []))),
    );
  }
  const time = el('p', { class: 'note', role: 'status', id: 'measured-time' });
  const measure = async (): Promise<void> => {
    time.textContent = 'Measuring…';
    try {
      time.textContent = measurementText(await options.measure());
    } catch (error) {
      time.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  return el(
    'details',
    { class: 'about', id: 'counters' },
    el('summary', {}, 'Counters, and the time of this kernel'),
    el('p', { class: 'note' }, 'The reference counts these. They hold for every GPU with warps of 32 lanes.'),
    el('table', { class: 'lanes counters' }, body),
    el(
      'div',
      { class: 'bar' },
      el('button', { type: 'button', id: 'measure', onclick: () => void measure() }, 'Measure the time'),
      time,
    ),
  );
}

function measurementText({ spread, launches, clock, software }: MeasuredTime): string {
  const where = software ? 'on this processor (a software adapter, no GPU)' : 'on this GPU';
  const how = clock === 'gpu' ? "the GPU's clock" : "the processor's clock";
  return `${timeText(spread.median)} per launch ${where}: the median of ${spread.samples} samples of ${launches} launches (${timeText(spread.min)} to ${timeText(spread.max)}, ${how})`;
}
