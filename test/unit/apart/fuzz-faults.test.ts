// The fuzzer finds planted errors in each part that it compares, and reduces each failing kernel to
// a few lines. The lockstep interpreter executes the WGSL, so no adapter is needed.
import '../../provide-parts.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { KernelExecutor } from '../../../src/harness/executors/executor.ts';
import { makeJob, readOutputs } from '../../../src/harness/executors/kernel-job.ts';
import { type FuzzOptions, fuzz } from '../../../src/harness/fuzz/fuzz.ts';
import { generateKernel } from '../../../src/harness/fuzz/kernels/generate.ts';
import type { FuzzKernel } from '../../../src/harness/fuzz/kernels/tree.ts';
import { bodyLines, printKernel } from '../../../src/harness/fuzz/print/print.ts';
import { referenceOf } from '../../../src/harness/fuzz/reference.ts';
import { planFor } from '../../../src/translate/index.ts';
import { drawn } from '../../effort.ts';
import { translateLaunch } from '../../lockstep/lockstep-executor.ts';
import { runWgsl } from '../../wgsl-interpreter/index.ts';

/** Whether the interpreter's waiting rule is broken. One test sets this. */
const waiting = vi.hoisted(() => ({ broken: false }));

vi.mock('../../../src/cpu-ref/interpreter/warp/warp-sync.ts', async (importActual) => {
  const actual = await importActual<typeof import('../../../src/cpu-ref/interpreter/warp/warp-sync.ts')>();
  const { executeWarpOp } = await import('../../../src/cpu-ref/interpreter/warp/warp-op.ts');
  const arriveAtWarpOp: typeof actual.arriveAtWarpOp = (warp, op, work, frame, group, lanes, pc) => {
    if (!waiting.broken) return actual.arriveAtWarpOp(warp, op, work, frame, group, lanes, pc);
    // The lanes at this instruction execute without waiting, as if the other lanes had ended.
    warp.setPc(lanes, pc);
    const { exited } = warp;
    warp.exited = ~lanes;
    executeWarpOp(warp, lanes);
    warp.exited = exited;
    return pc + 1;
  };
  return { ...actual, arriveAtWarpOp };
});

afterEach(() => {
  waiting.broken = false;
});

const size = 32;
const plan = planFor(size);

/** Returns an executor that runs WGSL in lockstep after `mutate` has changed it. */
function executor(mutate: (code: string) => string = (code) => code): KernelExecutor {
  return {
    name: 'dawn',
    describe: () => ({ name: 'dawn', subgroupSize: size, lanePlan: plan }),
    async run(launch) {
      const program = translateLaunch(launch, plan);
      const job = makeJob(program, launch);
      const result = runWgsl({ ...job, code: mutate(job.code) }, { subgroupSize: size });
      return { outputs: readOutputs(program, launch, result), ms: 0, note: '' };
    },
    async close() {},
  };
}

/** The number of kernels that a test draws. One of them must show the error. */
const few = 40;
const seed = 1;

/** The kernels of the seed, in order, which all tests share. The patterns match plain names. */
const generated: { readonly kernel: FuzzKernel; readonly ptx: string; readonly lines: number }[] = [];
function* kernelsOfSeed(): Generator<(typeof generated)[number], never> {
  for (let index = 0; ; index++) {
    if (index === generated.length) {
      const kernel: FuzzKernel = { ...generateKernel(seed, index), names: 'plain' };
      const { ptx } = printKernel(kernel);
      generated.push({ kernel, ptx, lines: bodyLines(ptx).length });
    }
    yield* generated.slice(index, index + 1);
  }
}

/**
 * Returns a function that draws only short kernels whose text matches. Other kernels cannot show
 * the error, or each step of their reduction needs more time.
 */
function drawWith(pattern: RegExp): () => FuzzKernel {
  const maxLines = 40;
  const kernels = kernelsOfSeed();
  return () => {
    for (;;) {
      const { kernel, ptx, lines } = kernels.next().value;
      // Exclude matrix products, which are single statements of many lines.
      if (lines <= maxLines && pattern.test(ptx) && !ptx.includes('mma.')) return kernel;
    }
  };
}

/**
 * Returns the shrunk body of the first failure, by lines. Shrinking does not depend on the
 * machine's speed.
 */
async function firstFailure(shows: RegExp, options: Omit<FuzzOptions, 'seed'>) {
  const limits = {
    seed,
    draw: drawWith(shows),
    count: few,
    maxFailures: 1,
    inFlight: 1,
    shrinkMs: Number.POSITIVE_INFINITY,
  };
  const { found, kernels, dropped } = await fuzz({ ...limits, ...options });
  const [failure] = found;
  if (!failure) throw new Error(`found nothing in ${kernels} kernels; dropped ${JSON.stringify(dropped)}`);
  return { failure, body: bodyLines(failure.minimal.launch.ptx).map((line) => line.trim()) };
}

describe('a fault planted in', () => {
  const inLowerings = [
    [
      'redux.sync.min',
      /subgroupMin\(bitcast<i32>\((\w+)\)\)/g,
      'bitcast<i32>(subgroupMin($1))',
      /redux\.sync\.min\.s32/,
    ],
    ['shfl.sync.up', /(bitcast<i32>\(lane\w* - \(\w+ & 31u\)\)) >= /g, '$1 > ', /shfl\.(?:sync\.)?up/],
    ['redux.sync.or', /subgroupOr\(/g, 'subgroupXor(', /redux\.sync\.or/],
    ['match.any.sync', /~lanes/g, 'lanes', /match\.any\.sync/],
    [
      'an instruction under a guard',
      /select\((?:\w+), ((?:value|ballot|total|matched)\w*), !?[pq]\d+\)/g,
      '$1',
      /@!?%[pq]\d+ \S+\.sync/,
    ],
  ] as const;
  test.each(drawn(inLowerings, 3))('the lowering of %s', async (_, from, to, shows) => {
    let changed = 0;
    const { failure, body } = await firstFailure(shows, {
      executors: [
        executor((code) => {
          const mutated = code.replace(from, to);
          if (mutated !== code) changed++;
          return mutated;
        }),
      ],
    });
    expect(changed).toBeGreaterThan(0);
    expect(failure.minimal.disagreement).toMatchObject({ executor: 'dawn', kind: 'mismatch' });
    // Generated kernels have up to 40 lines. After shrinking, fewer than 25 must remain.
    expect(body.length, body.join('\n')).toBeLessThan(25);
    expect(body.join('\n')).toMatch(shows);
  });

  const inReference = [
    ['redux.sync.max.s32', 'redux.sync.max.u32'],
    ['shfl.sync.up.b32', 'shfl.sync.down.b32'],
    ['vote.sync.any', 'vote.sync.all'],
    ['elect.sync', 'activemask.b32'],
  ] as const;
  test.each(drawn(inReference, 2))('the reference: %s', async (from, to) => {
    const { failure, body } = await firstFailure(new RegExp(from.replaceAll('.', '\\.')), {
      executors: [executor()],
      reference: (launch) => {
        // activemask has no predicate and no mask.
        const ptx =
          from === 'elect.sync'
            ? launch.ptx.replace(/elect\.sync (%r\d)\|[^;]*/g, `${to} $1`)
            : launch.ptx.replaceAll(from, to);
        return referenceOf({ ...launch, ptx });
      },
    });
    expect(failure.minimal.disagreement).toMatchObject({ executor: 'dawn', kind: 'mismatch' });
    // Generated kernels have up to 40 lines. After shrinking, fewer than 25 must remain.
    expect(body.length, body.join('\n')).toBeLessThan(25);
    expect(body.join('\n')).toContain(from);
  });

  test('the waiting rule of the interpreter', async () => {
    waiting.broken = true;
    const { failure, body } = await firstFailure(/\.sync/, { executors: [executor()] });
    expect(failure.minimal.disagreement).toMatchObject({ executor: 'dawn', kind: 'mismatch' });
    // Generated kernels have up to 40 lines. After shrinking, fewer than 25 must remain.
    expect(body.length, body.join('\n')).toBeLessThan(25);
    // Both arms of a branch reach the same instruction.
    expect(body.filter((line) => line.includes('bra '))).not.toEqual([]);
    expect(body.filter((line) => line.includes('.sync'))).not.toEqual([]);
  });
});

test('without a fault there is no failure', async () => {
  const { failures, kernels, dropped } = await fuzz({
    seed,
    draw: drawWith(/\.sync/),
    count: 15,
    executors: [executor()],
  });
  expect({ failures, kernels, dropped }).toEqual({ failures: 0, kernels: 15, dropped: {} });
});
