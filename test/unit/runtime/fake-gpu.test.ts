// The fake GPU refuses the same calls as WebGPU. The runtime's tests rely on it.
import { describe, expect, test } from 'vitest';
import { type FakeDevice, FakeGpu, type FakeGpuOptions, usages } from '../../fake-gpu/index.ts';

const { COPY_DST, COPY_SRC, MAP_READ, MAP_WRITE, QUERY_RESOLVE, STORAGE, UNIFORM } = usages;

async function open(options: FakeGpuOptions = {}, descriptor: GPUDeviceDescriptor = {}): Promise<FakeDevice> {
  const gpu = new FakeGpu(options);
  await (await gpu.requestAdapter())?.requestDevice(descriptor);
  const [device] = gpu.devices;
  if (!device) throw new Error('no device');
  return device;
}

const code = `
struct Params { by: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> given: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) { out[id.x] = given[id.x] + params.by; }
@compute @workgroup_size(512)
fn wide() { out[0] = 1u; }`;

const kinds = ['storage', 'read-only-storage', 'uniform'] as const;

/** Returns all objects that a dispatch needs. */
function stage(device: FakeDevice) {
  const entries = kinds.map((type, binding) => ({
    binding,
    visibility: 4,
    buffer: { type, hasDynamicOffset: type === 'uniform' },
  }));
  const layout = device.createBindGroupLayout({ entries });
  const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [layout] });
  const module = device.createShaderModule({ code });
  const pipelineOf = (entryPoint: string) =>
    device.createComputePipeline({ layout: pipelineLayout, compute: { module, entryPoint } });
  const buffer = (size: number, usage: number) => device.createBuffer({ size, usage });
  const [out, from] = [buffer(1024, STORAGE | COPY_SRC | COPY_DST), buffer(1024, STORAGE | COPY_DST)];
  const params = buffer(1024, UNIFORM | COPY_DST);
  const groupOf = (...parts: GPUBufferBinding[]) =>
    device.createBindGroup({ layout, entries: parts.map((resource, binding) => ({ binding, resource })) });
  const group = groupOf({ buffer: out }, { buffer: from }, { buffer: params, size: 16 });
  const encoder = device.createCommandEncoder();
  const dispatch = (use: { group?: GPUBindGroup; entryPoint?: string; offsets?: number[]; x?: number }) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipelineOf(use.entryPoint ?? 'main'));
    pass.setBindGroup(0, use.group ?? group, use.offsets ?? [0]);
    pass.dispatchWorkgroups(use.x ?? 1);
    pass.end();
    return encoder.finish();
  };
  const queries = device.createQuerySet({ type: 'timestamp', count: 4 });
  return { device, layout, module, buffer, out, from, params, groupOf, group, encoder, dispatch, pipelineOf, queries };
}

type Stage = ReturnType<typeof stage>;

const faults: readonly (readonly [string, (stage: Stage) => unknown, RegExp])[] = [
  ['a buffer without a usage', ({ buffer }) => buffer(4, 0), /invalid usage 0/],
  ['a buffer that is mapped and bound', ({ buffer }) => buffer(4, MAP_READ | STORAGE), /MAP_READ goes with COPY_DST alone/],
  ['a buffer that is written through mapping and bound', ({ buffer }) => buffer(4, MAP_WRITE | STORAGE), /MAP_WRITE goes with COPY_SRC alone/],
  ['a buffer that is too large', ({ buffer }) => buffer(2 ** 28 + 4, STORAGE), /more than maxBufferSize/],
  ['writing after the end', ({ device, out }) => device.queue.writeBuffer(out, 1020, new Uint32Array(2)), /8 bytes at 1020 are not in the buffer/],
  ['writing at half a word', ({ device, out }) => device.queue.writeBuffer(out, 2, new Uint32Array(1)), /offset 2 is not a multiple of 4/],
  ['writing without the usage', ({ device, buffer }) => device.queue.writeBuffer(buffer(4, STORAGE), 0, new Uint32Array(1)), /lacks the usage COPY_DST/],
  ['writing a destroyed buffer', ({ device, out }) => { out.destroy(); device.queue.writeBuffer(out, 0, new Uint32Array(1)); }, /is destroyed/],
  ['writing a mapped buffer', ({ device }) => device.queue.writeBuffer(device.createBuffer({ size: 4, usage: COPY_DST, mappedAtCreation: true }), 0, new Uint32Array(1)), /is mapped/],
  ['copying within a buffer', ({ encoder, out }) => { encoder.copyBufferToBuffer(out, 0, out, 512, 4); encoder.finish(); }, /the source is the destination/],
  ['copying half a word', ({ encoder, out, from }) => { encoder.copyBufferToBuffer(out, 0, from, 0, 2); encoder.finish(); }, /are not words/],
  ['copying past the end', ({ encoder, out, from }) => { encoder.copyBufferToBuffer(out, 0, from, 1020, 8); encoder.finish(); }, /not in the destination/],
  ['copying from after the end', ({ encoder, out, from }) => { encoder.copyBufferToBuffer(out, 1024, from, 0, 4); encoder.finish(); }, /not in the source/],
  ['copying without the usage', ({ encoder, out, from }) => { encoder.copyBufferToBuffer(from, 0, out, 0, 4); encoder.finish(); }, /lacks the usage COPY_SRC/],
  ['clearing half a word', ({ encoder, out }) => { encoder.clearBuffer(out, 0, 6); encoder.finish(); }, /are not words/],
  ['clearing past the end', ({ encoder, out }) => { encoder.clearBuffer(out, 1024, 4); encoder.finish(); }, /not in the buffer/],
  ['queries at an unaligned offset', ({ encoder, buffer, queries }) => { encoder.resolveQuerySet(queries, 0, 1, buffer(512, QUERY_RESOLVE), 8); encoder.finish(); }, /not a multiple of 256/],
  ['queries past the end', ({ encoder, buffer, queries }) => { encoder.resolveQuerySet(queries, 3, 2, buffer(512, QUERY_RESOLVE), 0); encoder.finish(); }, /not in the set of 4/],
  ['finishing with an open pass', ({ encoder }) => { encoder.beginComputePass(); encoder.finish(); }, /a pass is open/],
  ['copying within a pass', ({ encoder, out, from }) => { const pass = encoder.beginComputePass(); encoder.copyBufferToBuffer(out, 0, from, 0, 4); pass.end(); encoder.finish(); }, /copyBufferToBuffer: a pass is open/],
  ['finishing twice', ({ encoder }) => { encoder.finish(); encoder.finish(); }, /the encoder has ended/],
  ['a dispatch after the pass', ({ encoder }) => { const pass = encoder.beginComputePass(); pass.end(); pass.dispatchWorkgroups(1); }, /the pass has ended/],
  ['a dispatch without a pipeline', ({ encoder }) => { const pass = encoder.beginComputePass(); pass.dispatchWorkgroups(1); pass.end(); encoder.finish(); }, /no pipeline is set/],
  ['a dispatch without its bind group', ({ encoder, pipelineOf }) => { const pass = encoder.beginComputePass(); pass.setPipeline(pipelineOf('main')); pass.dispatchWorkgroups(1); pass.end(); encoder.finish(); }, /does not match the pipeline/],
  ['too many workgroups', ({ dispatch }) => dispatch({ x: 65_536 }), /65536 workgroups are more than 65535/],
  ['a missing dynamic offset', ({ dispatch }) => dispatch({ offsets: [] }), /0 dynamic offsets for 1/],
  ['an unaligned dynamic offset', ({ dispatch }) => dispatch({ offsets: [16] }), /not a multiple of 256/],
  ['a dynamic offset past the end', ({ dispatch }) => dispatch({ offsets: [1024] }), /is outside its buffer/],
  ['a buffer that is written and read', ({ groupOf, out, params, dispatch }) => dispatch({ group: groupOf({ buffer: out, size: 256 }, { buffer: out, offset: 256 }, { buffer: params, size: 16 }) }), /one of them writes the buffer/],
  ['a binding that is too small', ({ groupOf, out, from, params, dispatch }) => dispatch({ group: groupOf({ buffer: out }, { buffer: from }, { buffer: params, size: 2 }) }), /`params` at binding 2 has 2 of 4 bytes/],
  ['a binding without the usage', ({ groupOf, params, from }) => groupOf({ buffer: params }, { buffer: from }, { buffer: params }), /binding 0: .* lacks the usage STORAGE/],
  ['an unaligned binding', ({ groupOf, out, from, params }) => groupOf({ buffer: out, offset: 4 }, { buffer: from }, { buffer: params }), /offset 4 is not a multiple of 256/],
  ['a binding past the end', ({ groupOf, out, from, params }) => groupOf({ buffer: out, offset: 1024 }, { buffer: from }, { buffer: params }), /0 bytes at 1024 are not in a buffer of 1024/],
  ['a missing binding', ({ groupOf, out, from }) => groupOf({ buffer: out }, { buffer: from }), /a binding of the layout is missing/],
  ['a workgroup that is too large', ({ pipelineOf }) => pipelineOf('wide'), /512 invocations of a workgroup are too many/],
  ['a missing entry point', ({ pipelineOf }) => pipelineOf('other'), /lacks the entry point `other`/],
  ['an invalid shader', ({ device }) => device.createShaderModule({ code: '@compute @workgroup_size(1) fn main() { let x: u32 = missing; }' }), /missing is not declared/],
  ['a feature that the device lacks', ({ device }) => device.createShaderModule({ code: 'enable subgroups;\n@compute @workgroup_size(1) fn main() {}' }), /the device lacks subgroups/],
  ['submitting twice', ({ device, encoder }) => { const commands = encoder.finish(); device.queue.submit([commands]); device.queue.submit([commands]); }, /was submitted before/],
  ['submitting a use of a destroyed buffer', ({ device, dispatch, out }) => { const commands = dispatch({}); out.destroy(); device.queue.submit([commands]); }, /is destroyed/],
]; // biome-ignore format: a line each

describe('the fake GPU', () => {
  test.each(faults)('refuses %s', async (_, work, message) => {
    const device = await open({}, { requiredFeatures: ['timestamp-query'] });
    const given = stage(device);
    expect(device.uncaptured).toEqual([]);
    device.pushErrorScope('out-of-memory');
    device.pushErrorScope('validation');
    work(given);
    expect((await device.popErrorScope())?.message).toMatch(message);
    expect(await device.popErrorScope()).toBeNull();
    expect(device.uncaptured).toEqual([]);
    // Without an error scope, the device reports the error as an event.
    const again = await open({}, { requiredFeatures: ['timestamp-query'] });
    const heard: string[] = [];
    again.addEventListener('uncapturederror', (event) =>
      heard.push('error' in event ? String(event.error) : 'no error'),
    );
    work(stage(again));
    expect(heard[0]).toMatch(message);
  });

  test('runs accepted commands in order, and maps the result', async () => {
    const device = await open({}, { requiredFeatures: ['timestamp-query'] });
    const { out, from, params, dispatch, buffer } = stage(device);
    device.queue.writeBuffer(from, 0, Uint32Array.of(1, 2, 3, 4));
    device.queue.writeBuffer(params, 256, Uint32Array.of(10));
    device.queue.submit([dispatch({ offsets: [256] })]);
    device.queue.writeBuffer(from, 0, Uint32Array.of(9));
    const staging = buffer(16, MAP_READ | COPY_DST);
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(out, 0, staging, 0, 16);
    device.queue.submit([encoder.finish()]);
    expect(() => staging.getMappedRange()).toThrow(/is not mapped/);
    const mapping = staging.mapAsync(1);
    expect(staging.mapState).toBe('pending');
    await mapping;
    const words = new Uint32Array(staging.getMappedRange());
    expect([...words]).toEqual([11, 12, 13, 14]);
    expect(() => staging.getMappedRange(0, 8)).toThrow(/overlaps/);
    staging.unmap();
    expect(words.length).toBe(0);
    // Unmapping rejects a pending map.
    const aborted = expect(staging.mapAsync(1)).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    staging.destroy();
    await aborted;
    expect(device.uncaptured).toEqual([]);
  });

  test('cannot exceed its memory, and frees the memory of destroyed buffers', async () => {
    const device = await open({ memory: 1000 });
    const first = device.createBuffer({ size: 600, usage: COPY_DST });
    device.pushErrorScope('validation');
    device.pushErrorScope('out-of-memory');
    const missing = device.createBuffer({ size: 600, usage: COPY_DST });
    expect((await device.popErrorScope())?.message).toMatch(/no room for 600 bytes/);
    device.queue.writeBuffer(missing, 0, new Uint32Array(1));
    expect((await device.popErrorScope())?.message).toMatch(/is invalid/);
    first.destroy();
    await device.queue.onSubmittedWorkDone();
    device.createBuffer({ size: 1000, usage: COPY_DST });
    expect(device.uncaptured).toEqual([]);
  });

  test('is lost once: pending work ends, and later calls are no errors', async () => {
    const device = await open();
    const staging = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST });
    device.timeline.hold();
    const done = device.queue.onSubmittedWorkDone();
    device.lose('the driver was reset');
    device.destroy();
    expect(await device.lost).toMatchObject({ reason: 'unknown', message: 'the driver was reset' });
    await done;
    device.createBuffer({ size: 2 ** 40, usage: 0 });
    await expect(staging.mapAsync(1)).rejects.toThrow(/the device is lost/);
    expect(device.uncaptured).toEqual([]);
  });

  test('an adapter opens a device with its own features, and only once', async () => {
    const gpu = new FakeGpu();
    const adapter = await gpu.requestAdapter();
    const request = (descriptor: GPUDeviceDescriptor) => adapter?.requestDevice(descriptor);
    await expect(request({ requiredFeatures: ['shader-f16'] })).rejects.toThrow(TypeError);
    await expect(request({ requiredLimits: { maxBufferSize: 2 ** 40 } })).rejects.toThrow(/lacks maxBufferSize/);
    const device = await request({ requiredLimits: { maxComputeInvocationsPerWorkgroup: 512 } });
    expect(device?.limits.maxComputeInvocationsPerWorkgroup).toBe(512);
    expect(device?.limits.maxComputeWorkgroupSizeX).toBe(256);
    await expect(request({})).rejects.toThrow(/has already opened a device/);
  });
});
