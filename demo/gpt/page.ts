// The page of the transformer, with settings, training and results.
import { Runtime } from '../../src/runtime/index.ts';
import { byId, choice, el } from '../dom.ts';
import { noGpuHelp } from '../views/gpu-card.ts';
import { kernelList } from './kernel-list.ts';
import { lossChart } from './loss-chart.ts';
import { bitsOf } from './measure.ts';
import { type Plan, planOf } from './plan.ts';
import { showLowering, showProductCheck } from './products-view.ts';
import { hashOf, matrixMode, maxRate, maxStep, minRate, type Settings, settingsOf, withRate } from './settings.ts';
import { isSize, sizes } from './sizes.ts';
import { alphabet, cudaSources, kernelFiles } from './sources.ts';
import { Speeds } from './speeds.ts';
import { Trainer } from './trainer.ts';
import { type Sample, TrainingLoop } from './training-loop.ts';

const stillThere = 'The page still shows the kernels.';
/** The number of samples that are shown in addition to the first sample and the one in progress. */
const keptSamples = 3;

class Page {
  #settings: Settings;
  #plan: Plan;
  #runtime: Runtime | undefined;
  #trainer: Trainer | undefined;
  #loop: TrainingLoop | undefined;
  #samples: Sample[] = [];
  readonly #speeds = new Speeds();
  #isBusy = false;
  readonly #start = el('button', { type: 'button', class: 'primary', id: 'start' }, 'Train');
  readonly #again = el('button', { type: 'button', id: 'again' }, 'Start over');
  readonly #rate = el('input', { type: 'range', id: 'rate', min: 0, max: 100, step: 1 });
  readonly #rateText = el('output', { for: 'rate' });

  constructor() {
    this.#settings = settingsOf(location.hash);
    this.#plan = this.#planOf();
    this.#controls();
    this.#showAll();
    this.#start.addEventListener('click', () => void this.#toggle());
    this.#again.addEventListener('click', () => void this.#restart());
    this.#rate.addEventListener('input', () => this.#setRate());
    byId('copy-link').addEventListener('click', () => void this.#copyLink());
    const { goal } = this.#settings;
    if (goal) this.#say(`This link expects the bits ${goal.bits} for the loss of step ${goal.step}. Train to compare.`);
    if (!('gpu' in navigator)) {
      byId('help').replaceChildren(noGpuHelp('navigator.gpu is missing', stillThere));
      this.#start.setAttribute('aria-disabled', 'true');
    }
  }

  #planOf(): Plan {
    const { size, seed, matrices } = this.#settings;
    return planOf({ ...sizes[size], seed, matrices, text: alphabet.numbers, vocabulary: alphabet.characters.length });
  }

  #controls(): void {
    const { size, float, matrices } = this.#settings;
    const names = Object.keys(sizes).filter((name) => name !== 'least' || size === 'least');
    const list = names.map((name): [string, string] => [name, isSize(name) ? describe(name) : name]);
    byId('controls').append(
      this.#start,
      this.#again,
      choice('size', list, size, (name) => {
        if (isSize(name)) void this.#change({ ...this.#settings, size: name, goal: undefined });
      }),
      choice(
        'floats',
        [
          ['exact', 'exact'],
          ['fast', 'fast'],
        ],
        float,
        (name) => {
          void this.#change({ ...this.#settings, float: name === 'fast' ? 'fast' : 'exact', goal: undefined });
        },
      ),
      choice(
        'matrices',
        [
          ['f32', 'f32'],
          ['f16', 'f16, for tensor cores'],
        ],
        matrices,
        (name) => {
          void this.#change({ ...this.#settings, matrices: name === 'f16' ? 'f16' : 'f32', goal: undefined });
        },
      ),
      el('label', { class: 'field' }, el('span', {}, 'learning rate'), this.#rate, this.#rateText),
    );
  }

  async #toggle(): Promise<void> {
    if (this.#isBusy || this.#start.getAttribute('aria-disabled') === 'true') return;
    if (this.#loop?.isRunning) {
      await this.#loop.pause();
      return;
    }
    try {
      const loop = this.#loop ?? (await this.#open());
      await this.#train(loop);
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error), 'bad');
      await this.#close();
    }
    this.#showButtons();
  }

  async #train(loop: TrainingLoop): Promise<void> {
    const goal = this.#settings.goal?.step ?? maxStep;
    this.#speeds.start(loop.losses.length);
    this.#say('Training.');
    const done = loop.run(() => this.#settings.rates, loop.losses.length < goal ? goal : maxStep);
    this.#showButtons();
    await done;
    this.#showFacts();
    this.#sayResult(loop);
    await this.#checkProducts();
  }

  #sayResult(loop: TrainingLoop): void {
    if (loop.losses.length !== this.#settings.goal?.step) return this.#say(`Paused after step ${loop.losses.length}.`);
    const bits = this.#bitsNow();
    const { step: goal, bits: expected } = this.#settings.goal;
    const isSame = bits === expected;
    const text = isSame
      ? `The loss of step ${goal} has the bits that the link expects: ${bits}.`
      : `The loss of step ${goal} has the bits ${bits}, but the link expects ${expected}.`;
    this.#say(
      this.#settings.float === 'fast' && !isSame ? `${text} Only exact floats have the same bits on every GPU.` : text,
      isSame ? 'good' : 'bad',
    );
  }

  async #checkProducts(): Promise<void> {
    const trainer = this.#trainer;
    if (!trainer) return;
    this.#isBusy = true;
    try {
      await showProductCheck(trainer, kernelFiles, this.#settings);
    } catch (error) {
      // If the user changes the settings during the check, the device is closed, so the error is
      // expected.
      if (trainer === this.#trainer) throw error;
    } finally {
      this.#isBusy = false;
    }
  }

  /** Opens a device and compiles the kernels for it. */
  async #open(): Promise<TrainingLoop> {
    this.#isBusy = true;
    const { float } = this.#settings;
    const progress = byId('progress');
    try {
      this.#say('Opening the GPU…');
      this.#runtime ??= await Runtime.open({ float, matrix: matrixMode(float) });
      this.#trainer = await Trainer.open(this.#runtime, this.#plan, kernelFiles, (done, total) => {
        progress.hidden = false;
        progress.setAttribute('value', String(done));
        progress.setAttribute('max', String(total));
        this.#say(`Compiling kernels for this GPU: ${done} of ${total}`);
      });
      this.#showKernels();
      showLowering(this.#settings, this.#trainer);
      return this.#begin(this.#trainer);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#runtime) byId('help').replaceChildren(noGpuHelp(reason, stillThere));
      throw error;
    } finally {
      progress.hidden = true;
      this.#isBusy = false;
    }
  }

  #begin(trainer: Trainer): TrainingLoop {
    this.#samples = [];
    this.#loop = new TrainingLoop(trainer, alphabet.characters.indexOf('\n'), {
      onLosses: (losses) => {
        this.#speeds.finished(losses.length);
        this.#showFacts();
      },
      onSample: (sample) => this.#addSample(sample),
    });
    return this.#loop;
  }

  /** Starts again from the first step, with the current learning rate. */
  async #restart(): Promise<void> {
    if (this.#isBusy) return;
    await this.#loop?.pause();
    const rate = this.#settings.rates.at(-1)?.rate ?? this.#rateOfSlider();
    this.#settings = { ...this.#settings, goal: undefined, rates: [{ after: 0, rate }] };
    this.#trainer?.restart();
    if (this.#trainer) this.#begin(this.#trainer);
    this.#say('Restarted.');
    this.#showAll();
  }

  async #change(settings: Settings): Promise<void> {
    await this.#close();
    this.#settings = { ...settings, rates: settings.rates.slice(-1).map(({ rate }) => ({ after: 0, rate })) };
    this.#plan = this.#planOf();
    this.#say('Not started.');
    this.#showAll();
  }

  async #close(): Promise<void> {
    await this.#loop?.pause();
    this.#runtime?.close();
    [this.#runtime, this.#trainer, this.#loop, this.#samples] = [undefined, undefined, undefined, []];
  }

  #rateOfSlider(): number {
    const rate = minRate * (maxRate / minRate) ** (Number(this.#rate.value) / 100);
    return Number(rate.toPrecision(2));
  }

  #setRate(): void {
    const after = this.#trainer?.steps ?? 0;
    this.#settings = withRate(this.#settings, after, this.#rateOfSlider());
    this.#rateText.textContent = String(this.#rateOfSlider());
  }

  #bitsNow(): string | undefined {
    const last = this.#loop?.losses.at(-1);
    return last === undefined ? undefined : bitsOf(Float32Array.of(last))[0];
  }

  async #copyLink(): Promise<void> {
    const bits = this.#bitsNow();
    const step = this.#loop?.losses.length ?? 0;
    const rates = this.#settings.rates.filter(({ after }) => after === 0 || after < step);
    const goal = bits === undefined ? undefined : { step, bits };
    const address = new URL(location.href);
    address.hash = hashOf({ ...this.#settings, rates, goal });
    history.replaceState(null, '', address.href);
    try {
      await navigator.clipboard.writeText(address.href);
      byId('copied').textContent = 'Copied';
    } catch {
      byId('copied').textContent = 'The link is in the address bar';
    }
  }

  #say(text: string, kind = ''): void {
    byId('status').className = kind;
    byId('status').textContent = text;
  }

  #addSample(sample: Sample): void {
    const whole = this.#samples.filter(({ isWhole, from }) => isWhole && from !== sample.from);
    const kept = whole.length > keptSamples ? [...whole.slice(0, 1), ...whole.slice(1 - keptSamples)] : whole;
    this.#samples = [...kept, sample];
    this.#showSamples();
  }

  #showAll(): void {
    const rate = this.#settings.rates.at(-1)?.rate ?? minRate;
    this.#rate.value = String(Math.round((100 * Math.log(rate / minRate)) / Math.log(maxRate / minRate)));
    this.#rateText.textContent = String(rate);
    this.#showButtons();
    this.#showFacts();
    this.#showSamples();
    this.#showKernels();
    showLowering(this.#settings, this.#trainer);
  }

  #showButtons(): void {
    const done = this.#loop?.losses.length ?? 0;
    this.#start.textContent = this.#loop?.isRunning ? 'Pause' : done > 0 ? 'Continue' : 'Train';
    this.#again.hidden = done === 0;
  }

  #showFacts(): void {
    const losses = this.#loop?.losses ?? [];
    const { parameters, tokens, step } = this.#plan;
    const now = losses.at(-1);
    const bits = this.#bitsNow();
    byId('loss-now').textContent = now === undefined ? '' : `${now.toFixed(4)} after step ${losses.length}`;
    byId('chart').replaceChildren(lossChart(losses, Math.log(alphabet.characters.length)));
    const pace = this.#speeds.stepsPerSecond();
    const facts: readonly (readonly [string, string])[] = [
      ['Bits of the loss', bits ?? 'none yet'],
      ['Characters learned per second', pace === undefined ? 'not measured yet' : count(pace * tokens)],
      ['Steps per second', pace === undefined ? 'not measured yet' : rounded(pace)],
      ['Characters per step', count(tokens)],
      ['Parameters', count(parameters)],
      ['Launches per step', count(step.length)],
    ];
    byId('facts').replaceChildren(...facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
    const { size, float, matrices } = this.#settings;
    if (pace !== undefined) {
      const speed = `${rounded(pace)} steps and ${count(pace * tokens)} characters per second`;
      this.#speeds.show(`${size}, ${float} floats, ${matrices} matrices`, speed);
    }
  }

  #showSamples(): void {
    const list = this.#samples
      .toReversed()
      .flatMap(({ from, to, characters }) => [
        el('h3', {}, from === to ? `at step ${to}` : `from step ${from} to ${to}`),
        el('pre', {}, [...characters].map((number) => alphabet.characters[number] ?? '').join('') || ' '),
      ]);
    byId('samples').replaceChildren(...(list.length > 0 ? list : [el('p', { class: 'note' }, 'No samples yet.')]));
  }

  #showKernels(): void {
    const { step, setup, draw, slide } = this.#plan;
    const trainer = this.#trainer;
    const wgslOf = trainer && ((launch: Parameters<Trainer['wgslOf']>[0]) => trainer.wgslOf(launch));
    const others = [...setup, ...draw(0, 0), slide];
    const list = kernelList({ step, others, files: kernelFiles, cuda: cudaSources, wgslOf });
    byId('kernel-count').textContent = `${list.length} of them`;
    byId('kernels').replaceChildren(...list);
  }
}

function describe(name: keyof typeof sizes): string {
  const { layers, width, context, batch } = sizes[name];
  return `${name}: ${layers} ${layers === 1 ? 'layer' : 'layers'} of ${width}, ${batch} × ${context} characters`;
}

/** Formats a number with three significant digits, or with all digits before the decimal point. */
const rounded = (value: number): string => (value < 100 ? value.toPrecision(3) : count(value));

const count = (value: number): string => Math.round(value).toLocaleString('en');

new Page();
