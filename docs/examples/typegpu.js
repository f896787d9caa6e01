import { Runtime } from 'lanewise/runtime';
import tgpu, { d } from 'typegpu';

const root = await tgpu.init({ device: { optionalFeatures: ['subgroups'] } });
const count = 1024;
const numbers = d.arrayOf(d.f32, count);
const x = root.createBuffer(numbers).$usage('storage');
const y = root.createBuffer(numbers).$usage('storage');

// A shader of TypeGPU fills `x`.
const layout = tgpu.bindGroupLayout({ x: { storage: numbers, access: 'mutable' } });
const fill = tgpu.computeFn({
  workgroupSize: [64],
  in: { id: d.builtin.globalInvocationId },
})`{ layout.$.x[in.id.x] = f32(in.id.x); }`.$uses({ layout });
const pipeline = root.createComputePipeline({ compute: fill });
pipeline.with(root.createBindGroup(layout, { x })).dispatchWorkgroups(count / 64);

// A kernel of Lanewise reads `x`, and writes `y`.
const rt = await Runtime.open({ device: root.device });
const saxpy = (await rt.load(await (await fetch('saxpy.ptx')).text())).kernel('saxpy');
await saxpy.prepare({ block: 256 }); // in Node, a launch otherwise waits for its shader
y.write(Array.from({ length: count }, () => 1));
saxpy.launch({ grid: count / 256, block: 256 }, [count, 2, rt.adopt(root.unwrap(x)), rt.adopt(root.unwrap(y))]);
rt.flush();

// TypeGPU reads `y`.
document.querySelector('#out').textContent = (await y.read()).slice(0, 4).join(', ');
