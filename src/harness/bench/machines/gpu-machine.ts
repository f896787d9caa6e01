// Measures on a WebGPU adapter: translates every launch of a sequence and lays its buffers out.

import { choosePlan, type LanePlan } from '../../../base/lane-plan.ts';
import { translate, type WgslProgram } from '../../../translate/index.ts';
import { type ExecutorReport, KernelError } from '../../executors/executor.ts';
import { floatProfile } from '../../executors/gpu-executor.ts';
import { makeJob } from '../../executors/kernel-job.ts';
import { kernelKey, loadKernel } from '../../executors/load-kernel.ts';
import {
  type LaunchSequence,
  launchOf,
  type SequenceLaunch,
  type SequenceRun,
} from '../../launches/launch-sequence.ts';
import { GpuError, type GpuSession } from '../../webgpu/job.ts';
import type { Preflight } from '../../webgpu/preflight/preflight.ts';
import type { GpuSequence, GpuStep, SharedBuffer, Timing } from '../../webgpu/sequence.ts';
import type { BenchMachine, FloatMode } from './machine.ts';

/// For one answer, the shader's compilation included. Rasterizers compile hundreds of soft f32 operations for minutes, which a bench without a
/// GPU has not got.
const timeoutMs = 120_000;
const softwareTimeoutMs = 20_000;
const NS_PER_MS = 1e6;

/// Translates for what was `measured` on the session, and opens another session with `open` when one ends.
export class GpuMachine implements BenchMachine {
  readonly name: 'chrome' | 'dawn';
  readonly report: ExecutorReport;
  readonly software: boolean;
  readonly #open: () => Promise<GpuSession>;
  readonly #measured: Preflight;
  readonly #plan: LanePlan;
  readonly #programs = new Map<string, WgslProgram>();
  #session: GpuSession | undefined;

  constructor(name: 'chrome' | 'dawn', open: () => Promise<GpuSession>, session: GpuSession, measured: Preflight) {
    this.name = name;
    this.#open = open;
    this.#session = session;
    this.#measured = measured;
    this.#plan = choosePlan(measured);
    this.software = session.adapter.software;
    this.report = {
      name,
      adapter: session.adapter,
      subgroupSize: measured.subgroupSize,
      lanePlan: this.#plan,
      float: { ...measured.float },
      problems: measured.problems,
    };
  }

  async time(sequence: LaunchSequence, timing: Timing, float: FloatMode): Promise<SequenceRun> {
    const request = this.#translate(sequence, timing, float);
    this.#session ??= await this.#open();
    try {
      const { stamps, clock, windows } = await this.#session.time(request, {
        timeoutMs: this.software ? softwareTimeoutMs : timeoutMs,
      });
      return {
        times: stamps.map(([begin, end]) => (end - begin) / NS_PER_MS),
        stamps: clock === 'gpu' ? stamps.flat() : [],
        clock,
        windows: new Map([...windows].map(([index, data]) => [sequence.buffers[index]?.name ?? '', data])),
      };
    } catch (error) {
      if (error instanceof GpuError && (error.kind === 'lost' || error.kind === 'timeout')) this.#session = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#session?.close();
    this.#session = undefined;
  }

  #translate(sequence: LaunchSequence, timing: Timing, float: FloatMode): GpuSequence {
    const buffers: SharedBuffer[] = sequence.buffers.map(({ bytes, data, result }) => ({
      bytes,
      uniform: false,
      ...(data ? { data } : {}),
      read: result !== undefined,
    }));
    const made = (launch: SequenceLaunch): GpuStep => this.#step(sequence, launch, float, buffers);
    const prepare = sequence.prepare.map(made);
    const steps = sequence.steps.map(made);
    return { label: sequence.id, buffers, prepare, steps, timing };
  }

  /// Adds the buffers that the step has for itself (its scalars, its status) to `buffers`.
  #step(sequence: LaunchSequence, step: SequenceLaunch, float: FloatMode, buffers: SharedBuffer[]): GpuStep {
    const launch = launchOf(sequence, step);
    const program = this.#program(sequence, step, float);
    if (program.heap) throw new GpuError('validation', `${launch.id}: needs a heap, which is not measured`);
    const job = makeJob(program, launch);
    const own = new Map<number, number>();
    for (const [index, place] of program.params.entries()) {
      const shared = sequence.buffers.findIndex(({ name }) => name === step.args[index]);
      if (place.kind === 'binding' && shared >= 0) own.set(place.binding, shared);
    }
    const bindings = job.buffers.map(({ binding, kind, bytes, data }) => {
      const known = own.get(binding);
      if (known !== undefined) return { binding, kind, buffer: known };
      buffers.push({ bytes, uniform: kind === 'uniform', ...(data ? { data } : {}), read: false });
      return { binding, kind, buffer: buffers.length - 1 };
    });
    const { code, entryPoint, workgroups } = job;
    return { code, entryPoint, workgroups, bindings };
  }

  #program(sequence: LaunchSequence, step: SequenceLaunch, float: FloatMode): WgslProgram {
    const limits = this.report.adapter?.limits ?? {};
    const maxWorkgroups = limits.maxComputeWorkgroupsPerDimension ?? 65_535;
    const grid = step.grid.some((size) => size > maxWorkgroups) ? step.grid : undefined;
    const launch = launchOf(sequence, step);
    const key = JSON.stringify([kernelKey(launch), step.entry, step.block, grid, float]);
    const known = this.#programs.get(key);
    if (known) return known;
    const module = loadKernel(launch);
    const { program, diagnostics } = translate(module, {
      entry: step.entry,
      block: step.block,
      grid: step.grid,
      sharedBytes: 0,
      plan: this.#plan,
      float: floatProfile(this.#measured, float),
      maxWorkgroups,
      maxInvocations: limits.maxComputeInvocationsPerWorkgroup ?? 256,
      maxStorageBuffers: limits.maxStorageBuffersPerShaderStage ?? 8,
    });
    if (!program) throw new KernelError('unsupported', module.source, diagnostics);
    this.#programs.set(key, program);
    return program;
  }
}
