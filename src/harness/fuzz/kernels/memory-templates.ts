// Templates of loads and stores: every type with every sufficient register size, in every state
// space, at fixed and computed offsets.
import { classes, type LaneTemplate, written } from './lane-template.ts';
import type { RegisterClass } from './registers.ts';

const types = ['b8', 'u8', 's8', 'b16', 'u16', 's16', 'b32', 'u32', 's32', 'b64', 'u64', 's64'] as const;
const bytesOf = (type: string): number => Number(type.slice(1)) / 8;

/**
 * Returns the register classes for a type: those of its own size or wider. Loads extend to a wider
 * register, and stores truncate.
 */
const holders = (type: string): RegisterClass[] => {
  const sizes = [['h', 2], ['r', 4], ['d', 8]] as const; // biome-ignore format: a table
  return sizes.filter(([, bytes]) => bytes >= bytesOf(type)).map(([name]) => name);
};

/**
 * A state space with 16 bytes for each thread. `computed` returns lines that put the address of
 * byte T0 into T1, a register of the class.
 */
interface Space {
  readonly family: string;
  readonly opcode: string;
  readonly at: string;
  readonly stores: boolean;
  readonly computed?: { readonly lines: string; readonly address: RegisterClass };
}

const wideAddress = (base: string) => ({ lines: `cvt.u64.u32 T1, T0; add.u64 T1, T1, ${base}`, address: 'd' }) as const;
const namedAddress = (name: string) =>
  ({ lines: `cvt.u64.u32 T2, T0; mov.u64 T1, ${name}; add.u64 T1, T1, T2`, address: 'd' }) as const;

const spaces: readonly Space[] = [
  { family: 'input', opcode: 'global', at: 'IN', stores: false, computed: wideAddress('IN') },
  { family: 'input.nc', opcode: 'global.nc', at: 'IN', stores: false, computed: wideAddress('IN') },
  { family: 'own', opcode: 'global', at: 'MEM', stores: true, computed: wideAddress('MEM') },
  { family: 'volatile', opcode: 'volatile.global', at: 'MEM', stores: true },
  { family: 'generic', opcode: '', at: 'MEM', stores: true },
  {
    family: 'cell',
    opcode: 'shared',
    at: 'CELL',
    stores: true,
    computed: { lines: 'add.u32 T1, CELL, T0', address: 'r' },
  },
  { family: 'stack', opcode: 'local', at: 'STACK', stores: true, computed: namedAddress('STACK') },
  { family: 'table', opcode: 'const', at: 'TABLE', stores: false, computed: namedAddress('TABLE') },
  { family: 'blob', opcode: 'param', at: 'BLOB', stores: false },
];

/** Returns a nonzero offset for the type. */
const offsetOf = (type: string): number => ({ 1: 7, 2: 6, 4: 12, 8: 8 })[bytesOf(type)] ?? 0;

const opcode = (word: string, space: string, type: string): string =>
  space === '' ? `${word}.${type}` : `${word}.${space}.${type}`;

function scalars({ family, opcode: space, at, stores, computed }: Space, type: string): LaneTemplate[] {
  const load = opcode('ld', space, type);
  const store = opcode('st', space, type);
  const byte = `and.b32 T0, S0, ${16 - bytesOf(type)}`;
  const temporaries = computed ? `r${computed.address}d` : '';
  return holders(type).flatMap((name) => [
    written(family, `${load} D0, [${at}+${offsetOf(type)}]`, name, ''),
    ...(computed ? [written(family, `${byte}; ${computed.lines}; ${load} D0, [T1]`, name, 'r', temporaries)] : []),
    ...(stores ? [written(family, `${store} [${at}+${offsetOf(type)}], S0`, '', name)] : []),
    ...(stores && computed
      ? [written(family, `${byte}; ${computed.lines}; ${store} [T1], S1`, '', `r${name}`, temporaries)]
      : []),
  ]);
}

function vectors({ family, opcode: space, at, stores }: Space, type: string): LaneTemplate[] {
  return [2, 4].flatMap((count) => {
    if (count * bytesOf(type) > 16) return [];
    const list = (letter: string) => `{${Array.from({ length: count }, (_, i) => `${letter}${i}`).join(', ')}}`;
    // A vector must not contain a register twice. There are only three 64-bit registers and two of
    // 16 bits, so only vectors of two elements use them.
    const possible = holders(type).filter(
      (name) => name === 'r' || (count === 2 && (name === 'd' || type.endsWith('16'))),
    );
    return possible.flatMap((name) => [
      written(family, `${opcode('ld', space, `v${count}.${type}`)} ${list('D')}, [${at}]`, name.repeat(count), ''),
      ...(stores
        ? [written(family, `${opcode('st', space, `v${count}.${type}`)} [${at}], ${list('S')}`, '', name.repeat(count))]
        : []),
    ]);
  });
}

/** Loads at an offset that is a loaded byte or halfword, extended to 64 bits. */
const indexed = [
  ['u8', 'shl.b64 T1, T0, 2'],
  ['b8', 'shl.b64 T1, T0, 2'],
  ['s8', 'shl.b64 T1, T0, 2; add.s64 T1, T1, 512'],
  ['u16', 'shr.u64 T1, T0, 6; and.b64 T1, T1, 1020'],
  ['s16', 'shr.s64 T1, T0, 6; add.s64 T1, T1, 512; and.b64 T1, T1, 1020'],
].flatMap(([type = '', scale = '']) =>
  ['IN+5', 'IN+20', 'MEM+3', 'CELL+1', 'STACK+2', 'TABLE+9', 'BLOB+13'].map((from) => {
    const [place = '', offset = '0'] = from.split('+');
    const space = spaces.find(({ at }) => at === place)?.opcode ?? 'global';
    const at = type.endsWith('16') ? Number(offset) & ~1 : Number(offset);
    return written(
      'indexed',
      `ld.${space}.${type} T0, [${place}+${at}]; ${scale}; add.u64 T1, T1, BASE; ld.global.u32 D0, [T1]`,
      'r',
      '',
      'dd',
    );
  }),
);

const floats = spaces.flatMap(({ family, opcode: space, at, stores }) => [
  written(family, `${opcode('ld', space, 'f32')} D0, [${at}+4]`, 'f', ''),
  written(family, `${opcode('ld', space, 'v2.f32')} {D0, D1}, [${at}+8]`, 'ff', ''),
  ...(stores ? [written(family, `${opcode('st', space, 'v2.f32')} [${at}+8], {S0, S1}`, '', 'ff')] : []),
]);

/** Accesses to the words that other threads read. */
const shared = [
  written('shared', 'st.shared.b32 [OWN], S0', '', 'r'),
  written('shared', 'ld.shared.b32 D0, [OWN]', 'r', ''),
  written('shared', 'atom.shared.xor.b32 D0, [OWN], S0', 'r', 'r'),
  written('shared', 'atom.shared.exch.b32 D0, [OWN], S0', 'r', 'r'),
];

const wait = 'cp.async.wait_all';
const group = 'cp.async.commit_group; cp.async.wait_group 0';
const copied = (family: string, lines: string, sources = '', temporaries = '') =>
  written(family, lines, '', sources, temporaries);

/** Copies into the thread's own 16 bytes, for which the thread waits. */
const copies = [
  copied('copy', `cp.async.cg.shared.global [CELL], [IN+16], 16; ${wait}`),
  copied('copy', `cp.async.ca.shared.global [CELL+8], [IN+24], 8; ${group}`),
  copied(
    'copy',
    `cp.async.ca.shared.global.L2::128B [CELL+4], [IN+60], 4; cp.async.ca.shared::cta.global [CELL+12], [IN], 4; ${wait}`,
  ),
  copied('copy', `cp.async.ca.shared.global [CELL], [IN+32], 16, 5; ${wait}`),
  copied('copy', `and.b32 T0, S0, 15; cp.async.cg.shared.global [CELL], [IN+48], 16, T0; ${group}`, 'r', 'r'),
  copied('copy', `and.b32 T0, S0, 7; cp.async.ca.shared.global [CELL], [IN+8], 8, T0; ${wait}`, 'r', 'r'),
  copied('copy', `cp.async.ca.shared.global [CELL], [IN], 16, S0; ${wait}`, 'p'),
  ...['L2::64B', 'L2::256B'].map((size) =>
    copied('copy', `cp.async.cg.shared::cta.global.${size} [CELL], [IN], 16; ${wait}`),
  ),
  copied(
    'copy',
    `cp.async.ca.shared.global [CELL], [IN], 8; cp.async.commit_group; cp.async.ca.shared.global [CELL+8], [IN+64], 4; cp.async.commit_group; cp.async.wait_group 1; ${wait}`,
  ),
];

/** Loads at offsets far into the input, beyond the template's own words. */
const further = [20, 40, 62].flatMap((at) =>
  types
    .filter((type) => at % bytesOf(type) === 0)
    .map((type) => written('input', `ld.global.${type} D0, [IN+${at}]`, classes[type] === 'd' ? 'd' : 'r', '')),
);

export const memoryTemplates: readonly LaneTemplate[] = [
  ...spaces.flatMap((space) => types.flatMap((type) => [...scalars(space, type), ...vectors(space, type)])),
  ...indexed,
  ...floats,
  ...further,
  ...shared,
  ...copies,
];
