// Copies that a thread waits for, and bulk copies that complete through mbarriers or bulk groups.
import { copyRows, type IsaRow } from '../../../isa/index.ts';
import { anyInstructionText, modChoices } from '../rows/instruction-text.ts';
import { type AsyncForm, bulkBody, policy, tileBytes, words } from './async-form.ts';

const bytes = 4 * words;
const ampere = { version: '7.8', target: 'sm_80' } as const;
const hopper = { version: '8.6', target: 'sm_90' } as const;
const waitOwn = ['cp.async.commit_group;', 'cp.async.wait_group 0;', 'bar.sync 0;'] as const;

/** Returns byte `i` of a slot of little-endian words. */
const byteOf = (word: (at: number) => number, i: number): number => (word(i >> 2) >>> (8 * (i & 3))) & 0xff;
const wordOf = (byte: (i: number) => number, at: number): number =>
  [0, 1, 2, 3].reduce((sum, i) => sum + byte(4 * at + i) * 2 ** (8 * i), 0) >>> 0;

/** The size of a copy: the number of source bytes that it reads, by thread. */
interface Size {
  readonly form: string;
  readonly operand: string | undefined;
  readonly set: readonly string[];
  readonly taken: (thread: number, n: number) => number;
}

const sizes: readonly Size[] = [
  { form: 'whole', operand: undefined, set: [], taken: (_, n) => n },
  {
    form: 'part',
    operand: '%size',
    set: ['and.b32 %size, %t, 31;', 'min.u32 %size, %size, N;'],
    taken: (thread, n) => Math.min(thread & 31, n),
  },
  {
    form: 'predicate',
    operand: '%ignore',
    set: ['and.b32 %size, %t, 3;', 'setp.eq.u32 %ignore, %size, 1;'],
    taken: (thread, n) => ((thread & 3) === 1 ? 0 : n),
  },
];

/**
 * An instruction that does not change the address, but hides from `ptxas` that the address is a
 * variable plus an index. For a copy with such an address and a policy, `ptxas` emits an illegal
 * instruction.
 */
const unlikeIndex = 'max.u32 %slot, %slot, 1;';

function smallCopies(row: IsaRow): AsyncForm[] {
  return modChoices(row).flatMap((mods) =>
    // A policy does not change the copied bytes, so one size is enough.
    (mods.cop === 'cg' || row.types.policy !== undefined ? [16] : [4, 8, 16]).flatMap((n) =>
      sizes.map(({ form, operand, set, taken }): AsyncForm => {
        const size = operand === undefined ? {} : { size: operand };
        const texts = { to: '[%slot]', a: '[%source]', n: `${n}`, ...size, policy: '%policy' };
        const instruction = `${anyInstructionText(row, mods, texts)};`;
        return {
          ...ampere,
          row,
          mods,
          form: `${n}-${form}`,
          instruction,
          body: [
            ...(row.types.policy ? [policy, unlikeIndex] : []),
            ...set.map((line) => line.replace('N', `${n}`)),
            instruction,
            ...waitOwn,
          ],
          arrivals: 1,
          result: 'peer',
          expected:
            ({ tile, from }) =>
            (at) =>
              wordOf((i) => {
                const [thread, byte] = [Math.floor(i / bytes), i % bytes];
                if (byte >= n) return byteOf(tile, i);
                return byte < taken(thread, n) ? byteOf(from, i) : 0;
              }, at),
        };
      }),
    ),
  );
}

/**
 * Returns forms that copy in two groups. The second group may still be in progress after the first
 * wait.
 */
function groupWaits(): AsyncForm[] {
  const copies = (wait: readonly string[]): readonly string[] => [
    'cp.async.ca.shared.global [%slot], [%source], 8;',
    'cp.async.commit_group;',
    'cp.async.ca.shared.global [%slot+8], [%source+8], 8;',
    ...wait,
    'bar.sync 0;',
  ];
  const waits: Readonly<Record<string, readonly string[]>> = {
    'cp.async.commit_group': ['cp.async.commit_group;', 'cp.async.wait_group 0;'],
    'cp.async.wait_group': ['cp.async.commit_group;', 'cp.async.wait_group 1;', 'cp.async.wait_group 0;'],
    'cp.async.wait_all': ['cp.async.wait_all;'],
  };
  return copyRows.flatMap((row) => {
    const wait = waits[row.name];
    if (wait === undefined) return [];
    return [
      {
        ...ampere,
        row,
        mods: {},
        form: 'groups',
        instruction: wait[wait.length - 1] ?? '',
        body: copies(wait),
        arrivals: 1,
        result: 'peer',
        expected: ({ from }) => from,
      },
    ];
  });
}

function bulkCopies(row: IsaRow): AsyncForm[] {
  return modChoices(row).map((mods): AsyncForm => {
    const toShared = row.name !== 'cp.async.bulk.store';
    const places = {
      'cp.async.bulk.load': { to: '[tile]', a: '[%block]' },
      'cp.async.bulk.multicast': { to: '[tile]', a: '[%block]', mask: '%mask' },
      'cp.async.bulk.move': { to: '[tile]', a: '[from]' },
      'cp.async.bulk.store': { to: '[%target]', a: '[from]' },
    }[row.name];
    const hinted = mods.level === undefined ? {} : { policy: '%policy' };
    const instruction = `${anyInstructionText(row, mods, { ...places, n: tileBytes, bar: '[bar]', ...hinted })};`;
    return {
      ...hopper,
      row,
      mods,
      form: 'tile',
      instruction,
      body: bulkBody(mods, instruction, toShared),
      arrivals: 1,
      result: toShared ? 'peer' : 'global',
      expected: ({ from }) => from,
    };
  });
}

export function copyForms(): AsyncForm[] {
  return copyRows
    .flatMap((row: IsaRow): AsyncForm[] => {
      if (row.name === 'cp.async' || row.name === 'cp.async.policy') return smallCopies(row);
      return /\.(load|multicast|move|store)$/.test(row.name) ? bulkCopies(row) : [];
    })
    .concat(groupWaits());
}
