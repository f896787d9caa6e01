// Generated kernels are valid PTX without undefined behavior, and cover all kinds. The tests of
// shrinking are in fuzz-shrink.test.ts.
import { describe, expect, test } from 'vitest';
import { countOf } from '../../../../src/base/dim3.ts';
import { getOrInsert } from '../../../../src/base/maps.ts';
import { familiesOf } from '../../../../src/harness/fuzz/families.ts';
import { floatKinds } from '../../../../src/harness/fuzz/kernels/chain-values.ts';
import { contentions } from '../../../../src/harness/fuzz/kernels/contentions.ts';
import { chainOperations, drawChain } from '../../../../src/harness/fuzz/kernels/draw-chains.ts';
import { generateKernel } from '../../../../src/harness/fuzz/kernels/generate.ts';
import { handovers } from '../../../../src/harness/fuzz/kernels/handovers.ts';
import { maxKernelThreads } from '../../../../src/harness/fuzz/kernels/image-templates.ts';
import type { LaneTemplate } from '../../../../src/harness/fuzz/kernels/lane-template.ts';
import { laneTemplates } from '../../../../src/harness/fuzz/kernels/lane-templates.ts';
import { matrixTemplates } from '../../../../src/harness/fuzz/kernels/matrix-templates.ts';
import { departsNatively } from '../../../../src/harness/fuzz/kernels/native-departures.ts';
import type { FuzzKernel, Statement } from '../../../../src/harness/fuzz/kernels/tree.ts';
import { warpTemplates } from '../../../../src/harness/fuzz/kernels/warp-templates.ts';
import { bodyLines, printKernel } from '../../../../src/harness/fuzz/print/print.ts';
import { formats } from '../../../../src/harness/fuzz/print/prints.ts';
import { referenceOf } from '../../../../src/harness/fuzz/reference.ts';
import { random } from '../../../../src/harness/suites/random.ts';
import {
  type IsaRow,
  laneIsaRows,
  matrixRows,
  memoryRows,
  textureRows,
  warpRows,
  wmmaRows,
} from '../../../../src/isa/index.ts';
import { matchOpcode, splitOpcode } from '../../../../src/isa/match.ts';
import { objectionTo } from '../../../../src/ptx/checks/constraints.ts';
import { effort } from '../../../effort.ts';
import { seed } from '../../../seed.ts';

const inMemory: readonly IsaRow[] = memoryRows;
const atomicRows = inMemory.filter(({ kind }) => kind === 'atomic');
const kernels = Array.from({ length: effort(20, 150) }, (_, index) => generateKernel(20, index));

const classesIn = ({ results, sources }: LaneTemplate): string => `${results.join('')} ${sources.join('')}`;

/** Returns every statement of a tree, at any depth. */
function statementsOf(value: unknown): Statement[] {
  if (Array.isArray(value)) return value.flatMap(statementsOf);
  if (typeof value !== 'object' || value === null) return [];
  return [...(isStatement(value) ? [value] : []), ...Object.values(value).flatMap(statementsOf)];
}

const kinds = [
  'if', 'loop', 'leave', 'exit', 'groups', 'arms', 'switch', 'tangle', 'exchange', 'contend', 'call', 'print', 'handover',
  'chain', 'trap',
]; // biome-ignore format: a list

/** Whether an object in a tree is a statement. The conditions of branches also have a kind. */
function isStatement(value: object): value is Statement {
  return 'kind' in value && (kinds.includes(String(value.kind)) || 'template' in value);
}

test('no kernel is refused, gets stuck, or leaves a stored bit undefined', () => {
  const flaws = kernels.map((kernel) => [kernel.id, referenceOf(printKernel(kernel)).flaw]);
  expect(flaws.filter(([, flaw]) => flaw !== undefined)).toEqual([]);
});

test('kernels for sm_90a have its instructions, and no flaw', () => {
  const launches = Array.from({ length: effort(4, 200) }, (_, index) =>
    printKernel(generateKernel(seed, index, { subject: 'hopper' })),
  );
  expect(launches.filter((launch) => familiesOf(launch).length === 0)).toEqual([]);
  const flaws = launches.map((launch) => [launch.id, referenceOf(launch).flaw]);
  expect(flaws.filter(([, flaw]) => flaw !== undefined)).toEqual([]);
});

test('surfaces have a place for each thread', () => {
  for (const subject of ['all', 'hopper'] as const) {
    for (let index = 0; index < 400; index++) {
      const { block, blocks } = generateKernel(seed, index, { subject });
      expect(countOf(block) * blocks).toBeLessThanOrEqual(maxKernelThreads);
    }
  }
});

test('a seed and an index determine a kernel', () => {
  expect(printKernel(generateKernel(20, 7))).toEqual(printKernel(generateKernel(20, 7)));
  expect(printKernel(generateKernel(21, 7)).ptx).not.toBe(printKernel(generateKernel(20, 7)).ptx);
});

describe('coverage', () => {
  const many = Array.from({ length: 2500 }, (_, index) => generateKernel(22, index));
  const kindsOf = new Map<FuzzKernel, ReadonlySet<string>>();
  const statements = many.flatMap((kernel) => {
    const own = statementsOf(kernel.body);
    kindsOf.set(kernel, new Set(own.map(({ kind }) => kind)));
    return own;
  });
  const holding = (kind: Statement['kind']) => many.filter((kernel) => kindsOf.get(kernel)?.has(kind));
  const printed = new Map<FuzzKernel, ReturnType<typeof printKernel>>();
  /** Prints a kernel. All tests share the printed kernels. */
  const print = (kernel: FuzzKernel) => getOrInsert(printed, kernel, () => printKernel(kernel));

  test('every form of every warp instruction, immediate and register operands, guards', () => {
    const drawn = new Set(statements.flatMap((statement) => (statement.kind === 'warp' ? [statement.template] : [])));
    expect(warpTemplates.filter((template) => !drawn.has(template)).map(({ row, mods }) => [row.name, mods])).toEqual(
      [],
    );
    expect(new Set(warpTemplates.map(({ row }) => row.name)).size).toBe(warpRows.length);
    const some = (has: (statement: Extract<Statement, { kind: 'warp' }>) => boolean) =>
      statements.some((statement) => statement.kind === 'warp' && has(statement));
    expect(some(({ guard }) => guard !== undefined && 'negated' in guard && guard.negated)).toBe(true);
    expect(some(({ guard }) => guard !== undefined && 'lanes' in guard)).toBe(true);
    expect(some(({ operands }) => operands.maskRegister && operands.b.constant === undefined)).toBe(true);
    expect(some(({ operands }) => !operands.maskRegister && operands.b.constant !== undefined)).toBe(true);
  });

  test('every matrix instruction', () => {
    const drawn = statements.flatMap((statement) => (statement.kind === 'matrix' ? [statement.template.row.name] : []));
    expect(new Set(drawn)).toEqual(new Set(matrixTemplates.keys()));
    expect([...matrixTemplates.keys()].sort()).toEqual([...matrixRows, ...wmmaRows].map(({ name }) => name).sort());
    const texts = holding('matrix')
      .slice(0, 120)
      .map((kernel) => bodyLines(printKernel({ ...kernel, names: 'plain' }).ptx).join('\n'));
    expect(texts.filter((text) => /\b(mma|wmma|movmatrix)\./.test(text)).length).toBeGreaterThan(50);
  });

  test('every instruction on textures and surfaces', () => {
    const drawn = statements.flatMap((statement) => (statement.kind === 'image' ? [statement] : []));
    expect(new Set(drawn.map(({ template }) => template.row.name))).toEqual(
      new Set(textureRows.map(({ name }) => name)),
    );
    const launches = holding('image').slice(0, effort(6, 12)).map(print);
    expect(launches.every(({ params }) => params.some((param) => param.kind === 'buffer' && param.image))).toBe(true);
    expect(launches.map((launch) => referenceOf(launch).flaw).filter((flaw) => flaw !== undefined)).toEqual([]);
  });

  test('chains of every f32 operation, over values of every kind, in loops and through shared memory', () => {
    const drawn = statements.flatMap((statement) => (statement.kind === 'chain' ? [statement] : []));
    const more = Array.from({ length: 1000 }, (_, index) => drawChain(random(22, 'chain', index), 'common', 0));
    const links = [...drawn, ...more].flatMap((statement) => statement.links);
    expect(new Set(links.map(({ operation }) => operation))).toEqual(new Set(chainOperations));
    expect(links.some(({ guard }) => guard !== undefined)).toBe(true);
    const valueKinds = [...drawn, ...more].flatMap(({ values }) => [values.mostly, values.else]);
    expect(new Set(valueKinds)).toEqual(new Set(floatKinds));
    expect(new Set(drawn.map(({ loads }) => loads)).size).toBe(5);
    const texts = holding('chain')
      .slice(0, 60)
      .map((kernel) => bodyLines(printKernel({ ...kernel, names: 'plain' }).ptx).join('\n'));
    for (const part of [/ld\.global\.v4\.f32/, /ld\.shared\.f32/, /st\.shared\.v2\.f32/])
      expect(texts.filter((text) => part.test(text)).length).toBeGreaterThan(4);
    const flaws = holding('chain')
      .slice(0, 4)
      .map((kernel) => referenceOf(print(kernel)).flaw);
    expect(flaws.filter((flaw) => flaw !== undefined)).toEqual([]);
  });

  test('every lane instruction of the listing', () => {
    const drawn = new Set(
      statements.flatMap((statement) => (statement.kind === 'lane' ? [statement.template.family] : [])),
    );
    const families = new Set(laneTemplates.map(({ family }) => family));
    expect([...families].filter((family) => !drawn.has(family))).toEqual([]);
    const opcodes = laneTemplates.flatMap(({ lines }) => lines.map((line) => line.split(' ')[0] ?? ''));
    const printed = new Set([...new Set(opcodes)].map((opcode) => matchOpcode(splitOpcode(opcode))?.pattern.row.name));
    const absent = laneIsaRows.map(({ name }) => name).filter((name) => !printed.has(name));
    expect(absent).toEqual([]);
  });

  test('every instruction of memory that one thread executes by itself', () => {
    const lines = [
      ...laneTemplates.flatMap((template) => template.lines),
      ...many.slice(0, 400).flatMap((kernel) => bodyLines(printKernel({ ...kernel, names: 'plain' }).ptx)),
    ];
    const opcodes = new Set(lines.flatMap((line) => /^\s*(?:@\S+ )?([a-z][\w.:]*)/.exec(line)?.[1] ?? []));
    const found = [...opcodes].flatMap((opcode) => matchOpcode(splitOpcode(opcode)) ?? []);
    const rows = new Set(found.map(({ pattern }) => pattern.row.name));
    expect(atomicRows.filter(({ name }) => !rows.has(name)).map(({ name }) => name)).toEqual([]);
    expect(rows).toContain('cvta');
    // Checks every operation on every type, with every kind of address.
    for (const row of atomicRows) {
      const forms = new Set(
        found
          .filter(({ pattern }) => pattern.row === row)
          .map(({ mods }) => `${mods.op} ${mods.vec} ${mods.type} ${mods.space}`),
      );
      for (const op of row.where?.op ?? [undefined])
        for (const vec of [undefined, ...(row.where?.vec ?? [])])
          for (const type of row.where?.type ?? [])
            for (const space of [undefined, 'global', 'shared']) {
              const noftz = /f16/.test(type) ? { noftz: 'noftz' } : {};
              const mods = { type, ...noftz, ...(op && { op }), ...(vec && { vec }), ...(space && { space }) };
              if (objectionTo(row, mods) === undefined)
                expect(forms, `${row.name} ${op} ${vec} ${type} ${space}`).toContain(`${op} ${vec} ${type} ${space}`);
            }
    }
    // Checks 128 bits in a register, 256 bits in one access, and parameters by address.
    for (const pattern of [
      /^ld\.\w+\.b128 /, /^st\.\w+\.b128 /, /^mov\.b128 T/, /^ld\.global\.v8\.b32 /, /^ld\.global\.v4\.b64 /, /^st\.global\.v8\.b32 /, /^st\.global\.v4\.b64 /,
      /^ld\.param\.u8 D0, \[T2\]/, /^cvta\.param\.u64 /,
    ]) // biome-ignore format: a list
      expect(
        lines.some((line) => pattern.test(line)),
        `${pattern}`,
      ).toBe(true);
  });

  test('every contention of threads, in every space; every way to hand values over; calls of all kinds; every format', () => {
    const contendIn = (list: readonly Statement[]) =>
      list.flatMap((statement) => (statement.kind === 'contend' ? [statement] : []));
    const contended = contendIn(statements);
    const found = new Set(contended.map(({ contention }) => contention));
    // Each contention occurs in only a few of these kernels. If one is missing by chance, draw more
    // kernels.
    for (let index = many.length; found.size < contentions.length && index < 4 * many.length; index++)
      for (const { contention } of contendIn(statementsOf(generateKernel(22, index).body))) found.add(contention);
    expect(found.size).toBe(contentions.length);
    expect(new Set(contended.map(({ space }) => space)).size).toBe(3);
    const handed = statements.flatMap((statement) => (statement.kind === 'handover' ? [statement.how] : []));
    expect(new Set(handed)).toEqual(new Set(handovers));
    expect(holding('call').some(({ functions }) => functions.some(({ recursive }) => recursive))).toBe(true);
    for (const how of ['name', 'table', 'nothing'])
      expect(statements.some((statement) => statement.kind === 'call' && statement.how === how)).toBe(true);
    const printedFormats = statements.flatMap((statement) =>
      statement.kind === 'print' ? [statement.format % formats.length] : [],
    );
    expect(new Set(printedFormats).size).toBe(formats.length);
    const texts = many
      .filter(({ body }) => body.some(({ kind }) => kind === 'print'))
      .slice(0, 5)
      .map((kernel) => referenceOf(print(kernel)).printed.texts.length);
    expect(Math.min(...texts)).toBeGreaterThan(0);
  });

  test('every type into registers of every size that holds it, from every state space, and back', () => {
    const lines = new Set(
      laneTemplates.flatMap((template) => template.lines.map((line) => `${line} | ${classesIn(template)}`)),
    );
    const has = (pattern: RegExp) => [...lines].some((line) => pattern.test(line));
    for (const type of ['b8', 'u8', 's8', 'b16', 'u16', 's16', 'b32', 'u32', 's32', 'b64', 'u64', 's64']) {
      for (const held of ['h', 'r', 'd'].slice({ 8: 0, 16: 0, 32: 1, 64: 2 }[type.slice(1)])) {
        for (const space of ['global', 'global.nc', 'volatile.global', 'shared', 'local', 'const', 'param'])
          expect(
            has(new RegExp(`^ld\\.${space}\\.${type} D0, .* \\| ${held} `)),
            `ld.${space}.${type} into ${held}`,
          ).toBe(true);
        for (const space of ['global', 'volatile.global', 'shared', 'local'])
          expect(
            has(new RegExp(`^st\\.${space}\\.${type} .*, S0 \\| +${held}$`)),
            `st.${space}.${type} from ${held}`,
          ).toBe(true);
      }
    }
    const drawn = new Set(
      statements.flatMap((statement) => (statement.kind === 'lane' ? statement.template.lines : [])),
    );
    const accesses = [...drawn].filter((line) => /^(?:ld|st)\b/.test(line));
    expect(accesses.length).toBeGreaterThan(300);
    // A sum reads the flag of a subtraction, and a subtraction reads the flag of a sum.
    for (const end of ['addc', 'subc', 'madc\\.hi'])
      for (const begin of ['add', 'sub', 'mad\\.lo'])
        expect(
          laneTemplates.some(
            ({ lines: [first = '', second = ''] }) =>
              new RegExp(`^${begin}\\.cc`).test(first) && new RegExp(`^${end}\\.u64`).test(second),
          ),
        ).toBe(true);
  });

  test('native differences occur, in few kernels', () => {
    const lanes = statements.filter((statement) => statement.kind === 'lane');
    const departing = lanes.filter(departsNatively);
    const has = (pattern: RegExp) => departing.some(({ template }) => pattern.test(template.lines[0] ?? ''));
    for (const pattern of [/^set\./, /^testp\./, /^(?:min|max)\.f32 /, /^bfe\..64/, /^bfi\.b64/])
      expect(has(pattern), `${pattern}`).toBe(true);
    // Only these instructions may differ natively. The other forms follow the manual: `set` with
    // wider sources and an integer result, extremes with a modifier, and constant fields within the
    // word.
    const first = new Set(departing.map(({ template: { lines } }) => lines[0]?.split(' ')[0] ?? ''));
    for (const name of first)
      expect(name).toMatch(
        /^(?:set\..*(?:\.f32\.\w+|\.b?f16\.\w+|16|16x2)|testp\..*|m(?:in|ax)\.(?:f32|f64|b?f16|b?f16x2)|bf[ei]\..*|sh[lr]\..16|(?:atom|red).*\.add\.f64|cvta?\..*|stacksave\.u(?:32|64)|createpolicy\.fractional\..*|v[a-z]+\..*)$/,
      );
    const launches = many.slice(0, 300).map(print);
    expect(launches.filter(({ native }) => !native).length).toBeLessThan(launches.length / 4);
  });

  test('a guarded allocation of stack memory', () => {
    const template = laneTemplates.find(({ family }) => family === 'alloca');
    if (template === undefined) throw new Error('no template allocates stack memory');
    const statement = { kind: 'lane', template, results: [0], sources: [{ register: 0 }] } as const;
    expect(departsNatively(statement)).toBe(false);
    expect(departsNatively({ ...statement, guard: { register: 0, negated: true } })).toBe(true);
  });

  test('names that WGSL or the translator reserves', () => {
    const texts = many
      .slice(0, 300)
      .filter(({ names }) => names !== 'plain')
      .map((kernel) => print(kernel).ptx);
    expect(texts.length).toBeGreaterThan(100);
    for (const name of [
      'result_d',
      'operand_a',
      'executed',
      'lane',
      'live',
      'heap',
      'f1_1',
      'f11',
      '$more',
      'let',
      'subgroupBallot',
      'vec2',
      '__proto__',
      '_a_b',
      'a$b',
    ])
      expect(
        texts.some((text) => text.match(/[%$_A-Za-z][\w$]*/g)?.some((word) => word.replace('%', '') === name)),
        name,
      ).toBe(true);
  });

  test('other names produce the same kernel', () => {
    for (const kernel of many.slice(0, effort(5, 30))) {
      const results = [printKernel({ ...kernel, names: 'plain' }), printKernel({ ...kernel, names: 7 })].map(
        (launch) => referenceOf(launch).outputs,
      );
      expect(results[1]).toEqual(results[0]);
    }
  });

  test('every kind of statement', () => {
    expect([...new Set(statements.map(({ kind }) => kind))].sort()).toEqual([
      'arms',
      'call',
      'chain',
      'contend',
      'exchange',
      'exit',
      'groups',
      'handover',
      'if',
      'image',
      'lane',
      'leave',
      'loop',
      'matrix',
      'print',
      'switch',
      'tangle',
      'trap',
      'warp',
    ]);
  });
});
