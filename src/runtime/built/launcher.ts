// Launches the kernels of a built module. This code is part of every built module, so it is small.

import type { Dim3 } from '../../base/launch.ts';
import { getOrInsert } from '../../base/maps.ts';
import { bufferUsage, computeStage, memoryUsage, readMode } from '../device/flags.ts';
import { maxBlocks, maxWorkgroups, rowsOf } from '../launch/rows.ts';
import { writeValue } from './arguments.ts';
import type { BuiltData, BuiltKernel, BuiltOwner, BuiltPlan } from './data.ts';
import type { Measure, Measured } from './measure.ts';

interface LaunchConfig {
  readonly grid: number | readonly [number, number?, number?];
  readonly pass?: GPUComputePassEncoder;
}

/** A kernel whose pipeline is compiled for a device. */
interface Prepared {
  readonly plan: BuiltPlan;
  readonly layout: GPUBindGroupLayout;
  readonly pipeline: GPUComputePipeline;
  readonly descriptor: GPUComputePipelineDescriptor;
  /** The pipelines for grids that are wider than a dispatch may be. */
  readonly wide: Map<string, GPUComputePipeline>;
  /** The buffers of the shader that do not belong to an argument. */
  readonly own: Map<BuiltOwner, GPUBuffer>;
  /** The parameters and bindings of the last launch. Similar launches reuse them. */
  last: Last | undefined;
}

interface Last {
  readonly bytes: Uint8Array;
  readonly ring: GPUBuffer;
  readonly offset: number;
  readonly resources: readonly GPUBufferBinding[];
  readonly group: GPUBindGroup;
}

interface DeviceState {
  measured: Promise<Measured> | undefined;
  readonly preparing: Map<string, Promise<void>>;
  readonly prepared: Map<string, Prepared>;
  /** The buffers that report traps, by the name of each kernel launched since the last `check`. */
  readonly reports: Map<string, GPUBuffer>;
  /** The current buffer of parameters, and the number of its bytes that are already used. */
  ring: GPUBuffer | undefined;
  used: number;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isBinding = (value: unknown): value is GPUBufferBinding => isObject(value) && 'buffer' in value;
const isBuffer = (value: unknown): value is GPUBuffer => isObject(value) && 'mapAsync' in value;

const isSameBinding = (a: GPUBufferBinding, b: GPUBufferBinding | undefined): boolean =>
  a.buffer === b?.buffer && a.offset === b.offset && a.size === b.size;

const bufferTypes = { r: 'read-only-storage', s: 'storage', u: 'uniform' } as const;
const ringBytes = 65536;

/**
 * Returns a pipeline for a grid whose blocks are numbered in rows. The sizes of the grid are
 * constants of the shader.
 */
function widePipeline(device: GPUDevice, { descriptor, wide }: Prepared, [x, y, z]: Dim3): GPUComputePipeline {
  return getOrInsert(wide, `${x},${y},${z}`, () => {
    const compute = { ...descriptor.compute, constants: { 0: x, 1: y, 2: z } };
    return device.createComputePipeline({ ...descriptor, compute });
  });
}

/**
 * Returns the text of a code. Decodes the earlier codes first, because the code may repeat parts of
 * them.
 */
export function codeOf(codes: BuiltData['codes'], wanted: number): string {
  let text = '';
  let begin = 0;
  for (const parts of codes.slice(0, wanted + 1)) {
    begin = text.length;
    for (const part of parts) text += typeof part === 'string' ? part : text.slice(part[0], part[0] + part[1]);
  }
  return text.slice(begin);
}

/**
 * Returns the functions that a built module exports. Without `measure`, its shaders are the same
 * for every device.
 */
export function openBuilt({ codes, plans, kernels }: BuiltData, measure?: Measure) {
  const states = new WeakMap<GPUDevice, DeviceState>();
  const names = Object.keys(kernels);

  const stateOf = (device: GPUDevice): DeviceState =>
    getOrInsert(states, device, () => ({
      measured: undefined,
      preparing: new Map(),
      prepared: new Map(),
      reports: new Map(),
      ring: undefined,
      used: 0,
    }));

  const kernelOf = (name: string): BuiltKernel => {
    const kernel = kernels[name];
    if (!kernel) throw new RangeError(`no kernel ${name}; kernels: ${names.join(', ')}`);
    return kernel;
  };

  async function compile(device: GPUDevice, name: string): Promise<void> {
    const state = stateOf(device);
    const { shaders } = kernelOf(name);
    state.measured ??= measure?.(device);
    const { size: wanted, strengths } = (await state.measured) ?? { size: 0, strengths: 0 };
    const shaderFor = (subgroups: number) =>
      shaders.find(([size, needs]) => size === subgroups && (needs & strengths) === needs);
    const shader = shaderFor(wanted) ?? shaderFor(0);
    const plan = shader && plans[shader[2]];
    if (!plan) throw new RangeError(`${name} was built without a shader for the lane plan of this device`);
    const entries = plan.buffers.map(([binding, type, of]) => ({
      binding,
      visibility: computeStage,
      buffer: { type: bufferTypes[type], hasDynamicOffset: of === 'params' },
    }));
    const layout = device.createBindGroupLayout({ label: name, entries });
    const module = device.createShaderModule({ label: name, code: codeOf(codes, shader[3]) });
    const descriptor = {
      label: name,
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: 'main' },
    };
    const pipeline = await device.createComputePipelineAsync(descriptor);
    const kernel = { plan, layout, descriptor, pipeline, wide: new Map(), own: new Map(), last: undefined };
    state.prepared.set(name, kernel);
  }

  async function prepare(device: GPUDevice, ...chosen: string[]): Promise<void> {
    const { preparing } = stateOf(device);
    const all = chosen.length ? chosen : names;
    const begin = (name: string) => {
      const compiling = compile(device, name);
      // After an error, a later call tries again.
      compiling.catch(() => preparing.delete(name));
      return compiling;
    };
    await Promise.all(all.map((name) => getOrInsert(preparing, name, () => begin(name))));
  }

  function launch(device: GPUDevice, name: string, { grid, pass }: LaunchConfig, args: readonly unknown[]): void {
    const state = stateOf(device);
    const { params } = kernelOf(name);
    const kernel = state.prepared.get(name);
    if (!kernel) throw new Error(`${name} is not prepared: await prepare(device) first`);
    const { plan, layout, own } = kernel;
    if (args.length !== params.length)
      throw new TypeError(`${name} requires ${params.map(([param, , , type]) => `${type} ${param}`).join(', ')}`);
    const [x = 1, y = 1, z = 1] = typeof grid === 'number' ? [grid] : grid;
    const isWide = Math.max(x, y, z) > maxWorkgroups;
    if (isWide && x * y * z > maxBlocks) throw new RangeError(`${name}: a grid has at most ${maxBlocks} blocks`);
    const bytes = new Uint8Array(plan.bytes);
    for (const [index, at] of plan.values) {
      const param = params[index];
      if (param) writeValue(bytes.subarray(at), param, args[index], name);
    }
    const { last } = kernel;
    let { ring, offset } = last ?? {};
    if (!ring || offset === undefined || !last?.bytes.every((byte, at) => byte === bytes[at])) {
      const step = Math.ceil(plan.bytes / 256) * 256;
      // Allocate a new buffer instead of overwriting a full one, because launches may still read
      // the full one.
      if (!state.ring || state.used + step > ringBytes) {
        state.ring = device.createBuffer({ size: ringBytes, usage: bufferUsage.uniform | bufferUsage.copyTarget });
        state.used = 0;
      }
      ring = state.ring;
      offset = state.used;
      state.used += step;
      if (step) device.queue.writeBuffer(ring, offset, bytes);
    }

    const buffer = ring;
    const ownOf = (of: BuiltOwner, size: number): GPUBufferBinding => {
      let made = own.get(of);
      if (!made || made.size < size) {
        made = device.createBuffer({ label: name, size, usage: memoryUsage });
        own.set(of, made);
      }
      return { buffer: made };
    };
    const instructions = () => {
      const words = new Uint32Array(plan.instructions ?? []);
      const isNew = !own.has('instructions');
      const binding = ownOf('instructions', words.byteLength);
      if (isNew) device.queue.writeBuffer(binding.buffer, 0, words);
      return binding;
    };
    const resourceOf = (of: BuiltOwner): GPUBufferBinding => {
      if (of === 'params') return { buffer, size: plan.bytes };
      if (of === 'blockMemory') return ownOf(of, (plan.blockMemory ?? 0) * x * y * z);
      if (of === 'instructions') return instructions();
      if (typeof of === 'string') return ownOf(of, plan[of] ?? 0);
      const value = args[of];
      if (isBinding(value)) return value;
      if (!isBuffer(value)) throw new TypeError(`${name}: invalid ${params[of]?.[0]}: expected a GPUBuffer`);
      return { buffer: value };
    };
    const resources = plan.buffers.map(([, , of]) => resourceOf(of));
    const isSame = last && resources.every((resource, at) => isSameBinding(resource, last.resources[at]));
    const group = isSame
      ? last.group
      : device.createBindGroup({
          label: name,
          layout,
          entries: plan.buffers.map(([binding], at) => ({ binding, resource: resources[at] ?? { buffer } })),
        });
    kernel.last = { bytes, ring, offset, resources, group };
    const report = own.get('status');
    if (report) state.reports.set(name, report);
    const encoder = pass ? undefined : device.createCommandEncoder({ label: name });
    const into = pass ?? encoder?.beginComputePass({ label: name });
    into?.setPipeline(isWide ? widePipeline(device, kernel, [x, y, z]) : kernel.pipeline);
    into?.setBindGroup(0, group, plan.bytes ? [offset] : []);
    into?.dispatchWorkgroups(...(isWide ? rowsOf([x, y, z]) : ([x, y, z] as const)));
    if (!encoder) return;
    into?.end();
    device.queue.submit([encoder.finish()]);
  }

  async function check(device: GPUDevice): Promise<void> {
    await device.queue.onSubmittedWorkDone();
    const { reports } = stateOf(device);
    for (const [name, buffer] of reports) {
      reports.delete(name);
      const staging = device.createBuffer({ size: 4, usage: bufferUsage.mapRead | bufferUsage.copyTarget });
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, staging, 0, 4);
      encoder.clearBuffer(buffer);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(readMode);
      const [code] = new Uint32Array(staging.getMappedRange());
      staging.destroy();
      if (code) throw new Error(name + (code === 1 ? ' trapped' : ': lanes wait for each other forever'));
    }
  }

  /** Returns the function that launches a kernel. */
  function kernel(name: string) {
    const { block } = kernelOf(name);
    const run = (device: GPUDevice, config: LaunchConfig, args: readonly unknown[]) =>
      launch(device, name, config, args);
    return Object.assign(run, { block });
  }

  return { prepare, launch, check, kernel };
}
