// Families of litmus tests: the classic shapes, with each kind of order between the accesses of a
// thread, each scope, and threads in the same or in different blocks.

/** An operation of a shape. Its thread is the index of its list. */
export interface Operation {
  readonly kind: 'W' | 'R' | 'fence';
  readonly location?: string;
  /** The value of a write, or the value that the condition requires of a read. */
  readonly value?: number;
  readonly order: 'weak' | 'relaxed' | 'acquire' | 'release' | 'acq_rel' | 'sc';
  readonly scope: 'cta' | 'gpu' | 'sys';
}

export interface Shape {
  readonly threads: readonly (readonly Operation[])[];
  /** The block of each thread. All threads have the same GPU. */
  readonly blocks: readonly number[];
  /** The required final values of locations. */
  readonly final: Readonly<Record<string, number>>;
}

type Access = readonly ['W' | 'R', string, number];

interface Family {
  readonly threads: readonly (readonly Access[])[];
  readonly final?: Readonly<Record<string, number>>;
}

const W = (location: string, value = 1): Access => ['W', location, value];
const R = (location: string, value: number): Access => ['R', location, value];

/** The weak outcome of each shape: the values of its reads, and final values of memory. */
export const families: Readonly<Record<string, Family>> = {
  SB: { threads: [[W('x'), R('y', 0)], [W('y'), R('x', 0)]] },
  MP: { threads: [[W('x'), W('y')], [R('y', 1), R('x', 0)]] },
  LB: { threads: [[R('x', 1), W('y')], [R('y', 1), W('x')]] },
  S: { threads: [[W('x', 2), W('y')], [R('y', 1), W('x')]], final: { x: 2 } },
  R: { threads: [[W('x'), W('y')], [W('y', 2), R('x', 0)]], final: { y: 2 } },
  '2+2W': { threads: [[W('x'), W('y', 2)], [W('y'), W('x', 2)]], final: { x: 1, y: 1 } },
  IRIW: { threads: [[W('x')], [W('y')], [R('x', 1), R('y', 0)], [R('y', 1), R('x', 0)]] },
  WRC: { threads: [[W('x')], [R('x', 1), W('y')], [R('y', 1), R('x', 0)]] },
  RWC: { threads: [[W('x')], [R('x', 1), R('y', 0)], [W('y'), R('x', 0)]] },
  'W+RWC': { threads: [[W('x'), W('y')], [R('y', 1), R('z', 0)], [W('z'), R('x', 0)]] },
  ISA2: { threads: [[W('x'), W('y')], [R('y', 1), W('z')], [R('z', 1), R('x', 0)]] },
  'Z6.3': { threads: [[W('x'), W('y')], [W('y', 2), W('z')], [R('z', 1), R('x', 0)]], final: { y: 2 } },
  WWC: { threads: [[W('x', 2)], [R('x', 2), W('y')], [R('y', 1), W('x')]], final: { x: 2 } },
  CoRR: { threads: [[W('x')], [R('x', 1), R('x', 0)]] },
  CoWW: { threads: [[W('x'), W('x', 2)]], final: { x: 1 } },
  CoWR: { threads: [[W('x'), R('x', 2)], [W('x', 2)]], final: { x: 1 } },
  CoRW: { threads: [[R('x', 2), W('x')], [W('x', 2)]], final: { x: 2 } },
}; // biome-ignore format: one line per shape

export interface Variant extends Shape {
  readonly name: string;
  readonly text: string;
}

const scopes = ['cta', 'gpu'] as const;
/** The order between the accesses of a thread, and the strength of the accesses. */
const orders = [
  { name: 'weak', access: 'weak', fence: undefined },
  { name: 'relaxed', access: 'relaxed', fence: undefined },
  { name: 'weak+acq_rel', access: 'weak', fence: 'acq_rel' },
  { name: 'relaxed+acq_rel', access: 'relaxed', fence: 'acq_rel' },
  { name: 'weak+sc', access: 'weak', fence: 'sc' },
  { name: 'relaxed+sc', access: 'relaxed', fence: 'sc' },
  { name: 'release+acquire', access: 'paired', fence: undefined },
] as const;

type Order = (typeof orders)[number];

/** Returns all variants of all families. */
export function variants(): readonly Variant[] {
  return Object.entries(families).flatMap(([family, shape]) =>
    orders.flatMap((order) =>
      scopes
        .filter((scope) => scope === 'gpu' || order.name !== 'weak')
        .flatMap((scope) => ['same', 'apart'].map((place) => variant(family, shape, order, scope, place))),
    ),
  );
}

function variant(family: string, shape: Family, order: Order, scope: 'cta' | 'gpu', place: string): Variant {
  const name = `${family}+${order.name}+${scope}+${place}`;
  const threads = shape.threads.map((accesses) => operationsOf(accesses, order, scope));
  const blocks = threads.map((_, thread) => (place === 'same' ? 0 : thread));
  const final = shape.final ?? {};
  return { name, threads, blocks, final, text: textOf(name, threads, blocks, final) };
}

function operationsOf(accesses: readonly Access[], order: Order, scope: 'cta' | 'gpu'): readonly Operation[] {
  return accesses.flatMap(([kind, location, value], index): readonly Operation[] => {
    const paired = kind === 'W' ? 'release' : 'acquire';
    const access: Operation = {
      kind,
      location,
      value,
      scope,
      order: order.access === 'paired' ? paired : order.access,
    };
    return index === 0 || order.fence === undefined ? [access] : [{ kind: 'fence', order: order.fence, scope }, access];
  });
}

/** Writes a variant in the format of litmus tests. */
function textOf(
  name: string,
  threads: readonly (readonly Operation[])[],
  blocks: readonly number[],
  final: Readonly<Record<string, number>>,
): string {
  const locations = [...new Set(threads.flat().flatMap(({ location }) => (location === undefined ? [] : [location])))];
  const conditions = Object.entries(final).map(([location, value]) => `[${location}] == ${value}`);
  const lines = [`test ${name}`, ...locations.map((location) => `.global .u32 ${location};`)];
  for (const [thread, operations] of threads.entries()) {
    lines.push(`thread t${thread}, block ${blocks[thread]}`);
    for (const [index, { kind, order, scope, location, value }] of operations.entries()) {
      const qualifiers = order === 'weak' ? order : `${order}.${scope}`;
      if (kind === 'fence') lines.push(`  fence.${qualifiers};`);
      else if (kind === 'W') lines.push(`  st.${qualifiers}.global.u32 [${location}], ${value};`);
      else {
        lines.push(`  ld.${qualifiers}.global.u32 %r${index}, [${location}];`);
        conditions.push(`t${thread}:%r${index} == ${value}`);
      }
    }
  }
  return [...lines, `exists ${conditions.join(' && ')}`, ''].join('\n');
}
