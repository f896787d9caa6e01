// Templates of atomics on memory that only one thread accesses: every operation, type and vector,
// with global, shared and generic addresses, and any values. print/contended.ts covers concurrent
// accesses.
import { type IsaRow, type Mods, memoryRows } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { anyInstructionText, modChoices } from '../../suites/rows/instruction-text.ts';
import { dialectsFor } from './dialects.ts';
import { classes, type LaneTemplate, written } from './lane-template.ts';

/** The text of an address of each kind. `prepare` computes the address into T0. */
interface Cell {
  readonly space?: string;
  readonly at: (offset: number) => string;
  readonly prepare?: string;
}

const cells: readonly Cell[] = [
  { space: 'global', at: (offset) => `[MEM+${offset}]` },
  { space: 'shared', at: (offset) => `[CELL+${offset}]` },
  { at: (offset) => `[MEM+${offset}]` },
  { at: (offset) => `[T0+${offset}]`, prepare: 'cvt.u64.u32 T0, CELL; cvta.shared.u64 T0, T0' },
];

const bitsOf = (type: string): number => (type.endsWith('x2') ? 32 : Number(/\d+$/.exec(type)?.[0] ?? 32));

/** A few orders and scopes are enough, because their effect is visible only between threads. */
const orders: readonly Mods[] = [
  {},
  { sem: 'relaxed', scope: 'gpu' },
  { sem: 'acq_rel', scope: 'sys' },
  { sem: 'release', scope: 'cta' },
];

function templatesOf(row: IsaRow): LaneTemplate[] {
  const { sem: _, scope: __, space: ___, level: ____, ...where } = row.where ?? {};
  // The choices of operation and type. The caller adds the space, order and scope.
  const syntax = row.syntax.replace('{.sem}{.scope}{.space}', '').replace('{.level}', '');
  return modChoices({ ...row, where, syntax }).flatMap((mods, number) =>
    cells.flatMap((cell, place) => {
      const order = orders[(number + place) % (3 * orders.length)] ?? {};
      const ordered = row.where?.sem?.includes(order.sem ?? 'relaxed') ? order : {};
      const all: Mods = { ...mods, ...ordered, ...(cell.space === undefined ? {} : { space: cell.space }) };
      // Vectors require global memory. They may use a generic address.
      if (mods.vec !== undefined && cell.prepare !== undefined) return [];
      return objectionTo(row, all) === undefined ? [templateOf(row, all, cell)] : [];
    }),
  );
}

/**
 * Returns one operation for each of these modifiers: every order with every scope, every window of
 * shared memory, and cache policies.
 */
function modifiedTemplates(row: IsaRow): LaneTemplate[] {
  const base: Mods = row.where?.op === undefined ? { type: 'b32' } : { op: 'add', type: 'u32' };
  const { sem = [], scope = [], space = [], level = [] } = row.where ?? {};
  const pairs = sem.flatMap((order) => scope.map((range): Mods => ({ sem: order, scope: range })));
  const forms: Mods[] = [
    ...pairs.map((pair, index) => ({ ...pair, space: space[index % space.length] ?? 'global' })),
    ...space.map((window) => ({ space: window })),
    ...level.flatMap((policy) => [
      { level: policy, space: 'global' },
      { level: policy, space: 'global', type: 'f32', vec: 'v2' },
    ]),
  ];
  return forms.map((form): LaneTemplate => {
    const place = form.space === 'global' ? 'MEM' : 'CELL';
    return templateOf(row, { ...base, ...form }, { at: (offset) => `[${place}+${offset}]` });
  });
}

const policy = (index: number): string => `createpolicy.fractional.L2::evict_first.b64 T${index}, 0f3f000000`;

function templateOf(row: IsaRow, mods: Mods, { at, prepare }: Cell): LaneTemplate {
  const { type = 'b32', vec } = mods;
  const isHinted = mods.level !== undefined;
  const count = Number(vec?.slice(1) ?? 1);
  const name = classes[type] ?? 'r';
  const bytes = bitsOf(type) / 8;
  // Use a nonzero offset that fits the type. A vector fits only at offset 0.
  const offset = count > 1 ? 0 : { 2: 6, 4: 4, 8: 8 }[bytes];
  // There are fewer registers than a vector has elements, so registers repeat.
  const list = (letter: string, most: number): string =>
    count === 1 ? `${letter}0` : `{${Array.from({ length: count }, (_, i) => `${letter}${i % most}`).join(', ')}}`;
  const results = row.writes.length > 0 ? (vec === undefined ? name : '') : '';
  const first = prepare === undefined ? 0 : 1;
  // The old values of a vector are in temporaries, because there are too few 16-bit registers.
  const old = vec === undefined ? 'D0' : `{${Array.from({ length: count }, (_, i) => `T${first + i}`).join(', ')}}`;
  const kept = vec !== undefined && row.writes.length > 0;
  const sources = name.repeat(row.types.c === undefined ? Math.min(count, 2) : 2);
  const last = first + (kept ? count : 0);
  const operands = {
    d: old,
    a: at(offset ?? 0),
    b: list('S', 2),
    c: 'S1',
    ...(isHinted ? { policy: `T${last}` } : {}),
  };
  const line = anyInstructionText(row, mods, operands);
  const lines = [
    ...(prepare === undefined ? [] : [prepare]),
    ...(isHinted ? [policy(last)] : []),
    line,
    ...(kept ? [`mov.b${bitsOf(type)} D0, T${first + count - 1}`] : []),
  ];
  const temporaries = `${prepare === undefined ? '' : 'd'}${kept ? name.repeat(count) : ''}${isHinted ? 'd' : ''}`;
  const family = `atomic.${vec !== undefined ? 'vector' : type.startsWith('f') || type.startsWith('bf') ? 'float' : 'integer'}`;
  return {
    ...written(family, lines.join('; '), kept ? name : results, sources, temporaries),
    dialects: dialectsFor(row, mods),
  };
}

/**
 * Sums of whole numbers, which avoid NaNs: native code preserves signaling f64 NaNs in global
 * memory.
 */
const wholeDoubles = ['global', ''].map((space) =>
  written(
    'atomic.float',
    `cvt.rn.f64.s32 T0, S0; st.global.b64 [MEM+8], T0; cvt.rn.f64.s32 T0, S1; atom${space === '' ? '' : `.${space}`}.add.f64 D0, [MEM+8], T0`,
    'd',
    'rr',
    'd',
  ),
);

const atomicRows: readonly IsaRow[] = memoryRows;

export const atomicTemplates: readonly LaneTemplate[] = [
  // Operations on mbarriers are excluded, because threads must not change their state arbitrarily.
  ...atomicRows
    .filter(({ kind }) => kind === 'atomic')
    .flatMap((row) => [...templatesOf(row), ...modifiedTemplates(row)]),
  ...wholeDoubles,
];
