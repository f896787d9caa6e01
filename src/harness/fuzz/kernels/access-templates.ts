// Templates of loads and stores with all modifiers of their rows except types and vectors: orders,
// scopes, spaces, cache operators, policies.
import { type IsaRow, type Mods, memoryRows } from '../../../isa/index.ts';
import { patternOf } from '../../../isa/match.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { anyInstructionText } from '../../suites/rows/instruction-text.ts';
import { dialectsFor } from './dialects.ts';
import { classes, type LaneTemplate, written } from './lane-template.ts';

const names = ['ld', 'ld.volatile', 'ld.global.nc', 'ldu', 'st', 'st.volatile'];
const rows: readonly IsaRow[] = memoryRows.filter(({ name }) => names.includes(name));

/**
 * For each state space that an instruction may name, the place of a thread's 16 bytes.
 * print/calls.ts covers the parameters of calls.
 */
const placeOf: Readonly<Record<string, string>> = {
  global: 'MEM', shared: 'CELL', 'shared::cta': 'CELL', 'shared::cluster': 'CELL', local: 'STACK', const: 'TABLE', param: 'BLOB', 'param::entry': 'BLOB',
}; // biome-ignore format: a table

/** Returns modifiers that include the modifier under test and all required modifiers. */
function modsWith(row: IsaRow, slot: string, value: string): Mods {
  const isOrdered = row.where?.sem !== undefined;
  const order = { sem: 'relaxed', scope: 'gpu' };
  const base = { ...(isOrdered ? order : {}), type: 'u32', ...(row.where?.space ? { space: 'global' } : {}) };
  const mods: Mods = { ...base, [slot]: value };
  if (mods.sem !== 'volatile') return mods;
  const { scope: _, ...unscoped } = mods;
  return unscoped;
}

const bytesOf = (type = 'u32'): number => Number(/\d+$/.exec(type)?.[0] ?? 32) / 8;

function templateOf(row: IsaRow, mods: Mods): LaneTemplate | undefined {
  const isLoad = row.writes.length > 0;
  // Use memory to which no thread writes. `ldu` requires an address that all lanes share.
  const readOnly = row.name === 'ldu' ? 'BASE' : row.name === 'ld.global.nc' ? 'IN' : undefined;
  const place = readOnly ?? (mods.space === undefined ? 'MEM' : placeOf[mods.space]);
  // Exclude stores to kernel parameters, which are read-only.
  const isRefused = !isLoad && mods.space?.startsWith('param');
  if (place === undefined || isRefused || objectionTo(row, mods) !== undefined) return undefined;
  const name = classes[mods.type ?? ''] ?? 'r';
  const count = Number(mods.vec?.slice(1) ?? 1);
  const letter = isLoad ? 'D' : 'S';
  const value = count === 1 ? `${letter}0` : `{${Array.from({ length: count }, (_, i) => `${letter}${i}`).join(', ')}}`;
  const offset = count === 1 ? bytesOf(mods.type) : 0;
  const isHinted = mods.hint !== undefined || mods.level === 'L2::cache_hint';
  const operands = { d: value, a: `[${place}+${offset}]`, b: value, ...(isHinted ? { policy: 'T0' } : {}) };
  const line = anyInstructionText(row, mods, operands);
  const policy = 'createpolicy.fractional.L2::evict_last.b64 T0, 0f3f800000; ';
  const registers = name.repeat(count);
  const template = written(
    mods.sem === undefined || mods.sem === 'volatile' ? 'access' : 'ordered',
    `${isHinted ? policy : ''}${line}`,
    isLoad ? registers : '',
    isLoad ? '' : registers,
    isHinted ? 'd' : '',
  );
  return { ...template, dialects: template.dialects.filter((dialect) => dialectsFor(row, mods).includes(dialect)) };
}

/**
 * Returns forms that contain each value of each slot, and each flag, once. They also contain orders
 * with every scope, and the generic space.
 */
function formsOf(row: IsaRow): Mods[] {
  const single = patternOf(row).parts.flatMap(({ name, values, slot, optional }) =>
    slot || optional ? values.map((value) => modsWith(row, name, value)) : [],
  );
  const { sem = [], scope = [] } = row.where ?? {};
  const ordered = sem.flatMap((order) => scope.map((range) => ({ ...modsWith(row, 'sem', order), scope: range })));
  const { space: _, ...generic } = modsWith(row, 'type', 'u32');
  return [...single, ...ordered, generic];
}

export const accessTemplates: readonly LaneTemplate[] = rows.flatMap((row) =>
  formsOf(row).flatMap((mods) => templateOf(row, mods) ?? []),
);
