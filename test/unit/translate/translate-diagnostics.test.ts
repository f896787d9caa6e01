// The kernels that the compiler rejects, the places that its diagnostics name, and control flow
// that it must accept.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';
import { planFor } from '../../../src/translate/index.ts';
import { effort } from '../../effort.ts';
import { lockstepExecutor, translateLaunch } from '../../lockstep/lockstep-executor.ts';
import { type SmallOptions, smallKernel, translateText } from '../../lockstep/small-kernel.ts';

const header = '.version 8.0\n.target sm_80\n.address_size 64\n';
const emptyEntry = (name: string) => `.visible .entry ${name}()\n{\n  ret;\n}\n`;

interface Refusal {
  readonly name: string;
  readonly ptx: string;
  readonly options?: SmallOptions;
  readonly code: string;
  readonly message: RegExp;
  /** The text of the span; undefined if no text is at fault. */
  readonly at?: string;
  readonly hint?: RegExp;
}

const refusals: readonly Refusal[] = [
  {
    name: 'a module without an entry',
    ptx: `${header}.func f()\n{\n  ret;\n}\n`,
    code: 'LW2001',
    message: /no \.entry/,
  },
  {
    name: 'an entry that does not exist',
    ptx: header + emptyEntry('first'),
    options: { entry: 'other' },
    code: 'LW2001',
    message: /no \.entry named `other`/,
    hint: /`first`/,
  },
  {
    name: 'several entries without a choice',
    ptx: header + emptyEntry('first') + emptyEntry('second'),
    code: 'LW2002',
    message: /2 entries/,
    hint: /--entry: first, second/,
  },
  {
    name: 'variables larger than any buffer',
    ptx: `${header}.shared .align 4 .b8 near[100];\n.global .align 4 .b8 vast[167772160];\n${emptyEntry('small')}`,
    code: 'LW2006',
    message: /more than 128 MiB of \.global variables/,
    at: 'vast',
  },
  {
    name: 'a function without a body',
    ptx: `${header}.extern .func f();\n.visible .entry small()\n{\n  call f;\n  ret;\n}\n`,
    code: 'PTX0805',
    message: /`f`/,
    at: 'f',
  },
  {
    name: 'a block of more threads than a block can have',
    ptx: smallKernel('mov.b32 %r1, %r0;'),
    options: { block: [33, 32, 1] },
    code: 'LW2005',
    message: /1056 threads exceeds 1024/,
  },
  {
    name: 'more shared memory than a block can have',
    ptx: `${header}.extern .shared .align 4 .b8 tiles[];\n.shared .align 4 .b8 more[4];\n.visible .entry small()\n{\n  st.shared.u32 [tiles], 1;\n  st.shared.u32 [more], 1;\n  ret;\n}\n`,
    options: { sharedBytes: 232_448, maxWorkgroupBytes: 32_768 },
    code: 'LW2012',
    message:
      /^`small` needs 232452 bytes of shared memory, with 232448 of dynamic shared memory: a block has at most 232448$/,
    hint: /smaller tiles/,
  },
  {
    name: 'dynamic shared memory that begins at a multiple of its alignment',
    ptx: `${header}.extern .shared .align 1024 .b8 tiles[];\n.shared .align 4 .b8 more[4];\n.visible .entry small()\n{\n  st.shared.u32 [tiles], 1;\n  st.shared.u32 [more], 1;\n  ret;\n}\n`,
    options: { sharedBytes: 231_500, maxWorkgroupBytes: 32_768 },
    code: 'LW2012',
    message: /^`small` needs 232524 bytes of shared memory/,
  },
  {
    name: 'votes of a block without workgroup memory',
    ptx: smallKernel('setp.eq.u32 %p0, %r0, 3;\n  bar.red.popc.u32 %r1, 0, %p0;'),
    options: { block: [64, 1, 1], maxWorkgroupBytes: 0 },
    code: 'LW2019',
    message: /^the shader of `small` needs \d+ bytes of workgroup memory for its own variables: the adapter has 0$/,
  },
  {
    name: 'an address of another block in the entry',
    ptx: smallKernel('.reg .b64 %fd<2>;\n  mov.b64 %fd0, 0;\n  multimem.st.u64 [%fd0], %fd0;\n  mov.b32 %r1, %r0;'),
    code: 'PTX0801',
    message: /multimem/,
    at: 'multimem.st.u64',
  },
];

describe('diagnostics of translate', () => {
  it.each(refusals.map((refusal) => [refusal.name, refusal] as const))('%s', (_, refusal) => {
    const { ptx, options = {}, code, message, at, hint } = refusal;
    const { program, diagnostics } = translateText(ptx, options);
    expect(program).toBeUndefined();
    const [diagnostic] = diagnostics;
    expect(diagnostic).toMatchObject({ code, severity: 'error' });
    expect(diagnostic?.message).toMatch(message);
    if (hint) expect(diagnostic?.hint).toMatch(hint);
    if (at !== undefined) expect(ptx.slice(diagnostic?.span.start, diagnostic?.span.end)).toBe(at);
  });

  it('a kernel is accepted if the adapter has enough shared memory or is unknown', () => {
    const ptx = `${header}.shared .align 4 .b8 tiles[49152];\n.visible .entry small()\n{\n  st.shared.u32 [tiles], 1;\n  ret;\n}\n`;
    for (const options of [{}, { maxWorkgroupBytes: 49_152 }])
      expect(translateText(ptx, options).diagnostics).toEqual([]);
  });

  it('a function that the entry does not call is not checked', () => {
    const unused = '.func g()\n{\n  .reg .b64 %fd<2>;\n  multimem.st.u64 [%fd0], %fd1;\n  ret;\n}\n';
    expect(translateText(header + unused + emptyEntry('small')).diagnostics).toEqual([]);
  });
});

function launchOf(body: string): Launch {
  const data = new Uint8Array(Uint32Array.from({ length: 64 }, (_, index) => (index * 2_654_435_761) >>> 0).buffer);
  return {
    id: 'small',
    group: 'small',
    ptx: smallKernel(body),
    ptxFile: 'small.ptx',
    entry: 'small',
    grid: [1, 1, 1],
    block: [64, 1, 1],
    sharedBytes: 0,
    params: [{ name: 'data', kind: 'buffer', type: 'u32', bytes: 256, data }],
  };
}

describe('control flow of any shape', () => {
  const bodies = [
    [
      'two entries of one loop',
      'dispatch',
      `  mov.b32 %r1, 0;
  setp.gt.s32 %p1, %r0, 0;
  @%p1 bra SECOND;
FIRST:
  add.s32 %r1, %r1, 1;
SECOND:
  add.s32 %r1, %r1, 3;
  setp.lt.s32 %p2, %r1, 20;
  @%p2 bra FIRST;`,
    ],
    [
      'two entries of a loop with a vote',
      'dispatch',
      `  mov.b32 %r1, 0;
  setp.gt.s32 %p1, %r0, 0;
  @%p1 bra SECOND;
FIRST:
  add.s32 %r1, %r1, 1;
SECOND:
  add.s32 %r1, %r1, 3;
  setp.lt.s32 %p2, %r1, 20;
  activemask.b32 %r2;
  and.b32 %r2, %r2, 0;
  add.s32 %r1, %r1, %r2;
  @%p2 bra FIRST;
  vote.sync.ballot.b32 %r3, %p1, -1;
  add.s32 %r1, %r1, %r3;`,
    ],
    [
      'a branch table with cases that fall through',
      'threads',
      `  mov.b32 %r1, 0;
  and.b32 %r2, %r0, 3;
  min.u32 %r2, %r2, 2;
TABLE: .branchtargets ZERO, ONE, TWO;
  brx.idx %r2, TABLE;
ZERO:
  add.s32 %r1, %r1, 1;
ONE:
  add.s32 %r1, %r1, 10;
  bra DONE;
TWO:
  add.s32 %r1, %r1, 100;
DONE:`,
    ],
    [
      'a branch table before a vote',
      'structured',
      `  and.b32 %r2, %r0, 3;
  min.u32 %r2, %r2, 2;
TABLE: .branchtargets ZERO, ONE, ONE;
  brx.idx %r2, TABLE;
ZERO:
  mov.b32 %r0, 0;
ONE:
  setp.ne.s32 %p1, %r0, 0;
  vote.sync.ballot.b32 %r1, %p1, -1;`,
    ],
  ] as const;

  it.each(bodies)('%s', async (_, mode, body) => {
    const launch = launchOf(body);
    const { outputs: expected, failure } = runOnCpu(launch, {});
    expect(failure).toBeUndefined();
    expect(translateLaunch(launch, planFor(32)).mode).toBe(mode);
    for (const size of [32, 64, 1]) {
      const { outputs } = await lockstepExecutor(size).run(launch);
      expect(outputs.get(0), `subgroups of ${size}`).toEqual(expected.get(0));
    }
  });

  it.each(['L: bra L;', 'L: add.s32 %r0, %r0, 1; bra L;', 'L: vote.sync.ballot.b32 %r0, %p1, -1; bra L;'])(
    'an endless loop translates: %s',
    (body) => {
      const { diagnostics, program } = translateText(smallKernel(body, { stores: '%r0' }));
      expect(diagnostics).toEqual([]);
      expect(program?.code).toContain('loop {');
    },
  );

  it('a long chain of early breaks is neither deep nor slow', () => {
    const chain = Array.from(
      { length: effort(2_000, 8_000) },
      (_, index) => `  setp.eq.s32 %p1, %r0, ${index};\n  @%p1 bra DONE;\n  add.s32 %r0, %r0, %r15;`,
    );
    const { program } = translateText(smallKernel(`${chain.join('\n')}\nDONE:`, { stores: '%r0' }));
    expect(deepest(program?.code ?? '')).toBeLessThan(20);
  });

  it('conditions nested too deeply for a WGSL compiler are dispatched', () => {
    const depths = Array.from({ length: effort(1_000, 3_000) }, (_, depth) => depth);
    const body = [
      ...depths.map((depth) => `  setp.gt.s32 %p1, %r0, ${depth};\n  @%p1 bra N${depth};\n  add.s32 %r0, %r0, %r15;`),
      ...[...depths].reverse().map((depth) => `N${depth}:\n  xor.b32 %r0, %r0, ${depth + 1};`),
    ];
    const { program } = translateText(smallKernel(body.join('\n'), { stores: '%r0' }));
    expect(program?.mode).toBe('dispatch');
    expect(deepest(program?.code ?? '')).toBeLessThan(60);
  });
});

function deepest(code: string): number {
  let depth = 0;
  let most = 0;
  for (const char of code) {
    if (char === '{') depth += 1;
    if (char === '}') depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}
