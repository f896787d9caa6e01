// What a launch costs the processor: an empty kernel through the runtime, and the same dispatches in WebGPU written by hand.
//
//   node bench/launches.mjs        after `npm run build`; prints JSON

import { Runtime } from '../dist/runtime/node.js';

const ptx = `.version 7.0
.target sm_70
.address_size 64
.visible .entry empty() { ret; }
.visible .entry touch(.param .u64 touch_x, .param .u32 touch_n)
{ .reg .b32 %n; .reg .b64 %x; ld.param.u64 %x, [touch_x]; ld.param.u32 %n, [touch_n]; st.global.u32 [%x], %n; ret; }
`;

const launches = 1000;
const rounds = 30;
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/// Microseconds of a launch until it is asked for, and until a thousand are done.
async function measure(launch, done) {
  const [asked, ended] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let count = 0; count < launches; count++) launch(count);
    asked.push(performance.now() - start);
    await done();
    ended.push(performance.now() - start);
  }
  return { microsecondsALaunch: (1000 * median(asked)) / launches, millisecondsForAll: median(ended) };
}

const rt = await Runtime.open();
const mod = await rt.load(ptx);
const x = rt.alloc(16);
const [empty, touch] = [mod.kernel('empty'), mod.kernel('touch')];
const config = { grid: [1], block: [32] };
await mod.prepare([
  { kernel: 'empty', block: 32 },
  { kernel: 'touch', block: 32 },
]);
const byRuntime = {
  empty: await measure(
    () => empty.launch(config, []),
    () => rt.synchronize(),
  ),
  pointerAndNumber: await measure(
    (count) => touch.launch(config, [x, count]),
    () => rt.synchronize(),
  ),
};

const { device } = rt;
const module = device.createShaderModule({ code: '@compute @workgroup_size(32) fn main() {}' });
const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main' } });
let encoder;
let pass;
const byHand = await measure(
  () => {
    if (!pass) {
      encoder = device.createCommandEncoder();
      pass = encoder.beginComputePass();
    }
    pass.setPipeline(pipeline);
    pass.dispatchWorkgroups(1);
  },
  async () => {
    pass.end();
    device.queue.submit([encoder.finish()]);
    pass = undefined;
    await device.queue.onSubmittedWorkDone();
  },
);
const { description, vendor } = rt.adapter;
console.log(JSON.stringify({ adapter: description || vendor, launches, rounds, byRuntime, byHand }, undefined, 2));
x.free();
rt.close();
