// Split barriers: every thread writes its slot, arrives, waits, and reads another thread's slot.
import { clusterRows, type IsaRow, type Mods, mbarrierRows } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { anyInstructionText, modChoices } from '../rows/instruction-text.ts';
import { type AsyncForm, threads, waitForPhase } from './async-form.ts';

const store = 'st.shared.v4.u32 [%slot], {%b0, %b1, %b2, %b3};';
const base = { version: '8.6', target: 'sm_90', result: 'peer', form: 'exchange' } as const;
const exchanged: Pick<AsyncForm, 'expected'> = { expected: ({ from }) => from };
/** Returns the fence that a relaxed order needs. */
const fenced = ({ sem }: Mods): readonly string[] => (sem === 'relaxed' ? ['fence.acq_rel.cta;'] : []);

/**
 * An arrival: the number of arrivals that complete the phase, and the other instructions that
 * complete it.
 */
interface Arrival {
  readonly arrivals: number;
  readonly operands: Readonly<Record<string, string>>;
  readonly after: readonly string[];
}

function arrivalOf({ name }: IsaRow, isCounted: boolean): Arrival {
  if (name.endsWith('.noComplete'))
    return {
      arrivals: 2 * threads + 1,
      operands: { n: '2' },
      after: ['bar.sync 0;', '@%first mbarrier.arrive.shared.b64 _, [bar];'],
    };
  if (name.endsWith('.expect_tx'))
    return { arrivals: threads, operands: { tx: '12' }, after: ['mbarrier.complete_tx.shared.b64 [bar], 12;'] };
  return isCounted
    ? { arrivals: 3 * threads, operands: { n: '3' }, after: [] }
    : { arrivals: threads, operands: {}, after: [] };
}

function arrivals(row: IsaRow): AsyncForm[] {
  return modChoices(row)
    .filter((mods) => objectionTo(row, mods) === undefined)
    .flatMap((mods) =>
      (row.syntax.includes('{, n}') ? [false, true] : [false]).map((isCounted): AsyncForm => {
        const { arrivals: count, operands, after } = arrivalOf(row, isCounted);
        const [d, a] =
          mods.space === 'shared::cluster'
            ? ['_', '[%remote]']
            : ['%state', mods.space === undefined ? '[%object]' : '[bar]'];
        const instruction = `${anyInstructionText(row, mods, { d, a, ...operands })};`;
        return {
          ...base,
          ...exchanged,
          row,
          mods,
          form: isCounted ? 'counted' : 'exchange',
          instruction,
          arrivals: count,
          body: ['bar.sync 0;', store, ...fenced(mods), instruction, ...after, ...waitForPhase],
        };
      }),
    );
}

function tests(row: IsaRow): AsyncForm[] {
  const asked = row.types.parity === undefined ? { state: '%state' } : { parity: '0' };
  return modChoices(row)
    .filter((mods) => objectionTo(row, mods) === undefined)
    .map((mods): AsyncForm => {
      const a = mods.space === undefined ? '[%object]' : '[bar]';
      const instruction = `${anyInstructionText(row, mods, { d: '%done', a, ...asked })};`;
      const loop = ['V:', instruction, '@!%done bra V;'];
      const body = ['bar.sync 0;', store, 'mbarrier.arrive.shared.b64 %state, [bar];', ...loop, ...fenced(mods)];
      return { ...base, ...exchanged, row, mods, instruction, arrivals: threads, body };
    });
}

/** Returns forms in which transactions are expected and completed without a copy. */
function transfers(row: IsaRow): AsyncForm[] {
  const isExpected = row.name === 'mbarrier.expect_tx';
  return modChoices(row)
    .filter((mods) => objectionTo(row, mods) === undefined)
    .map((mods): AsyncForm => {
      const a = mods.space === 'shared::cluster' ? '[%remote]' : mods.space === undefined ? '[%object]' : '[bar]';
      const instruction = `${anyInstructionText(row, mods, { a, tx: '8' })};`;
      const other = `mbarrier.${isExpected ? 'complete_tx' : 'expect_tx'}.shared.b64 [bar], 8;`;
      const pair = isExpected ? [instruction, other] : [other, instruction];
      const body = ['bar.sync 0;', store, ...pair, 'mbarrier.arrive.shared.b64 %state, [bar];', ...waitForPhase];
      return { ...base, ...exchanged, row, mods, instruction, arrivals: threads, body };
    });
}

/**
 * Returns the form of the pending count. The first thread arrives twice, and stores the pending
 * count before each arrival. The other threads' slots do not change.
 */
const pending = (row: IsaRow): AsyncForm => {
  const instruction = `${anyInstructionText(row, {}, { d: '%w', state: '%state' })};`.replaceAll('%w', '%b1');
  return {
    ...base,
    row,
    mods: {},
    form: 'counts',
    instruction,
    arrivals: 100,
    body: [
      'bar.sync 0;',
      '@!%first bra E;',
      'mbarrier.arrive.shared.b64 %state, [bar], 7;',
      'mbarrier.pending_count.b64 %b0, %state;',
      'mbarrier.arrive.shared.b64 %state, [bar];',
      instruction,
      'st.shared.v2.u32 [%slot], {%b0, %b1};',
      'E:',
      'bar.sync 0;',
    ],
    expected:
      ({ tile }) =>
      (at) =>
        at === 0 ? 100 : at === 1 ? 93 : tile(at),
  };
};

const clusterBarrier = (row: IsaRow): AsyncForm[] =>
  modChoices(row).map((mods): AsyncForm => {
    const instruction = `${anyInstructionText(row, mods, {})};`;
    const isWait = row.name === 'barrier.cluster.wait';
    const body = [
      'bar.sync 0;',
      store,
      ...(mods.sem === 'relaxed' ? ['fence.acq_rel.cluster;'] : []),
      ...(isWait ? ['barrier.cluster.arrive;', instruction] : [instruction, 'barrier.cluster.wait;']),
    ];
    return { ...base, ...exchanged, row, mods, instruction, arrivals: 1, body };
  });

export function barrierForms(): AsyncForm[] {
  const ofObjects = mbarrierRows.flatMap((row: IsaRow): AsyncForm[] => {
    if (/^mbarrier\.arrive/.test(row.name)) return arrivals(row);
    if (/_wait/.test(row.name)) return tests(row);
    if (/^mbarrier\.(expect|complete)_tx$/.test(row.name)) return transfers(row);
    return row.name === 'mbarrier.pending_count' ? [pending(row)] : [];
  });
  const ofClusters = clusterRows.flatMap((row: IsaRow) => (row.kind === 'barrier' ? clusterBarrier(row) : []));
  return [...ofObjects, ...ofClusters];
}
