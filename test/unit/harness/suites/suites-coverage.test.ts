// The suites cover every instruction of a warp or a lane, and their kernels are PTX that the front
// end accepts.
import { describe, expect, it } from 'vitest';
import { loadKernel } from '../../../../src/harness/executors/load-kernel.ts';
import { groupsFor, planLaunches, suiteGroups } from '../../../../src/harness/suites/index.ts';
import { instructionText, modChoices, modsText } from '../../../../src/harness/suites/rows/instruction-text.ts';
import { hex, type Slot, type SuiteGroup } from '../../../../src/harness/suites/types.ts';
import { type IsaRow, laneIsaRows, type Mods, warpRows } from '../../../../src/isa/index.ts';
import { objectionTo } from '../../../../src/ptx/checks/constraints.ts';
import { parsePtx } from '../../../../src/ptx/index.ts';
import { drawn } from '../../../effort.ts';

const groups = suiteGroups();
const suites = groups.flatMap((group) => group.suites);

const byDefault = groupsFor([]).flatMap((group) => group.suites);
const allOf = (list: readonly Mods[]): Mods => Object.assign({}, ...list);

function buildAll(group: SuiteGroup, firstWarp = 0, warps = group.blockWarps, seed = 1) {
  return group.build({ ids: new Set(group.suites.map(({ id }) => id)), variant: undefined, firstWarp, warps, seed });
}

describe('coverage', () => {
  it.each(warpRows.map((row) => [row.name, row] as const))(
    '%s: every combination of modifiers has suites',
    (name, row) => {
      for (const mods of modChoices(row)) {
        const forms = suites.filter((suite) => suite.row === name && suite.mods === modsText(row, mods));
        expect(forms.length, modsText(row, mods)).toBeGreaterThanOrEqual(6);
      }
    },
  );

  // Exclude rows with selectors, because their suites also vary the selectors.
  const unmarked = laneIsaRows.filter((row: IsaRow) => row.selectors === undefined);
  it.each(unmarked.map((row: IsaRow) => [row.name, row] as const))(
    '%s: every combination of modifiers has a suite, and a default run has every value of them',
    (name, row) => {
      const choices = modChoices(row).filter((mods) => objectionTo(row, mods) === undefined);
      const own = suites.filter((suite) => suite.row === name).map(({ mods }) => mods);
      expect([...own].sort()).toEqual(choices.map((mods) => modsText(row, mods)).sort());
      const usual = new Set(byDefault.flatMap((suite) => (suite.row === name ? [suite.mods] : [])));
      const valuesOf = (list: readonly Mods[]) =>
        new Set(list.flatMap((mods) => Object.keys(allOf(choices)).map((key) => `${key} ${mods[key] ?? ''}`)));
      expect(valuesOf(choices.filter((mods) => usual.has(modsText(row, mods))))).toEqual(valuesOf(choices));
      expect(usual.size).toBeLessThan(40);
    },
  );

  it('tries sixteen tables of lop3, one from each sixteenth of the range', () => {
    const group = groups.find(({ suites }) => suites.some(({ id }) => id === 'lop3:lane'));
    const batch = group?.build({ ids: new Set(['lop3:lane']), variant: undefined, firstWarp: 0, warps: 2, seed: 3 });
    const tables = batch?.slots.map(({ instruction }) => Number(/0x\w+/.exec(instruction)?.[0])) ?? [];
    expect(tables.map((table) => Math.floor(table / 16))).toEqual(Array.from({ length: 16 }, (_, index) => index));
  });

  it('has suites of every lane instruction by default', () => {
    const rows = new Set(byDefault.map(({ row }) => row));
    expect(laneIsaRows.filter(({ name }) => !rows.has(name))).toEqual([]);
  });

  it('names every suite once', () => {
    expect(new Set(suites.map(({ id }) => id)).size).toBe(suites.length);
  });

  it('runs at least 16,000 cases by default', () => {
    const cases = planLaunches({ queries: [], seed: 1, exhaustive: false }).flatMap(({ suites, choice }) =>
      suites.map(({ variants }) => variants * choice.warps),
    );
    expect(cases.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(16_000);
  });

  it('visits every b, clamp and segment mask of each shuffle mode with --exhaustive', () => {
    const seen = new Set<string>();
    const plan = planLaunches({ queries: ['shfl.sync:bfly:sweep'], seed: 7, exhaustive: true });
    for (const launch of plan) {
      const batch = launch.build();
      const [slot] = batch.slots;
      if (!slot) throw new Error('no slot');
      for (let warp = launch.choice.firstWarp; warp < launch.choice.firstWarp + launch.choice.warps; warp++) {
        const { b, c } = batch.describe(slot, warp, 0);
        seen.add(`${b} ${c}`);
      }
    }
    expect(seen.size).toBe(32 ** 3);
  });
});

describe('kernels', () => {
  const some = drawn(groups, 40, ({ suites: [first] }) => first?.row ?? '');
  it.each(some.map((group) => [group.suites[0]?.id ?? '', group] as const))('%s parses', (_, group) => {
    const { launch } = buildAll(group);
    expect(parsePtx(launch.ptx, { file: launch.ptxFile }).diagnostics).toEqual([]);
    const kernel = loadKernel(launch).functions.find(({ name }) => name === launch.entry);
    expect(kernel?.body.filter(({ kind }) => kind === 'unsupported')).toEqual([]);
    expect(kernel?.params).toHaveLength(launch.params.length);
  });
});

describe('a case', () => {
  it.each([
    ['shfl.sync:up:register', undefined],
    ['redux.sync:add.u32:groups', undefined],
    ['vote.sync:uni:immediate', 3],
    ['match.any.sync:b64:exited', undefined],
    ['special:lanemask_lt:partial-warp', undefined],
    ['bar.warp.sync:groups', undefined],
    ['addc:cc.u64:lane', undefined],
    ['lop3.bool:and:lane', 5],
    ['rcp.approx.f32:ftz:lane', undefined],
  ])('%s is the same alone as among others', (id, variant) => {
    const group = groups.find((candidate) => candidate.suites.some((suite) => suite.id === id));
    if (!group) throw new Error(`no suite ${id}`);
    const all = buildAll(group, 0, group.blockWarps * 4);
    const first = group.blockWarps * 3;
    const alone = group.build({ ids: new Set([id]), variant, firstWarp: first, warps: group.blockWarps, seed: 1 });
    const threads = alone.slots[0]?.expected.length ?? 0;
    const wanted = all.slots.filter(
      (slot) => slot.suite.id === id && (variant === undefined || slot.variant === variant),
    );
    expect(alone.slots.map(({ result }) => result)).toEqual(wanted.map(({ result }) => result));
    wanted.forEach((slot, index) => {
      expect(Array.from(alone.slots[index]?.state ?? [])).toEqual(Array.from(slot.state.slice(-threads)));
      expect(definedWords(alone.slots[index])).toEqual(definedWords(slot).slice(-threads));
    });
  });

  /**
   * Returns the words of executing lanes. Lanes that do not execute retain old values, which depend
   * on the first thread of the launch, so they are not compared.
   */
  function definedWords(slot: Slot | undefined): (string | undefined)[] {
    return Array.from(slot?.expected ?? [], (bits, thread) => (slot?.state[thread] === 1 ? hex(bits) : undefined));
  }
});

describe('instructionText', () => {
  const row = (name: string) => {
    const found = warpRows.find((candidate) => candidate.name === name);
    if (!found) throw new Error(`no row ${name}`);
    return found;
  };
  const operands = { d: 'd', p: 'p', a: 'a', b: 'b', c: 'c', membermask: 'm' };

  // The expected texts have the spelling of the PTX manual.
  it.each([
    ['shfl.sync', { mode: 'up' }, operands, 'shfl.sync.up.b32 d|p, a, b, c, m'],
    ['shfl', { mode: 'idx' }, { d: 'd', a: 'a', b: '0x1', c: '0x1f' }, 'shfl.idx.b32 d, a, 0x1, 0x1f'],
    ['vote.sync', { mode: 'uni' }, { ...operands, a: '!a' }, 'vote.sync.uni.pred d, !a, m'],
    ['vote.sync.ballot', {}, operands, 'vote.sync.ballot.b32 d, a, m'],
    ['match.all.sync', { type: 'b64' }, { ...operands, d: '_' }, 'match.all.sync.b64 _|p, a, m'],
    ['redux.sync.f32', { op: 'min', abs: 'abs', NaN: 'NaN' }, operands, 'redux.sync.min.abs.NaN.f32 d, a, m'],
    ['redux.sync.f32', { op: 'max' }, operands, 'redux.sync.max.f32 d, a, m'],
    ['elect.sync', {}, operands, 'elect.sync d|p, m'],
    ['activemask', {}, operands, 'activemask.b32 d'],
    ['bar.warp.sync', {}, operands, 'bar.warp.sync m'],
  ])('%s %o', (name, mods, texts, expected) => {
    expect(instructionText(row(name), mods, texts)).toBe(expected);
  });
});
