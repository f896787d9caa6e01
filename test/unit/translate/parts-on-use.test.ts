// The parts of the compiler that a page loads only when a module needs them.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { promisedFloats } from '../../../src/base/float-profile.ts';
import type { Launch } from '../../../src/base/launch.ts';
import { Part } from '../../../src/base/part.ts';
import { suiteGroups } from '../../../src/harness/suites/index.ts';
import type { Suite, SuiteGroup } from '../../../src/harness/suites/types.ts';
import { isaRows } from '../../../src/isa/index.ts';
import { moduleOrThrow, parseText } from '../../../src/ptx/parse-text.ts';
import * as waitParts from '../../../src/translate/analysis/wait-part.ts';
import * as bulkParts from '../../../src/translate/build/bulk-part.ts';
import * as laneParts from '../../../src/translate/build/lane/part.ts';
import { rareLaneRows } from '../../../src/translate/build/lane/rare.ts';
import * as buildParts from '../../../src/translate/build/parts.ts';
import * as controlParts from '../../../src/translate/control/part.ts';
import * as atomicWriterParts from '../../../src/translate/emit/memory/atomic-part.ts';
import * as mbarrierParts from '../../../src/translate/emit/memory/mbarrier-part.ts';
import * as emitParts from '../../../src/translate/emit/parts.ts';
import * as factsParts from '../../../src/translate/facts-part.ts';
import { planFor } from '../../../src/translate/index.ts';
import * as atomicParts from '../../../src/translate/legalize/memory/atomic-part.ts';
import * as legalizeParts from '../../../src/translate/legalize/parts.ts';
import { type PartsTarget, partsFor } from '../../../src/translate/parts/load.ts';
import * as passParts from '../../../src/translate/pass-parts.ts';
import { translateWith } from '../../../src/translate/translate.ts';
import { elementaryHelpers } from '../../../src/wgsl/helpers/elementary.ts';
import { rareHelpers } from '../../../src/wgsl/helpers/rare.ts';
import { matrixLowering } from '../../../src/wgsl/warp/index.ts';

afterEach(() => vi.restoreAllMocks());

const flushing = {
  float: { mode: 'exact', denormals: 'flushed' },
  workarounds: new Set<never>(),
  maxInvocations: 1024,
} as const;
const keeping = { ...flushing, float: { mode: 'exact', denormals: 'kept' } } as const;

/** Returns the parts that a text needs. */
const namesFor = (ptx: string, target: PartsTarget = keeping): readonly string[] =>
  partsFor(ptx, target).map(({ name }) => name);

test.each([
  ['add.rn.f64', ['helpers', 'doubles']],
  ['tanh.approx.f16x2', ['helpers', 'elementary', 'lanes']],
  ['div.rn.f32', ['elementary']],
  ['call.uni _ZN3sumEi', ['names', 'calls', 'loops', 'collectives', 'atomics', 'variables']],
  ['wmma.load.a.sync.aligned.row.m16n16k16.f16', ['helpers', 'matrices', 'lanes', 'collectives', 'atomics']],
  ['ldmatrix.sync.aligned.m8n8.x4.shared.b16', ['helpers', 'matrices', 'collectives', 'atomics', 'variables']],
  ['vadd.s32.s32.s32', ['lanes']],
  ['add.rn.f32', []],
  ['shfl.sync.bfly.b32', ['collectives', 'atomics']],
  ['bar.sync', ['collectives', 'atomics']],
  ['atom.global.add.f32', ['collectives', 'atomics']],
  ['ld.volatile.global.b32', ['collectives', 'atomics']],
  ['cp.async.ca.shared.global', ['async', 'collectives', 'atomics', 'variables']],
  ['st.global.u8', ['atomics']],
  ['.local .align 4 .b32', ['variables']],
  ['ld.global.b64', []],
])('a module with %s loads %j', (opcode, parts) => {
  expect(namesFor(`${opcode} d, a;`)).toEqual(parts);
});

test.each([
  ['an adapter that flushes subnormal numbers', flushing, ['guards']],
  ['fast f32', { ...flushing, float: { mode: 'fast', denormals: 'flushed' } } as const, []],
  ['a driver with a workaround', { ...keeping, workarounds: new Set(['part-bit-tests'] as const) }, ['workarounds']],
  ['an adapter with small workgroups', { ...keeping, maxInvocations: 256 }, ['collectives']],
])('for %s, a module loads %j', (_, target, parts) => {
  expect(namesFor('add.f32 d, a, b;', target)).toEqual(parts);
});

describe('control flow', () => {
  const inKernel = (code: string): string => `.visible .entry k()\n{\n${code.replaceAll('; ', ';\n')}\n}`;

  test.each([
    ['a branch over code', '@p bra $L1; add.u32 a, b, c; $L1: ret;'],
    ['a loop with an exit', 'mov.u32 a, 0; $L1: @p bra $L2; add.u32 a, a, 1; bra.uni $L1; $L2: ret;'],
    ['a guarded loop', '@q bra $L3; $L1: @p bra $L2; add.u32 a, a, 1; $L2: @r bra $L1; $L3: ret;'],
    ['nested loops', '$L1: add.u32 a, a, 1; $L2: @p bra $L2; @q bra $L1; ret;'],
  ])('of %s needs no dispatcher', (_, code) => {
    expect(namesFor(inKernel(code))).not.toContain('collectives');
  });

  test.each([
    ['a loop with two entries', '@p bra $L2; $L1: add.u32 a, a, 1; $L2: @q bra $L1; ret;'],
    [
      'a loop with an entry from below',
      'bra $L3; $L1: add.u32 a, a, 1; $L2: @q bra $L1; ret; $L3: @p bra $L2; bra $L1;',
    ],
    ['a label that the text lacks', '@p bra other; ret;'],
    ['an indirect branch', 'brx.idx a, list;'],
    ['very many branches', Array.from({ length: 60 }, (_, at) => `@p bra $L${at}; $L${at}:`).join('; ')],
  ])('of %s may need a dispatcher', (_, code) => {
    expect(namesFor(inKernel(code))).toContain('collectives');
    // Each function has its own labels.
    expect(namesFor(`${inKernel('$L1: @p bra $L1; ret;')}\n${inKernel(code)}`)).toContain('collectives');
  });
});

/**
 * Returns opcodes of a row, without its optional slots. The first has the first value of every
 * slot. Then each value of each slot has an opcode, in which the other slots have their first
 * values.
 */
function opcodesOf({ syntax, where = {} }: (typeof isaRows)[number]): readonly string[] {
  const opcode = syntax.split(' ')[0] ?? '';
  const written = (chosen: string, value: string) =>
    opcode
      .replace(/\{[^}]*\}/g, '')
      .replace(/\.(\w+)/g, (_, name: string) => `.${name === chosen ? value : (where[name]?.[0] ?? name)}`);
  return [
    written('', ''),
    ...Object.entries(where).flatMap(([name, values]) => values.map((value) => written(name, value))),
  ];
}

test.each(isaRows.filter(({ name }) => Object.hasOwn(rareLaneRows, name)))(
  'every form of $name loads its builder',
  (row) => {
    const missed = opcodesOf(row).filter((opcode) => !namesFor(opcode).includes('lanes'));
    expect(missed).toEqual([]);
  },
);

test('every matrix row loads the matrices', () => {
  const missed = isaRows.filter(({ kind, syntax }) => kind === 'matrix' && !namesFor(syntax).includes('matrices'));
  expect(missed.map(({ name }) => name)).toEqual([]);
});

test('a part that is not loaded is an internal error', () => {
  expect(() => new Part<object>('matrices').content).toThrow('the part `matrices` of the compiler is not loaded');
});

/** Yields the first suite of each row for each type among its modifiers. */
function* formsOf(groups: readonly SuiteGroup[]): Generator<readonly [Suite, SuiteGroup]> {
  const seen = new Set<string>();
  for (const group of groups)
    for (const suite of group.suites) {
      const { row, mods } = suite;
      const parts = [
        row,
        ...mods.split('.').flatMap((part) => (/^(s|u|f|b|bf|tf|e)\d/.test(part) ? [`${row}.${part}`] : [])),
      ];
      if (parts.every((part) => seen.has(part))) continue;
      for (const part of parts) seen.add(part);
      yield [suite, group];
    }
}

const parts: readonly Part<object>[] = [
  ...[waitParts, bulkParts, laneParts, buildParts, controlParts, atomicWriterParts, mbarrierParts, emitParts],
  ...[factsParts, atomicParts, legalizeParts, passParts],
].flatMap((declared): Part<object>[] => Object.values(declared));

/** Records which parts are used from now on. */
function recordUses(): Set<string> {
  const used = new Set<string>();
  for (const part of [...parts, matrixLowering] as readonly Part<object>[]) {
    const { name, content } = part;
    vi.spyOn(part, 'content', 'get').mockImplementation(() => {
      used.add(name);
      return content;
    });
  }
  return used;
}

/** Translates as a page does. Adds the uses of helpers to `used`. */
function translateInPage({ ptx, entry, block }: Pick<Launch, 'ptx' | 'entry' | 'block'>, used: Set<string>): void {
  const source = { file: 'k.ptx', text: ptx };
  const float = { ...promisedFloats, ...keeping.float };
  const options = { entry, block, plan: planFor(32), float, workarounds: keeping.workarounds, images: false };
  const { program, diagnostics } = translateWith(moduleOrThrow(source, parseText(source)), options);
  expect(diagnostics).toEqual([]);
  for (const [part, table] of Object.entries({ helpers: rareHelpers, elementary: elementaryHelpers }))
    if (Object.keys(table).some((name) => program?.code.includes(`fn ${name}(`))) used.add(part);
}

test.each([
  [
    'an array in local memory',
    'out',
    '.local .align 4 .b8 d[16]; mov.u64 %rd2, d; st.local.u32 [%rd2], 1; ld.local.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;',
    ['variables'],
  ],
  ['the address of a parameter', 'out', 'mov.b64 %rd2, out; ld.param.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;', []],
  [
    'the generic address of a parameter',
    'out',
    'mov.b64 %rd2, out; cvta.param.u64 %rd3, %rd2; ld.u32 %r1, [%rd3]; st.global.u32 [%rd1], %r1;',
    ['variables'],
  ],
  ['a store of a byte', 'out', 'st.global.u8 [%rd1], 1;', ['atomics']],
  [
    'a strong access of two words',
    'out',
    'ld.volatile.global.u64 %rd2, [%rd1]; st.volatile.global.u64 [%rd1], %rd2;',
    ['collectives'],
  ],
  ['a wait', 'out', '$L: ld.relaxed.gpu.global.u32 %r1, [%rd1]; setp.ne.u32 %p, %r1, 0; @%p bra $L;', ['collectives']],
  [
    'a loop with two entries',
    'out',
    'ld.global.u32 %r1, [%rd1]; setp.ne.u32 %p, %r1, 0; @%p bra $B; $A: add.u32 %r1, %r1, 1; $B: st.global.u32 [%rd1], %r1; setp.ne.u32 %p, %r1, 9; @%p bra $A;',
    ['collectives'],
  ],
])('%s uses only parts that a page loads', (_, param, code, some) => {
  const used = recordUses();
  const body = `.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [${param}];\n${code}\nret;`;
  const ptx = `.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) { ${body} }`;
  translateInPage({ ptx: ptx.replaceAll('; ', ';\n'), entry: 'k', block: [32, 1, 1] }, used);
  expect([...used].filter((part) => !namesFor(ptx.replaceAll('; ', ';\n')).includes(part))).toEqual([]);
  expect([...used]).toEqual(expect.arrayContaining(some));
});

test('the parts that a page loads for an instruction are all that its translation uses', () => {
  const used = recordUses();
  const wrong: string[] = [];
  const tested = new Set<string>();
  const withDoubles = new Set<string>();
  for (const [{ id, row }, group] of formsOf(suiteGroups())) {
    const ids = new Set([id]);
    const { launch } = group.build({ ids, variant: undefined, firstWarp: 0, warps: group.blockWarps, seed: 1 });
    // A page translates modules, without textures.
    const hasImage = launch.params.some((param) => param.kind === 'buffer' && param.image !== undefined);
    if (hasImage || !launch.ptx.includes('.version')) continue;
    used.clear();
    translateInPage(launch, used);
    const loaded = namesFor(launch.ptx);
    for (const part of used) if (!loaded.includes(part)) wrong.push(`${id}: ${part}`);
    for (const part of used) tested.add(part);
    if (used.has('doubles')) withDoubles.add(row);
  }
  expect(wrong).toEqual([]);
  const f64Rows = isaRows.filter(
    ({ kind, types, where = {} }) =>
      kind === 'lane' &&
      Object.values({ ...types, ...where })
        .flat()
        .includes('f64'),
  );
  expect(f64Rows.map(({ name }) => name).filter((name) => !withDoubles.has(name))).toEqual([]);
  expect([...tested].sort()).toEqual([
    'async',
    'atomics',
    'calls',
    'collectives',
    'doubles',
    'elementary',
    'helpers',
    'lanes',
    'loops',
    'matrices',
    'variables',
  ]);
});
