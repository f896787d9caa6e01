// Validation must catch a wrong lowering. Each entry introduces a bug into the emitted WGSL of one
// suite.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KernelExecutor } from '../../src/harness/executors/executor.ts';
import type { Result } from '../../src/harness/runs/results.ts';
import { validate } from '../../src/harness/runs/validate.ts';
import { adapters } from './adapters.ts';

interface Mutation {
  readonly name: string;
  readonly query: string;
  /** Matches the WGSL of the narrow plan. */
  readonly from: RegExp;
  readonly to: string;
  /** Properties that the report must have, in addition to those of every report. */
  readonly first?: Readonly<Record<string, unknown>>;
}

const lane = 's \\* \\d+u \\+ subgroup_lane';

const mutations: readonly Mutation[] = [
  {
    name: 'the clamp is off by one',
    query: 'shfl.sync:up:register',
    from: />= bitcast<i32>\(max_lane/g,
    to: '> bitcast<i32>(max_lane',
  },
  {
    name: 'the source lane of .up is compared unsigned',
    query: 'shfl.sync:up:register',
    from: /bitcast<i32>(?=\()/g,
    to: '',
  },
  { name: 'unused bits of b count', query: 'shfl.sync:down:junk', from: /\(b\[s\] & 31u\)/g, to: 'b[s]' },
  {
    name: 'a bit of the segment mask is lost',
    query: 'shfl.sync:idx:register',
    from: /0xffffffe0u/g,
    to: '0xffffffe1u',
  },
  {
    name: 'a lane out of range reads the computed lane',
    query: 'shfl.sync:bfly:sweep',
    from: new RegExp(`select\\(\\(?${lane}\\)?, (j(?:_\\d+)?\\[s\\]), in_range\\w*\\[s\\]\\)`, 'g'),
    to: '$1',
    first: { result: 'd' },
  },
  {
    name: 'the member mask is dropped',
    query: 'vote.sync.ballot:groups',
    from: /yes & membermask\[s\]/g,
    to: 'yes',
  },
  {
    name: 'exited lanes vote',
    query: 'vote.sync:all:exited',
    from: /live\[s\] && !a\[s\]/g,
    to: '!a[s]',
  },
  {
    name: 'exited lanes write',
    query: 'vote.sync:any:exited',
    from: /if \(live\[s\]\) \{(?=[^}]*\/\/ st\.)/g,
    to: '{',
    first: { expected: 'nothing written' },
  },
  {
    name: 'the parts of a ballot are swapped',
    query: 'vote.sync.ballot:register',
    from: /subgroupBallot\(predicate\[s\]\)\.x << \(s \*/g,
    to: 'subgroupBallot(predicate[s]).x << ((s ^ 1u) *',
  },
  {
    name: 'uni is all',
    query: 'vote.sync:uni:register',
    from: /\(yes & membermask\[s\]\) == 0u \|\| /g,
    to: '',
    first: { expected: '0x00000001', got: '0x00000000' },
  },
  {
    name: 'only lane 0 is wrong',
    query: 'match.all.sync:b32:register',
    from: /(p_out\[.*\] = )(d0\w*\[s\])/g,
    to: '$1select($2, $2 ^ 0x80u, (s + subgroup_lane) == 0u)',
    first: { lane: 0, result: 'd' },
  },
  {
    name: 'the high word does not count',
    query: 'match.any.sync:b64:register',
    from: /a_1\[s\] >> bit/g,
    to: 'a[s] >> bit',
  },
  {
    name: 'a signed minimum is unsigned',
    query: 'redux.sync:min.s32:register',
    from: /bitcast<i32>/g,
    to: 'bitcast<u32>',
  },
  {
    name: 'lanes outside the mask add one',
    query: 'redux.sync:add.u32:groups',
    from: /select\(0u, a\[s\]/g,
    to: 'select(1u, a[s]',
  },
  {
    name: 'a NaN is a large number',
    query: 'redux.sync.f32:max:register',
    from: /, is_nan\[s\]\)/g,
    to: ', false)',
  },
  {
    name: 'a negative zero is a zero',
    query: 'redux.sync.f32:min:register',
    from: /bits\[s\] \| 0x80000000u, ~bits\[s\], bits\[s\] >> 31u != 0u/g,
    to: 'bits[s] | 0x80000000u, ~bits[s], bits[s] >> 31u != 0u && bits[s] != 0x80000000u',
  },
  {
    name: 'exited lanes are active',
    query: 'activemask:exited',
    from: /(predicate\w*\[s\] = )live\[s\];/g,
    to: '$1true;',
    first: { result: 'd' },
  },
  {
    name: 'nothing is stored',
    query: 'elect.sync:register',
    from: /p_out\[.*\] = .*;/g,
    to: '',
    first: { got: 'nothing written' },
  },
];

const adapter = adapters.find(({ on, present }) => on === 'dawn' && present);
const seed = 42;

let executor: KernelExecutor | undefined;
/** The current mutation, and whether it changed any code. */
let planted: Mutation | undefined;
let changed = false;

beforeAll(async () => {
  executor = await adapter?.open({
    mutateWgsl(code) {
      if (!planted) return code;
      const mutated = code.replace(planted.from, planted.to);
      changed ||= mutated !== code;
      return mutated;
    },
  });
});
afterAll(() => executor?.close());

async function validateMutated(query: string, mutation: Mutation): Promise<{ results: Result[]; changed: boolean }> {
  if (!executor) throw new Error('no adapter');
  planted = mutation;
  changed = false;
  const results = await validate({ queries: [query], seed, executors: [executor] });
  return { results, changed };
}

describe.skipIf(!adapter)(`validation on ${adapter?.name ?? 'dawn'} catches that`, () => {
  it.each(mutations.map((mutation) => [mutation.name, mutation] as const))('%s', async (_, mutation) => {
    const { results, changed: isThere } = await validateMutated(mutation.query, mutation);
    expect(isThere, 'the emitted WGSL contains the mutated text').toBe(true);
    const [failed] = results;
    expect(failed).toMatchObject({
      id: mutation.query,
      status: 'fail',
      ...(mutation.first ? { first: mutation.first } : {}),
    });
    const { first } = failed ?? {};
    const [row = ''] = mutation.query.split(':');
    expect(first?.instruction).toContain(row.split('.')[0]);
    expect(first?.case).toMatch(new RegExp(`^${mutation.query.replace(/\W/g, '\\$&')}#\\d+$`));
    expect(first?.lane).toEqual(expect.any(Number));
    for (const bits of [first?.expected, first?.got]) expect(bits).toMatch(/^0x[0-9a-f]{8}$|^nothing written$/);
    expect(first?.reproduce).toBe(`npx lanewise validate '${first?.case}' --seed ${seed} --on dawn`);
    // The case id in the report selects only the failing case, which fails in the same way.
    const again = await validateMutated(String(first?.case), mutation);
    expect(again.results[0]).toMatchObject({ status: 'fail', cases: 1 });
    expect(again.results[0]?.first).toMatchObject({ lane: first?.lane, expected: first?.expected, got: first?.got });
  });
});
