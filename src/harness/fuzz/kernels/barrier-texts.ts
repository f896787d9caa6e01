// Barriers of the whole block, in every form. The printer replaces letters with registers and
// numbers, as print/exchange.ts explains.

import { getOrInsert } from '../../../base/maps.ts';
import { type IsaRow, memoryRows } from '../../../isa/index.ts';
import { anyInstructionText, modChoices } from '../../suites/rows/instruction-text.ts';
import { type Dialect, dialects, dialectsOfLines } from './dialects.ts';

const rows: readonly IsaRow[] = memoryRows;

/**
 * Returns all forms of a row: with the barrier's number in a register (`B`) or constant, with or
 * without a thread count (`N`), and with or without a negated `P`.
 */
function textsOf(name: string): string[] {
  const row = rows.find((each) => each.name === name);
  if (row === undefined) throw new RangeError(`no row ${name}`);
  const alwaysCounts = row.syntax.includes('a, b');
  const arrives = name.endsWith('.arrive');
  return modChoices(row).flatMap((mods, index) =>
    [0, 1, 2].map((way) => {
      const counts = alwaysCounts || way > 0;
      const a = (index + way) % 2 === 0 ? `${arrives ? 1 + ((index + 3 * way) % 15) : (index + 3 * way) % 16}` : 'B';
      const c = way === 1 ? '!P' : 'P';
      const results = { d: 'D', p: 'Q' };
      return anyInstructionText(row, mods, { ...results, a, c, ...(counts ? { b: way === 1 ? 'N' : 'M' } : {}) });
    }),
  );
}

/** Cluster barriers. A fence adds the order that a relaxed barrier lacks. */
export const clusterBarriers = ['', '.aligned'].flatMap((aligned) => [
  `barrier.cluster.arrive${aligned}; barrier.cluster.wait${aligned}`,
  `barrier.cluster.arrive.release${aligned}; barrier.cluster.wait.acquire${aligned}`,
  `fence.acq_rel.cluster; barrier.cluster.arrive.relaxed${aligned}; barrier.cluster.wait${aligned}`,
]);

/**
 * Instructions that release registers of a warp and allocate them again, on architecture-specific
 * targets. `ptxas` ignores them if the kernel does not declare its register count.
 */
const ofRegisters = 'setmaxnreg.dec.sync.aligned.u32 40; bar.sync 0; setmaxnreg.inc.sync.aligned.u32 88';

const plain = 'bar.sync 0';

/** The forms in groups. Each group is drawn equally often, regardless of its number of forms. */
const groups: readonly (readonly string[])[] = [
  [plain],
  ...['bar.sync', 'barrier.sync', 'bar.red.popc', 'bar.red', 'barrier.red.popc', 'barrier.red'].map(textsOf),
  clusterBarriers,
  [ofRegisters],
];

const within = (dialect: Dialect, text: string): boolean =>
  dialectsOfLines(text.split('; ')).includes(dialect) &&
  (!text.startsWith('setmaxnreg') || dialects[dialect].target.endsWith('a'));

const possible = (dialect: Dialect): readonly (readonly string[])[] =>
  groups.map((texts) => texts.filter((text) => within(dialect, text))).filter((texts) => texts.length > 0);

/** Forms of barriers at which some threads only arrive, while others wait. */
const arrivals = ['bar.arrive', 'barrier.arrive'].flatMap(textsOf);

const known = new Map<
  Dialect,
  { readonly barriers: readonly (readonly string[])[]; readonly arrivals: readonly string[] }
>();

export function barriersOf(dialect: Dialect) {
  return getOrInsert(known, dialect, () => ({
    barriers: possible(dialect),
    arrivals: arrivals.filter((text) => within(dialect, text)),
  }));
}
