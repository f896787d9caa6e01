// Forms of asynchronous updates and barriers in clusters of two blocks. Each block writes the tile of
// the other block, and completes the other block's mbarrier.
import type { AsyncForm } from './async-form.ts';

const clusterBarrier = ['barrier.cluster.arrive;', 'barrier.cluster.wait;'] as const;

/** Whether the instruction orders the stores of one block before the loads of the other. */
const ordersBlocks = ({ row: { name } }: AsyncForm): boolean =>
  name.startsWith('barrier.cluster.') || name.startsWith('mbarrier.arrive');

/** Whether the form has a variant for two blocks. */
function isRemote({ row: { name }, mods }: AsyncForm): boolean {
  if (name.startsWith('barrier.cluster.') || /bulk\.(move|multicast)$/.test(name)) return true;
  if (/^(st|red)\.async$/.test(name)) return mods.space !== undefined;
  // The own block may complete the phase before the other block expects bytes in it.
  return mods.space === 'shared::cluster' && mods.scope === 'cluster' && name !== 'mbarrier.expect_tx';
}

/** The places of the other block, in the registers of `kernelText`. */
const remotePlaces: Readonly<Record<string, string>> = {
  '[%slot]': '[%far]',
  '[bar]': '[%away]',
  '[%remote]': '[%away]',
  '[tile]': '[%fartile]',
};

const inOtherBlock = (line: string): string =>
  line.replace(/\[(%slot|bar|%remote|tile)\]/g, (place) => remotePlaces[place] ?? place);

function remoteLines(form: AsyncForm, line: string): readonly string[] {
  if (line === 'bar.sync 0;') return clusterBarrier;
  // The mask of a multicast names the other block.
  if (line.endsWith(form.instruction)) return [form.row.types.mask === undefined ? inOtherBlock(line) : line];
  if (line.startsWith('st.shared.')) return [inOtherBlock(line.replace('st.shared.', 'st.shared::cluster.'))];
  return [
    line
      .replace('fence.acq_rel.cta', 'fence.acq_rel.cluster')
      .replace('test_wait.parity.shared.', 'test_wait.parity.acquire.cluster.shared::cta.'),
  ];
}

/** Returns the variant of a form for two blocks. Undefined if the form accesses one block only. */
function pairOf(form: AsyncForm): AsyncForm | undefined {
  if (!isRemote(form)) return undefined;
  return {
    ...form,
    form: `${form.form}-pair`,
    isPair: true,
    instruction: form.row.types.mask === undefined ? inOtherBlock(form.instruction) : form.instruction,
    body: [...form.body.flatMap((line) => remoteLines(form, line)), ...(ordersBlocks(form) ? [] : clusterBarrier)],
  };
}

/** Returns the forms with their variants for two blocks. */
export const withPairs = (forms: readonly AsyncForm[]): readonly AsyncForm[] => [
  ...forms,
  ...forms.flatMap((form) => pairOf(form) ?? []),
];
