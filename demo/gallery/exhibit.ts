// The common parts of the exhibits: a heading, a button, a status text, a picture, and the source
// texts of the kernels.
import { Runtime } from '../../src/runtime/index.ts';
import { type Child, el } from '../dom.ts';
import { kernelList } from '../gpt/kernel-list.ts';
import type { PlannedLaunch } from '../gpt/launches.ts';
import { encodeState } from '../link.ts';
import { initialState } from '../state.ts';
import { noGpuHelp } from '../views/gpu-card.ts';
import type { GalleryPlan } from './plans.ts';
import { Stage } from './stage.ts';

const texts: Record<string, string> = import.meta.glob<string>('./kernels/*.{cu,ptx}', {
  query: '?raw',
  import: 'default',
  eager: true,
});

let opened: Promise<Runtime> | undefined;

/** Opens the page's only device, once. */
function openRuntime(): Promise<Runtime> {
  opened ??= Runtime.open({ float: 'fast' }).catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

export interface ExhibitText {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** The name of the file with the exhibit's kernels, without an extension. */
  readonly file: string;
  /** The unit for which launches are counted. */
  readonly per: string;
}

export class Exhibit {
  readonly root: HTMLElement;
  readonly start = el('button', { type: 'button', class: 'primary' });
  readonly controls = el('div', { class: 'bar' }, this.start);
  readonly picture = el('div', { class: 'picture' });
  readonly #status: HTMLElement;
  readonly #sources = el('div');
  /** Links that open each kernel of the file in the playground. */
  readonly #edit = el('p', { class: 'edit' });
  readonly #help = el('div');
  readonly #text: ExhibitText;
  #stage: Stage | undefined;

  constructor(text: ExhibitText, plan: GalleryPlan, startText: string, ...controls: readonly Child[]) {
    this.#text = text;
    this.#status = el('p', { role: 'status', id: `${text.id}-status` });
    this.start.textContent = startText;
    this.start.id = `${text.id}-start`;
    this.controls.append(...controls.filter((child) => child !== undefined && child !== false));
    const title = `${text.id}-title`;
    this.root = el(
      'section',
      { 'aria-labelledby': title },
      el('h2', { id: title }, text.title),
      el('p', { class: 'lead' }, text.about),
      this.controls,
      this.#status,
      this.#help,
      this.picture,
      this.#edit,
      this.#sources,
    );
    void this.#linkPlayground(plan);
    this.#show(plan.launches);
  }

  async #linkPlayground({ launches }: GalleryPlan): Promise<void> {
    // The texts are always defined, because the build includes the files.
    const ptx = texts[`./kernels/${this.#text.file}.ptx`] ?? '';
    const cuda = texts[`./kernels/${this.#text.file}.cu`] ?? ''; // The build includes the file.
    const kernels = [...new Map(launches.map((launch) => [launch.kernel, launch])).values()];
    const links = await Promise.all(
      kernels.map(async ({ kernel, block }) => {
        const hash = await encodeState({
          ...initialState,
          text: ptx,
          cuda,
          entry: kernel,
          block: [block[0], block[1], 1],
          grid: [1, 1, 1],
        });
        return hash === undefined ? [] : [' ', el('a', { href: `./index.html#${hash}` }, kernel)];
      }),
    );
    this.#edit.replaceChildren('Edit this in the playground:', ...links.flat());
  }

  /** Opens the stage of a plan and closes the previous stage. */
  async open(plan: GalleryPlan): Promise<Stage> {
    this.#stage?.free();
    this.#stage = undefined;
    const { file } = this.#text;
    this.say('Compiling for this GPU…');
    const stage = await Stage.open(await openRuntime(), texts[`./kernels/${file}.ptx`] ?? '', plan);
    this.#stage = stage;
    this.#show(plan.launches);
    return stage;
  }

  say(text: string, kind = ''): void {
    this.#status.className = kind;
    this.#status.textContent = text;
  }

  /** Runs the action of a button. If the action fails, shows the error. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.say(reason, 'bad');
      if (!opened) this.#help.replaceChildren(noGpuHelp(reason, 'The page still shows the kernels.'));
    }
  }

  #show(launches: readonly PlannedLaunch[]): void {
    const { file, per } = this.#text;
    const stage = this.#stage;
    this.#sources.replaceChildren(
      ...kernelList({
        step: launches,
        others: [],
        per,
        files: [{ name: `${file}.ptx`, ptx: texts[`./kernels/${file}.ptx`] ?? '' }],
        cuda: new Map([[`${file}.cu`, texts[`./kernels/${file}.cu`] ?? '']]),
        wgslOf: stage && ((launch) => stage.wgslOf(launch)),
      }),
    );
  }
}
