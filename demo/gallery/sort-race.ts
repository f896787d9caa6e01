// Compares the speed of the radix sort with that of JavaScript's sorts.
import { choice, el } from '../dom.ts';
import { Exhibit } from './exhibit.ts';
import { sortPlan } from './plans.ts';

interface Runner {
  readonly name: string;
  readonly ms: number;
}

export function sortRace(): HTMLElement {
  let count = 2 ** 20;
  const sizes = [2 ** 12, 2 ** 16, 2 ** 20, 2 ** 22].map((size) => [String(size), size.toLocaleString('en')] as const);
  const exhibit = new Exhibit(
    {
      id: 'sort',
      title: 'A radix sort races Array.prototype.sort',
      about:
        'Sorts random 32-bit numbers by four bits at a time. Lanes use ballots to find others with the same digit, so equal digits keep their order.',
      file: 'radix_sort',
      per: 'sort',
    },
    sortPlan(count),
    'Race',
    choice('numbers', sizes, String(count), (value) => {
      count = Number(value);
    }),
  );
  let isRunning = false;
  const race = async (): Promise<void> => {
    const plan = sortPlan(count);
    const stage = await exhibit.open(plan);
    const keys = Uint32Array.from({ length: count }, () => Math.random() * 2 ** 32);
    const where = stage.runtime.adapter.software ? 'software adapter (no GPU)' : 'this GPU';
    // Run once before the measurement, so that the measurement does not include one-time work.
    stage.at('keys').write(keys);
    stage.run(plan.launches);
    await stage.runtime.synchronize();
    exhibit.say('The GPU sorts…');
    let begin = performance.now();
    stage.at('keys').write(keys);
    stage.run(plan.launches);
    const sorted = await stage.at('keys').read(Uint32Array);
    const runners: Runner[] = [{ name: `${where}, including both copies`, ms: performance.now() - begin }];
    draw(exhibit.picture, runners);
    exhibit.say('JavaScript sorts…');
    await pause();
    const list = Array.from(keys);
    begin = performance.now();
    list.sort((a, b) => a - b);
    runners.push({ name: 'Array.prototype.sort', ms: performance.now() - begin });
    draw(exhibit.picture, runners);
    await pause();
    const typed = keys.slice();
    begin = performance.now();
    typed.sort();
    runners.push({ name: 'Uint32Array.prototype.sort', ms: performance.now() - begin });
    draw(exhibit.picture, runners);
    const wrong = typed.findIndex((key, at) => key !== sorted[at]);
    if (wrong >= 0)
      return exhibit.say(`The GPU has ${sorted[wrong]} at ${wrong}, where ${typed[wrong]} belongs.`, 'bad');
    exhibit.say(`All ${count.toLocaleString('en')} numbers are in order.`, 'good');
  };
  exhibit.start.addEventListener('click', () => {
    if (isRunning) return;
    isRunning = true;
    void exhibit.attempt(race).finally(() => {
      isRunning = false;
    });
  });
  return exhibit.root;
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

function draw(root: HTMLElement, runners: readonly Runner[]): void {
  const most = Math.max(...runners.map(({ ms }) => ms));
  const body = el('tbody');
  for (const { name, ms } of runners) {
    const bar = el('div', { class: 'bench-bar' });
    // Set the width as a property, because the page's policy blocks style attributes.
    bar.style.inlineSize = `${Math.max((100 * ms) / most, 0.5)}%`;
    const text = `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
    body.append(
      el('tr', {}, el('th', { scope: 'row' }, name), el('td', { class: 'race-track' }, bar), el('td', {}, text)),
    );
  }
  root.replaceChildren(el('table', { class: 'bench' }, body));
}
