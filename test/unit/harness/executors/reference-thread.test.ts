// The reference interpreter stops at a time limit, at a signal, and when it is closed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, test } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { openExecutor } from '../../../../src/harness/executors/open-executor.ts';
import { ReferenceThread } from '../../../../src/harness/executors/reference-thread.ts';
import { writeCase } from '../../../../src/harness/launches/case-file.ts';
import { runCase } from '../../../../src/harness/runs/run-case.ts';
import { drawn } from '../../../effort.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-reference-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const kernel = (body: string): string => `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p_out)
{
  .reg .b64 %out, %wide;
  .reg .b32 %lane;
  .reg .pred %p;
  ld.param.u64 %out, [p_out];
  mov.u32 %lane, %laneid;
  cvt.u64.u32 %wide, %lane;
  ${body}
  setp.eq.u32 %p, %lane, 31;
  @%p st.global.b32 [%out], %lane;
  ret;
}
`;

/**
 * A kernel that never ends, and whose steps are among the slowest. It changes a counter, because
 * the reference ends a launch whose state repeats.
 */
const endless = kernel('again: add.s64 %wide, %wide, 1;\n  match.any.sync.b64 %lane, %wide, 0xffffffff;\n  bra again;');

function launchOf(id: string, ptx: string, change: Partial<Launch> = {}): Launch {
  return {
    id,
    group: '',
    ptx,
    ptxFile: `${id}.ptx`,
    entry: 'k',
    grid: [1, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params: [{ name: 'out', kind: 'buffer', type: 'u32', bytes: 4, expect: Uint8Array.of(31, 0, 0, 0) }],
    ...change,
  };
}

function write(launch: Launch): string {
  writeFileSync(join(folder, `${launch.id}.ptx`), launch.ptx);
  const path = join(folder, `${launch.id}.json`);
  writeFileSync(path, writeCase(launch, `${launch.id}.ptx`));
  return path;
}

const good = launchOf('good', kernel(''));

test('returns the results and errors of the interpreter in this thread', async () => {
  const thread = await openExecutor('cpu');
  try {
    const launches = [
      good,
      launchOf('invalid', 'mov.u32 oops'),
      launchOf('trap', kernel('trap;')),
      launchOf('no-kernel', kernel(''), { entry: 'absent' }),
      launchOf('too-few', kernel(''), { params: [] }),
    ];
    const outcome = async (executor: typeof thread, launch: Launch): Promise<unknown> => {
      const { outputs, undefinedMasks, writers } = await executor.run(launch);
      return { outputs, undefinedMasks, writers };
    };
    for (const launch of launches) {
      const [here, there] = await Promise.allSettled([outcome(cpuExecutor(), launch), outcome(thread, launch)]);
      expect(there, launch.id).toEqual(here);
      if (here?.status === 'rejected' && there?.status === 'rejected') {
        expect(there.reason.constructor, launch.id).toBe(here.reason.constructor);
      }
    }
  } finally {
    await thread.close();
  }
});

test('a time limit ends an endless kernel, and the next launch runs', async () => {
  const thread = await openExecutor('cpu');
  try {
    const late = {
      name: 'GpuError',
      kind: 'timeout',
      message: 'endless: the reference interpreter: no answer within 100 ms',
    };
    await expect(thread.run(launchOf('endless', endless), { timeoutMs: 100 })).rejects.toMatchObject(late);
    expect((await thread.run(good)).outputs.get(0)).toEqual(Uint8Array.of(31, 0, 0, 0));
  } finally {
    await thread.close();
  }
});

test('a new reference uses the thread of an idle one, unless a launch was stopped', async () => {
  let threads = 0;
  const count = (): void => {
    threads += 1;
  };
  process.on('worker', count);
  try {
    for (let round = 0; round < 2; round++) {
      const thread = new ReferenceThread();
      expect((await thread.run(good)).outputs.get(0)).toEqual(Uint8Array.of(31, 0, 0, 0));
      await thread.close();
    }
    expect(threads).toBeLessThan(2);
    const thread = new ReferenceThread();
    await expect(thread.run(launchOf('endless', endless), { timeoutMs: 100 })).rejects.toThrow('no answer');
    threads = 0;
    await thread.run(good);
    await thread.close();
    expect(threads).toBe(1);
  } finally {
    process.off('worker', count);
  }
});

test('closing a reference stops the running launch', async () => {
  const thread = new ReferenceThread();
  const running = thread.check(launchOf('endless', endless), {});
  const ended = expect(running).rejects.toMatchObject({ kind: 'lost' });
  await new Promise((done) => setTimeout(done, 200));
  await thread.close();
  await ended;
});

test('a reference that is too slow is reported as such', async () => {
  const reference = await openExecutor('cpu');
  const {
    params: [out],
  } = good;
  const open = out?.kind === 'buffer' ? { name: 'out', kind: 'buffer' as const, type: out.type, bytes: 4 } : undefined;
  const launch = launchOf('endless', endless, { params: open ? [open] : [] });
  try {
    const [result] = await runCase(launch, [{ ...reference, name: 'dawn', run: () => cpuExecutor().run(good) }], {
      reference,
      timeoutMs: 100,
    });
    expect(result).toMatchObject({ status: 'error', errorKind: 'timeout' });
  } finally {
    await reference.close();
  }
});

describe('on the command line', () => {
  const program = fileURLToPath(new URL('../../../../bin/lanewise.js', import.meta.url));
  const endlessCase = write(launchOf('endless', endless));
  const goodCase = write(good);

  function start(...args: string[]) {
    const child = spawn(process.execPath, [program, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { out: '', err: '' };
    child.stdout.on('data', (text) => {
      texts.out += text;
    });
    child.stderr.on('data', (text) => {
      texts.err += text;
    });
    return { child, texts, exit: once(child, 'close') };
  }

  const limited: readonly (readonly [string, readonly string[]])[] = [
    ['check', ['check', endlessCase, goodCase, '--timeout', '2']],
    ['run', ['run', endlessCase, goodCase, '--on', 'cpu', '--timeout', '2']],
  ];
  it.each(drawn(limited, 1))('%s continues after its limit, and exits with 4', async (_, args) => {
    const { texts, exit } = start(...args);
    const [code] = await exit;
    expect(texts.out + texts.err).toContain('no answer within 2000 ms');
    expect(texts.out).toContain('✓ good');
    expect(code).toBe(4);
  });

  const signals = [
    ['check', 'SIGINT', 130],
    ['check', 'SIGTERM', 143],
    ['run', 'SIGINT', 130],
  ] as const;
  it.each(drawn(signals, 2))('%s ends on %s', async (command, signal, expected) => {
    const on = command === 'run' ? ['--on', 'cpu'] : [];
    const { child, exit, texts } = start(command, goodCase, endlessCase, '--timeout', '3600', ...on);
    await expect.poll(() => texts.out, { timeout: 120_000 }).toContain('✓ good');
    // By now, the thread interprets the other launch.
    await new Promise((done) => setTimeout(done, 200));
    child.kill(signal);
    const [code] = await exit;
    expect(code).toBe(expected);
  });
});
