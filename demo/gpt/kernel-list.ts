// Lists the kernels of the training: the number of launches in a step, and each kernel's CUDA, PTX
// and WGSL.
import { el } from '../dom.ts';
import type { PlannedLaunch } from './launches.ts';
import type { KernelFile } from './trainer.ts';

export interface KernelListOptions {
  readonly step: readonly PlannedLaunch[];
  /** The launches outside of steps. */
  readonly others: readonly PlannedLaunch[];
  /** The unit for which launches are counted; by default `step`. */
  readonly per?: string;
  readonly files: readonly KernelFile[];
  readonly cuda: ReadonlyMap<string, string>;
  /** Returns the WGSL of a launch. Undefined until a GPU is open. */
  readonly wgslOf: ((launch: PlannedLaunch) => string) | undefined;
}

/** Returns an element for each kernel. An opened element shows the kernel's texts. */
export function kernelList({ step, others, per = 'step', files, cuda, wgslOf }: KernelListOptions): HTMLElement[] {
  const first = new Map<string, PlannedLaunch>();
  for (const launch of [...step, ...others]) if (!first.has(launch.kernel)) first.set(launch.kernel, launch);
  return [...first.values()].map((launch) => {
    const { kernel, block } = launch;
    const file = files.find(({ ptx }) => ptx.includes(`.entry ${kernel}(`));
    const count = step.filter((one) => one.kernel === kernel).length;
    const often = count === 0 ? `outside of ${per}s` : `${count} ${count === 1 ? 'launch' : 'launches'} a ${per}`;
    const texts = el('div', { class: 'sources' });
    const details = el(
      'details',
      { class: 'kernel' },
      el(
        'summary',
        {},
        el('code', {}, kernel),
        el(
          'span',
          { class: 'note' },
          `${often}, blocks of ${block.filter((size, at) => at === 0 || size > 1).join(' × ')}`,
        ),
      ),
      texts,
    );
    details.addEventListener('toggle', () => {
      if (!details.open) return;
      const source = file?.name.replace('.ptx', '.cu') ?? '';
      texts.replaceChildren(
        text(`CUDA, ${source}`, cudaOf(cuda.get(source) ?? '', kernel)),
        text('PTX, by nvcc', ptxOf(file?.ptx ?? '', kernel)),
        text('WGSL, for this GPU', wgslOf?.(launch) ?? 'The WGSL depends on the GPU. Start the kernel to see it.'),
      );
    });
    return details;
  });
}

function text(title: string, code: string): HTMLElement {
  return el(
    'div',
    {},
    el('h3', {}, title),
    el('pre', { tabindex: '0', role: 'region', 'aria-label': title }, el('code', {}, code)),
  );
}

/** Returns the CUDA source of the kernel with the comment before it. */
function cudaOf(file: string, kernel: string): string {
  const at = file.indexOf(`extern "C" __global__ void ${kernel}(`);
  const before = /(?:\/\/\/[^\n]*\n)*$/.exec(file.slice(0, at))?.[0] ?? '';
  const end = file.indexOf('\n}\n', at);
  return before + file.slice(at, end + 2);
}

function ptxOf(file: string, kernel: string): string {
  const at = file.indexOf(`.visible .entry ${kernel}(`);
  return file.slice(at, file.indexOf('\n}', at) + 2);
}
