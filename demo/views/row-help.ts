// Help texts, which are created from an ISA row.
import type { IsaRow } from '../../src/isa/index.ts';
import { el } from '../dom.ts';

const manual = 'https://docs.nvidia.com/cuda/parallel-thread-execution/#';

export function rowHelp(row: IsaRow): HTMLElement {
  const choices = Object.entries(row.where ?? {}).map(([name, values]) =>
    el(
      'div',
      { class: 'help-slot' },
      el('code', {}, `.${name}`),
      ` = ${values.map((value) => `.${value}`).join(', ')}`,
    ),
  );
  const removed = row.removed
    ? [el('div', {}, `Removed for ${row.removed.target} from PTX ${row.removed.ptx} on: use ${row.removed.instead}.`)]
    : [];
  return el(
    'div',
    { class: 'help' },
    el('code', { class: 'help-syntax' }, row.syntax),
    el('div', {}, row.doc.replaceAll('`', '')),
    ...choices,
    ...removed,
    el(
      'div',
      { class: 'help-foot' },
      `PTX ${row.ptx}, ${row.target}. `,
      el('a', { href: manual + row.section, target: '_blank', rel: 'noopener' }, 'PTX manual'),
    ),
  );
}
