// The messages for a broken invariant of the compiler, from planted faults.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { at, get, InternalError, only } from '../../../src/base/invariants.ts';
import { allOf, countOf } from '../../../src/base/maps.ts';
import { failureOf } from '../../../src/harness/runs/failure.ts';
import { parsePtxOrThrow } from '../../../src/ptx/index.ts';
import { passes, planFor, translate } from '../../../src/translate/index.ts';
import type { Program } from '../../../src/translate/ir/nodes.ts';
import { ballot } from '../../ballot-case.ts';
import { lanewise } from '../../command-line.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Runs `fault` instead of a pass. */
function plant(name: string, fault: Parameters<typeof run>[0]): void {
  const pass = passes.find((each) => each.name === name);
  if (pass === undefined) throw new RangeError(`no pass is called ${name}`);
  vi.spyOn(pass, 'run').mockImplementation(run(fault));
}
const run =
  (fault: (state: Parameters<(typeof passes)[number]['run']>[0]) => void) =>
  (state: Parameters<(typeof passes)[number]['run']>[0]) =>
    fault(state);

const text = ballot();
const module = parsePtxOrThrow(text, { file: 'k.ptx' });
const line = text.split('\n').findIndex((each) => each.includes('vote.sync.ballot')) + 1;

function caught(): unknown {
  try {
    translate(module, { block: [32, 1, 1], plan: planFor(32), float: { mode: 'fast' } as never });
  } catch (error) {
    return error;
  }
  return undefined;
}

const voteIn = ({ kernel }: Program) =>
  kernel.blocks.flatMap(({ insts }) => insts.filter(({ op }) => op === 'warp'))[0];

/** Walks over instructions as a pass does, so the builder knows the current instruction. */
const loseBlock = () =>
  plant('schedule-waits', ({ program, builder }) => {
    const vote = voteIn(program);
    builder.span = vote?.span;
    get(new Map(), vote?.id, 'the block of an instruction');
  });

describe('a broken invariant', () => {
  it('stops the translation with a message that names the pass, the value and the line', () => {
    loseBlock();
    const error = caught();
    expect(error).toBeInstanceOf(InternalError);
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(
        new RegExp(
          'internal error in the pass `schedule-waits`: the block of an instruction is missing: \\d+\\n' +
            `  at k\\.ptx:${line}: vote\\.sync\\.ballot.*\\n` +
            '  = .*open an issue with the PTX file and the command line$',
        ),
      ),
    );
  });

  it('is found by a later pass: an edge to a removed block', () => {
    plant('unroll-loops', ({ program, builder }) => {
      const block = builder.block();
      block.end = { kind: 'jump', to: { to: builder.block(), args: [] }, span: undefined };
      program.kernel.blocks.push(block);
    });
    expect(caught()).toHaveProperty(
      'message',
      expect.stringMatching(/^internal error in the pass `resolve-memory`: the block that an edge leads to is missing/),
    );
  });

  it('wraps any error of a pass, which becomes its cause', () => {
    plant('clean-up', () => {
      throw new TypeError('x is not iterable');
    });
    const error = caught();
    expect(error).toHaveProperty('message', expect.stringContaining('in the pass `clean-up`: x is not iterable\n  ='));
    expect(error).toHaveProperty('cause', expect.any(TypeError));
  });
});

describe('the command line', () => {
  const translated = async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lanewise-internal-'));
    try {
      const file = join(folder, 'k.ptx');
      writeFileSync(file, text);
      return await lanewise('translate', file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it('prints the fault without its stack, and exits with 1', async () => {
    loseBlock();
    const { code, out, err } = await translated();
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^error: internal error in the pass `schedule-waits`: /);
    expect(err).toContain(`k.ptx:${line}: vote.sync.ballot`);
    expect(err).toContain('LANEWISE_STACK=1');
    expect(err).not.toMatch(/^\s+at .*invariants\.ts/m);
  });

  it('prints the stack of the fault on request', async () => {
    loseBlock();
    vi.stubEnv('LANEWISE_STACK', '1');
    expect((await translated()).err).toMatch(/^\s+at .*invariants\.ts/m);
  });

  it('lists the files to send, also for a fault outside of the passes', () => {
    const { message } = failureOf(new InternalError('no row has the form x'), false);
    expect(message).toMatch(
      /^internal error: no row has the form x\n {2}= .*open an issue with the PTX file and the command line\n/,
    );
  });

  it('runs the other launches', () => {
    loseBlock();
    expect(failureOf(caught(), false)).toMatchObject({
      status: 'error',
      errorKind: 'other',
      message: expect.stringContaining('in the pass `schedule-waits`'),
    });
  });
});

describe('the accessors', () => {
  it.each([
    ['at', () => at([7, 8], 2, 'a lane'), 'a lane is missing: 2 of 2'],
    ['at, of a place before the first', () => at(new Int32Array(1), -1, 'a lane'), 'a lane is missing: -1 of 1'],
    ['get', () => get(new Map([['a', 1]]), 'b', 'a name'), 'a name is missing: b'],
    ['get, of an object', () => get(new Map<object, 1>(), { id: 12 }, 'a block'), 'a block is missing: `12`'],
    ['only', () => only([1, 2], 'an operand'), 'an operand: expected exactly one, got 2'],
  ])('%s throws', (_, read, message) => {
    expect(read).toThrow(new InternalError(message));
  });

  it('return the value, also 0, false and the empty string', () => {
    expect([at([0, 1], 0, ''), at([false], 0, ''), at([''], 0, ''), get(new Map([['a', 0]]), 'a', '')]).toEqual([
      0,
      false,
      '',
      0,
    ]);
    expect(only([0], '')).toBe(0);
  });

  it('return the default of maps with a meaningful absence', () => {
    expect(allOf(new Map([['a', [1]]]), 'b')).toEqual([]);
    expect(countOf(new Map([['a', 2]]), 'b')).toBe(0);
    expect(countOf(new Map([['a', 2]]), 'a')).toBe(2);
  });
});
