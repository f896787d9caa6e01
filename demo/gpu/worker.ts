// The worker that owns the GPU device. The page never waits for the device, and remains usable if
// the device is lost.

import type { Launch } from '../../src/base/launch.ts';
import { compareOutputs } from '../../src/harness/compare/compare.ts';
import { writtenElements } from '../../src/harness/compare/written.ts';
import { GpuExecutor } from '../../src/harness/executors/gpu-executor.ts';
import { type OnKernelPhase, watchCompilations } from '../../src/harness/runs/compile-progress.ts';
import { compileLine } from '../../src/runtime/device/compilations.ts';
import { preflight } from '../../src/runtime/preflight/preflight.ts';
import { floatProfile } from '../../src/runtime/preflight/profile.ts';
import { loadAll, loadForText, translateOnUse } from '../../src/translate/on-use.ts';
import type { Handlers, Request } from '../workers/protocol.ts';
import { post, serve } from '../workers/serve.ts';
import { identityOf } from './browser.ts';
import type { GpuInfo, GpuRequests } from './messages.ts';
import { openPageSession, type PageSession } from './page-session.ts';
import { plain } from './plain-error.ts';

type Float = 'exact' | 'fast';

interface Opened {
  readonly executor: GpuExecutor;
  readonly info: GpuInfo;
}

const opened = new Map<Float, Promise<Opened>>();
let session: PageSession | undefined;
let isCancelled = false;
/** Called with the phases of the current run. */
let onPhase: OnKernelPhase = () => undefined;

async function openSession(): Promise<PageSession> {
  session = await openPageSession((message) => post({ id: 0, kind: 'lost', message }));
  return session;
}

/**
 * Returns the executor for a float mode. Opens and measures it only once. The executors of the two
 * modes share the worker, but not the device.
 */
function open(float: Float): Promise<Opened> {
  const known = opened.get(float);
  if (known) return known;
  const opening = openNow(float);
  opening.catch(() => opened.delete(float));
  opened.set(float, opening);
  return opening;
}

async function openNow(float: Float): Promise<Opened> {
  const start = performance.now();
  const first = await openSession();
  const measured = await preflight(first);
  const executor = new GpuExecutor(
    identityOf(navigator.userAgent),
    { float, onPhase: (phase, kernel) => onPhase(phase, kernel) },
    openSession,
    first,
    { measured, translate: translateOnUse },
  );
  const info = { report: executor.describe(), profile: floatProfile(measured, float), ms: performance.now() - start };
  return { executor, info };
}

/** Loads the parts of the compiler that a launch needs. */
async function loadFor({ ptx }: Launch, { report, profile }: GpuInfo): Promise<void> {
  const workarounds = new Set(report.workarounds);
  // If the limit is unknown, 0 loads the parts for small workgroups for every kernel.
  const maxInvocations = report.adapter?.limits?.maxComputeInvocationsPerWorkgroup ?? 0;
  await loadForText(ptx, { float: profile, workarounds, maxInvocations });
}

/** Loads validation and benchmarks, with all parts of the compiler. */
async function loadMeasurements() {
  const [measurements] = await Promise.all([import('./measurements.ts'), loadAll()]);
  return measurements;
}

const handlers: Handlers<GpuRequests> = {
  open: async ({ float }) => (await open(float)).info,

  async run({ launch, float, reference }, progress) {
    const { executor, info } = await open(float);
    await loadFor(launch, info);
    const { expected, undefinedMasks, writers } = reference;
    const watch = watchCompilations(
      (event) => progress(compileLine(event)),
      () => progress('Running…'),
    );
    onPhase = watch.onPhase;
    const { outputs, ms, note } = await executor.run(launch).finally(() => watch.stop());
    const written = writtenElements(launch, writers, outputs);
    const results = expected && new Map([...expected].filter(([index]) => written.has(index)));
    const comparison = results && compareOutputs(launch, results, outputs, { undefinedMasks });
    return { ...reference, info, outputs, comparison, written, ms, note };
  },

  async measure({ launch, float }) {
    const { executor } = await open(float);
    const { measureLaunch } = await loadMeasurements();
    return await measureLaunch(executor, launch);
  },

  async validate(request, progress) {
    isCancelled = false;
    const { executor } = await open('exact');
    const { validateGroups } = await loadMeasurements();
    return await validateGroups(executor, request, progress, () => isCancelled);
  },

  async bench(_, progress) {
    isCancelled = false;
    const { executor, info } = await open('exact');
    const { bench } = await loadMeasurements();
    await bench(executor, progress, () => isCancelled);
    return info;
  },

  async litmus({ names }, progress) {
    isCancelled = false;
    const { executor } = await open('exact');
    const [{ runTests }] = await Promise.all([import('./litmus.ts'), loadAll()]);
    return await runTests(executor, names, progress, () => isCancelled);
  },

  async lose() {
    session?.lose();
    return {};
  },

  async cancel() {
    isCancelled = true;
    return {};
  },
};

/** Answers all requests, beginning with those in `early`. */
export function answer(early: readonly MessageEvent<Request<GpuRequests>>[]): void {
  serve(handlers, plain, early);
}
