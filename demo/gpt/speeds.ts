// Shows the speed of the current training and the last speed of each setting.
import { byId, el } from '../dom.ts';

/** The minimum number of stored times, and the duration in milliseconds that they cover. */
const [minTimes, covered] = [8, 3000];

export class Speeds {
  #pace: { readonly steps: number; readonly time: number }[] = [];
  readonly #known = new Map<string, string>();

  /** Starts a measurement. `steps` is the number of steps that are already finished. */
  start(steps: number): void {
    this.#pace = [{ steps, time: performance.now() }];
  }

  /** Records the number of finished steps. */
  finished(steps: number): void {
    this.#pace.push({ steps, time: performance.now() });
  }

  /** Returns the speed over the last seconds, or undefined if the speed is not known yet. */
  stepsPerSecond(): number | undefined {
    const last = this.#pace.at(-1);
    while (this.#pace.length > minTimes && (last?.time ?? 0) - (this.#pace[1]?.time ?? 0) > covered) this.#pace.shift();
    const first = this.#pace[0];
    if (!first || !last || last.steps === first.steps) return undefined;
    return (1000 * (last.steps - first.steps)) / (last.time - first.time);
  }

  /** Stores the speed of a setting, and shows the speeds of all settings. */
  show(setting: string, speed: string): void {
    this.#known.set(setting, speed);
    byId('rates').replaceChildren(
      el('p', { class: 'note' }, 'On this machine, including samples and drawing:'),
      el('ul', {}, ...[...this.#known].map(([name, text]) => el('li', {}, `${name}: ${text}`))),
    );
  }
}
