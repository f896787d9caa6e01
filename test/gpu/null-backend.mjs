// Validates WGSL on Dawn's null backend, which needs no GPU: reads a JSON list of shaders on stdin,
// and prints the list of their errors ('' for none). This is a separate process, because Dawn keeps
// the device until the process ends.
import { readFileSync } from 'node:fs';
import { create } from 'webgpu';

const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
const adapter = await gpu.requestAdapter();
const requiredFeatures = ['subgroups', 'shader-f16', 'chromium-experimental-subgroup-matrix'];
const device = await adapter.requestDevice({ requiredFeatures });
// Dawn crashes if these objects are garbage-collected.
Object.assign(globalThis, { kept: [gpu, adapter, device] });
const errors = [];
for (const { code, compiles } of JSON.parse(readFileSync(0, 'utf8'))) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code });
  if (compiles) device.createComputePipeline({ layout: 'auto', compute: { module } });
  const error = await device.popErrorScope();
  errors.push(error?.message ?? '');
}
process.stdout.write(JSON.stringify(errors), () => process.exit(0));
