// Every row's own syntax, with every value of every slot, parses to that row.
import { describe, expect, test } from 'vitest';
import {
  destinations,
  type Effects,
  effectsOf,
  type IsaRow,
  isaRows,
  type Mods,
  stackRows,
} from '../../../src/isa/index.ts';
import { manualInstructions, manualNameOf } from '../../../src/isa/manual.ts';
import {
  groupsFor,
  matchOpcode,
  type OperandSlot,
  patternOf,
  resolveType,
  vectorType,
} from '../../../src/isa/match.ts';
import { rows } from '../../../src/isa/row.ts';
import { objectionTo, operandObjection } from '../../../src/ptx/checks/constraints.ts';
import { parsePtx, renderDiagnostics } from '../../../src/ptx/index.ts';
import { effort } from '../../effort.ts';

/** The maximum number of opcodes that are matched for a row. */
const maxOpcodes = 1500;

/**
 * The test parses one of this many opcodes, and each opcode with a slot value that did not occur
 * before.
 */
const parsedEvery = effort(16, 1);

/**
 * Returns opcodes of a row: all combinations of its parts, or a fixed sample if there are too many.
 */
function opcodesOf(row: IsaRow): string[] {
  const { word, parts } = patternOf(row);
  const choices = parts.map((part) => (part.optional ? ['', ...part.values] : part.values));
  const total = choices.reduce((product, { length }) => product * length, 1);
  // A step that is coprime to the total visits every combination once.
  let step = Math.max(1, Math.floor(total * 0.618));
  const divides = (a: number, b: number): number => (b === 0 ? a : divides(b, a % b));
  while (divides(total, step) !== 1) step++;
  const opcode = (values: readonly string[]): string => [word, ...values.filter((value) => value !== '')].join('.');
  const sample = Array.from({ length: Math.min(total, maxOpcodes) }, (_, index) => {
    let rest = (index * step) % total;
    const values = choices.map((choice) => {
      const value = choice[rest % choice.length] ?? '';
      rest = Math.floor(rest / choice.length);
      return value;
    });
    return opcode(values);
  });
  if (total <= maxOpcodes) return sample;
  // A sample may miss a value that combines with few others. So add every pair of operation and
  // type, with the first choice for all other parts.
  const pairs = choices.map((choice, index) =>
    parts[index]?.name === 'op' || parts[index]?.name === 'type' ? choice : choice.slice(0, 1),
  );
  return [
    ...sample,
    ...pairs
      .reduce<string[][]>((made, choice) => made.flatMap((one) => choice.map((value) => [...one, value])), [[]])
      .map(opcode),
  ];
}

const literals: Readonly<Record<string, string>> = {
  label: 'L',
  list: 'T',
  address: '[ra]',
  immediate: '0x96',
  pred: 'p0',
};

function operandText(row: IsaRow, slot: OperandSlot, mods: Mods): string {
  if (slot.type === 'vector') {
    const { type, count } = vectorType(row, slot.name, mods);
    return `{${Array.from({ length: count }, (_, index) => `${slot.name}${type}_${index}`).join(', ')}}`;
  }
  if (slot.type === 'address' && mods.space === undefined) return '[ra+4]';
  // A copy moves 4, 8 or 16 bytes.
  if (slot.type === 'immediate' && slot.name === 'n') return '16';
  if (/^(sign|trans)[ab]$/.test(slot.name)) return '1';
  // Every form has the sparsity selector 0.
  if (slot.type === 'immediate' && slot.name === 'f') return '0';
  if (slot.type === 'texture' || slot.type === 'surface')
    return mods.geom === undefined
      ? '[ra]'
      : `[ra, ${places[mods.geom]?.[mods.ctype === 's32' || slot.type === 'surface' ? 1 : 0]}]`;
  if (slot.type === 'gradient')
    return mods.geom === '3d'
      ? '{vf32, vf32, vf32, vf32}'
      : `{${Array.from({ length: Number(/\d/.exec(mods.geom ?? '')) }, () => 'vf32').join(', ')}}`;
  // An arrival in the cluster's memory has no result.
  if (slot.destination && row.name.startsWith('mbarrier.arrive') && mods.space === 'shared::cluster') return '_';
  const fixed = literals[slot.type];
  if (fixed !== undefined) return fixed;
  const type = resolveType(slot.type, mods);
  const name = type === 'pred' ? 'p0' : `${slot.destination ? 'w' : 'v'}${type}`;
  const components =
    row.types.p === undefined || row.types.a !== 'texture' || slot.name !== 'd' ? 1 : type === 'f16x2' ? 2 : 4;
  const size = slot.type.startsWith('.') || components > 1 ? Number(mods.vec?.slice(1) ?? components) : 1;
  return size === 1 ? name : `{${Array.from({ length: size }, (_, index) => `${name}_${index}`).join(', ')}}`;
}

/** Returns an instruction with all operands, and one without the optional operands. */
function instructionsOf(row: IsaRow, opcode: string, mods: Mods): string[] {
  const pattern = patternOf(row);
  const needed = pattern.groups.filter((group) => !group.optional).length;
  const optional = pattern.groups.filter((group) => group.optional).map(({ first }) => first.name);
  const counts = [...new Set([needed, isImageRow(row) ? needed : pattern.groups.length])].filter(
    (count) => operandObjection(row, mods, (name) => count > needed || !optional.includes(name)) === undefined,
  );
  return counts.map((count) => {
    const groups = groupsFor(pattern, count) ?? [];
    const operands = groups.map(({ first, second }) =>
      second === undefined
        ? // A factor in shared memory needs one operand more than a factor in registers.
          row.alternatives?.[first.name] === 'b64' && count > needed
          ? 'vb64'
          : operandText(row, first, mods)
        : `${operandText(row, first, mods)}|${second.type === 'pred' ? 'p1' : ''}`,
    );
    return `${opcode} ${operands.join(', ')};`;
  });
}

/** Coordinates by geometry: as floats, and as integers. */
const places: Readonly<Record<string, readonly [string, string]>> = {
  '1d': ['{vf32}', '{vs32}'],
  '2d': ['{vf32, vf32}', '{vs32, vs32}'],
  '3d': ['{vf32, vf32, vf32, vf32}', '{vs32, vs32, vs32, vs32}'],
  a1d: ['{vs32, vf32}', '{vs32, vs32}'],
  a2d: ['{vs32, vf32, vf32, vf32}', '{vs32, vs32, vs32, vs32}'],
};

/**
 * Values that a row's syntax accepts, but that no instruction may have. They are in the syntax so
 * that a diagnostic can explain this.
 */
const refused: Readonly<Record<string, readonly string[]>> = {
  'ld.volatile': ['space=local', 'space=const', 'space=param', 'space=param::entry', 'space=param::func'],
  'st.volatile': ['space=local', 'space=param', 'space=param::func'],
};

const labels = 'L: T: .branchtargets L;';
const isImageRow = (row: IsaRow): boolean => row.types.a === 'texture' || row.types.a === 'surface';

/**
 * Returns a module around an instruction that fragments do not support, with registers for all
 * operands.
 */
const inModule = (text: string): string => {
  const types = ['b8', 'b16', 'b32', 'b64', 'u32', 's32', 'u64', 's64', 'f32', 'f16', 'f16x2'];
  const declared = types.flatMap((type) =>
    [`v${type}`, `w${type}`].map(
      (name) =>
        `.reg .${type === 'b8' ? 'b16' : type} ${name}, ${[0, 1, 2, 3].map((index) => `${name}_${index}`).join(', ')};`,
    ),
  );
  return `.version 8.8\n.target sm_100a\n.address_size 64\n.entry k() {\n${declared.join('\n')}\n.reg .b64 ra; .reg .pred p1;\n${text}\n}`;
};

describe('each row parses its own examples', () => {
  // Fragments do not support the stack instructions; stack.test.ts covers them.
  const inModules = new Set<string>(['call', ...stackRows.map(({ name }) => name)]);
  for (const row of isaRows.filter(({ name }) => !inModules.has(name))) {
    test(`${row.name}: ${row.syntax}`, () => {
      const seen = new Set<string>();
      let parsed = 0;
      for (const [index, opcode] of opcodesOf(row).entries()) {
        const match = matchOpcode(opcode.split('.'));
        if (match?.pattern.row.name !== row.name) throw new Error(`${opcode} is ${match?.pattern.row.name}`);
        if (objectionTo(row, match.mods) !== undefined) continue;
        const shown = Object.entries(match.mods).map(([name, value]) => `${name}=${value}`);
        if (index % parsedEvery !== 0 && shown.every((value) => seen.has(value))) continue;
        for (const value of shown) seen.add(value);
        for (const text of instructionsOf(row, opcode, match.mods)) {
          const source = isImageRow(row) ? inModule(text) : `${labels}\n${text}`;
          const { module, diagnostics } = parsePtx(source, { dialect: isImageRow(row) ? 'module' : 'fragment' });
          expect(renderDiagnostics({ file: row.name, text: source }, diagnostics)).toBe('');
          const instruction = module?.functions[0]?.body.at(-1);
          if (instruction?.kind !== 'instruction') throw new Error(`${text} parsed to ${instruction?.kind}`);
          expect(instruction.row.name).toBe(row.name);
          expect(instruction.mods).toEqual(match.mods);
          parsed++;
        }
      }
      expect(parsed).toBeGreaterThan(0);
      const wanted = patternOf(row).parts.flatMap((part) =>
        part.slot || part.optional ? part.values.map((value) => `${part.name}=${value}`) : [],
      );
      // Every slot value is in at least one instruction that parsed.
      expect(wanted.filter((each) => !seen.has(each))).toEqual(refused[row.name] ?? []);
    });
  }
});

test.each([
  ['shfl.sync.up.b32', 'shfl.sync', { mode: 'up' }],
  ['shfl.up.sync.b32', 'shfl.sync', { mode: 'up' }],
  ['shfl.up.b32', 'shfl', { mode: 'up' }],
  ['add.ftz.rn.f32', 'add.f32', { rnd: 'rn', ftz: 'ftz' }],
  ['add.cc.u32', 'add.cc', { type: 'u32' }],
  ['set.lt.f32.f32', 'set.f32', { cmp: 'lt', dtype: 'f32' }],
  ['set.lt.f32.u32', 'set', { cmp: 'lt', dtype: 'f32', type: 'u32' }],
  ['cvt.rn.f32.s32', 'cvt', { rnd: 'rn', dtype: 'f32', atype: 's32' }],
  ['ld.global.nc.L1::no_allocate.u32', 'ld.global.nc', { level: 'L1::no_allocate', type: 'u32' }],
  ['ld.global.volatile.u32', 'ld.volatile', { sem: 'volatile', space: 'global', type: 'u32' }],
  ['redux.sync.min.NaN.f32', 'redux.sync.f32', { op: 'min', NaN: 'NaN' }],
])('%s is row %s', (opcode, name, mods) => {
  const match = matchOpcode(opcode.split('.'));
  expect(match?.pattern.row.name).toBe(name);
  expect(match?.mods).toEqual(mods);
});

test.each([
  'shfl.sync.b32',
  'shfl.sync.up',
  'add',
  'add.u32.u32',
  'add.f65',
  'redux.sync.and.f32',
  'vote.sync.ballot.pred',
])('%s does not match a row', (opcode) => expect(matchOpcode(opcode.split('.'))).toBeUndefined());

test.each([
  ['shfl.sync', ['d', 'p']],
  ['st', []],
  ['bfi', ['f']],
  ['bar.sync', []],
  ['bar.red', ['p']],
  ['setp', ['p', 'q']],
  ['bra', []],
  ['atom', ['d']],
])('%s writes %j', (name, written) => {
  expect(destinations(rowNamed(name))).toEqual(written);
});

const rowNamed = (name: string): IsaRow => {
  const row = isaRows.find((each) => each.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
};

test('rows have types for the operands that they write, and rows whose syntax starts with `d` write it', () => {
  for (const row of isaRows) {
    for (const name of destinations(row)) expect(row.types, row.name).toHaveProperty(name);
    const first = /^\S+ (\w+)/.exec(row.syntax)?.[1];
    expect(first === 'd' && !destinations(row).includes('d'), row.name).toBe(false);
  }
});

test.each<[string, Mods, Partial<Effects>]>([
  ['add', {}, { memory: 'none', orders: 'none', collective: 'none', waits: false }],
  ['ld', {}, { memory: 'reads', strength: 'weak', orders: 'none' }],
  ['ld.volatile', { sem: 'volatile' }, { memory: 'reads', strength: 'strong', orders: 'none' }],
  ['ld.volatile', { sem: 'acquire' }, { memory: 'reads', orders: 'acquire' }],
  ['ld.global.nc', {}, { memory: 'reads', strength: 'constant' }],
  ['st.volatile', { sem: 'release' }, { memory: 'writes', strength: 'strong', orders: 'release' }],
  ['atom', {}, { memory: 'updates', orders: 'none' }],
  ['atom', { sem: 'acq_rel' }, { memory: 'updates', orders: 'all' }],
  ['red', { sem: 'release' }, { memory: 'updates', orders: 'release' }],
  ['isspacep', {}, { memory: 'none', orders: 'none' }],
  ['fence', { sem: 'sc', scope: 'gpu' }, { memory: 'none', orders: 'all', waits: false }],
  ['bar.sync', {}, { collective: 'block', orders: 'all', waits: true }],
  ['bar.arrive', {}, { collective: 'block', orders: 'all', waits: false }],
  ['bar.warp.sync', {}, { collective: 'warp', orders: 'all', waits: true }],
  ['shfl.sync', { mode: 'up' }, { memory: 'none', collective: 'warp', waits: true }],
  ['activemask', {}, { collective: 'warp', waits: false }],
  ['call', {}, { memory: 'updates', orders: 'all', collective: 'block' }],
])('the effects of %s %j', (name, mods, effects) => expect(effectsOf(rowNamed(name), mods)).toMatchObject(effects));

test('the type checker requires the written operands and the effects of a row', () => {
  const text = {
    syntax: 'x d, a',
    types: { d: 'b32', a: 'b32' },
    ptx: '1.0',
    target: 'sm_10',
    section: 's',
    doc: 'd',
  } as const;
  rows([{ ...text, name: 'whole', kind: 'lane', writes: ['d'] }]);
  // @ts-expect-error `writes` is missing
  rows([{ ...text, name: 'silent', kind: 'lane' }]);
  // @ts-expect-error no operand has this name
  rows([{ ...text, name: 'stranger', kind: 'lane', writes: ['q'] }]);
  // @ts-expect-error `effects` is missing
  rows([{ ...text, name: 'harmless', kind: 'memory', writes: ['d'] }]);
  // @ts-expect-error `flow` is missing
  rows([{ ...text, name: 'lost', kind: 'control', writes: [] }]);
});

describe("the manual's list", () => {
  test('the list has every row, in its section', () => {
    const missing = isaRows.flatMap((row) => {
      const { word, parts } = patternOf(row);
      const required = parts.flatMap(({ slot, optional, name }) =>
        optional ? [] : slot ? (row.where?.[name]?.slice(0, 1) ?? []) : [name],
      );
      const name = manualNameOf([word, ...required]);
      const found = manualInstructions().some((each) => each.name === name && each.section === row.section);
      return found ? [] : [`${row.name} (${row.section}): ${name}`];
    });
    expect(missing).toEqual([]);
  });

  test.each([
    ['ld.global.v2.nc.u32', 'ld.global.nc'],
    ['ld.global.u32', 'ld'],
    ['cp.async.bulk.tensor.2d.global', 'cp.async.bulk.tensor'],
    ['st.async.weak.shared::cluster', 'st.async'],
    ['tcgen05.nothing', undefined],
    ['nothing', undefined],
  ])('names %s', (opcode, name) => {
    expect(manualNameOf(opcode.split('.'))).toBe(name);
  });
});
