// The part of each built module other than its shaders and their layout. It is JavaScript for the
// page, in one text, and has to be small.

const text = `const types = { r: 'read-only-storage', s: 'storage', u: 'uniform' };
const known = new WeakMap();
const state = (device) => {
  let it = known.get(device);
  if (!it) known.set(device, (it = { made: { __proto__: null }, told: new Map() }));
  return it;
};
const sizeOf = ({ adapterInfo: info, features }) =>
  features.has('subgroups') && info?.subgroupMinSize === info?.subgroupMaxSize ? info?.subgroupMinSize : 0;
const planOf = (device, name) => {
  const kernel = kernels[name];
  if (!kernel) throw new RangeError(\`no kernel \${name}; kernels: \${Object.keys(kernels)}\`);
  const by = kernel.plans;
  const [plan, code] = by[sizeOf(device)] ?? by[0];
  return [plans[plan], shaders[code]];
};
const describe = (device, name) => {
  const [plan, code] = planOf(device, name);
  const entries = plan.buffers.map(([binding, type, of]) => ({
    binding, visibility: 4, buffer: { type: types[type], hasDynamicOffset: of === 'params' },
  }));
  const layout = device.createBindGroupLayout({ entries });
  const module = device.createShaderModule({ label: name, code });
  const compute = { module, entryPoint: 'main' };
  const pipeline = { label: name, layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }), compute };
  return { plan, layout, pipeline };
};
export async function prepare(device, ...names) {
  const { made } = state(device);
  await Promise.all((names.length ? names : Object.keys(kernels)).map(async (name) => {
    if (made[name]) return;
    const it = describe(device, name);
    it.pipeline = await device.createComputePipelineAsync(it.pipeline);
    made[name] ??= it;
  }));
}
const write = (to, [param, kind, bytes, type], value) => {
  const fail = () => { throw new TypeError(\`invalid \${type} \${param}: \${value}\`); };
  const view = new DataView(new ArrayBuffer(8));
  let from = new Uint8Array(view.buffer, 0, Math.min(bytes, 8));
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    from = new Uint8Array(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength);
    if (from.length !== bytes) fail();
  } else if (kind === 'f') {
    if (typeof value !== 'number' || bytes < 4) fail();
    if (bytes === 4) view.setFloat32(0, value, true);
    else view.setFloat64(0, value, true);
  } else if (kind === 'i' || kind === 'p') {
    const number = Number(value);
    if (typeof value === 'object' || !Number.isInteger(number)) fail();
    if (bytes < 8 && (number >= 2 ** (8 * bytes) || number < -(2 ** (8 * bytes - 1)))) fail();
    view.setBigUint64(0, BigInt.asUintN(64, BigInt(value)), true);
  } else fail();
  to.set(from);
};
const ring = 65536;
export function launch(device, name, { grid, pass }, args) {
  const it = state(device);
  let kernel = it.made[name];
  if (!kernel) {
    kernel = it.made[name] = describe(device, name);
    kernel.pipeline = device.createComputePipeline(kernel.pipeline);
  }
  const { plan } = kernel;
  const { params } = kernels[name];
  if (args.length !== params.length) throw new TypeError(name + ' requires ' + params.map(([param, , , type]) => type + ' ' + param));
  const [x, y = 1, z = 1] = [grid].flat();
  const bytes = new Uint8Array(plan.bytes);
  for (const [index, at] of plan.values) write(bytes.subarray(at), params[index], args[index]);
  let offset = 0;
  if (plan.bytes) {
    const step = Math.ceil(plan.bytes / 256) * 256;
    if (!it.ring || it.used + step > ring) {
      it.ring = device.createBuffer({ size: ring, usage: 72 });
      it.used = 0;
    }
    offset = it.used;
    it.used += step;
    device.queue.writeBuffer(it.ring, offset, bytes);
  }
  const own = (key, size) => {
    if (!(kernel[key]?.size >= size)) kernel[key] = device.createBuffer({ label: name, size, usage: 140 });
    return { buffer: kernel[key] };
  };
  const resourceOf = (of) => {
    if (of === 'params') return { buffer: it.ring, size: plan.bytes };
    if (of === 'local') return own(of, plan.local * x * y * z);
    if (of === 'locks' || of === 'status') return own(of, plan[of]);
    const value = args[of];
    if (value?.buffer) return value;
    if (typeof value?.size !== 'number') throw new TypeError(\`\${params[of][0]} of \${name}: expected a GPUBuffer\`);
    return { buffer: value };
  };
  const entries = plan.buffers.map(([binding, , of]) => ({ binding, resource: resourceOf(of) }));
  const group = device.createBindGroup({ layout: kernel.layout, entries });
  if (plan.status) it.told.set(name, kernel.status);
  const encoder = pass ? undefined : device.createCommandEncoder();
  const into = pass ?? encoder.beginComputePass();
  into.setPipeline(kernel.pipeline);
  into.setBindGroup(0, group, plan.bytes ? [offset] : []);
  into.dispatchWorkgroups(x, y, z);
  if (pass) return;
  into.end();
  device.queue.submit([encoder.finish()]);
}
export async function check(device) {
  await device.queue.onSubmittedWorkDone();
  for (const [name, buffer] of state(device).told) {
    const staging = device.createBuffer({ size: 4, usage: 9 });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, 4);
    encoder.clearBuffer(buffer);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(1);
    const [code] = new Uint32Array(staging.getMappedRange());
    staging.destroy();
    if (code) throw new Error(name + (code === 1 ? ' trapped' : ': lanes wait for each other forever'));
  }
}
`;

/** Removes unnecessary spaces. Strings stay unchanged, and templates must not be nested. */
export const launcherText = text
  .split(/(`[^`]*`|'[^']*')/)
  .map((part, index) => (index % 2 === 1 ? part : part.replace(/\s*([{}()[\],;=<>?:|&+*-])\s*/g, '$1')))
  .join('');
