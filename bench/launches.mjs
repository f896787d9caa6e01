// What a launch costs the processor: an empty kernel through the runtime, one by one and recorded, and the same dispatches in WebGPU written by hand.
// And how much of the GPU's time is left to a step of 200 launches, which are given to the device while it works.
//
//   node bench/launches.mjs        after `npm run build`; prints JSON

import { Runtime } from '../dist/runtime/node.js';

const ptx = `.version 7.0
.target sm_70
.address_size 64
.visible .entry empty() { ret; }
.visible .entry touch(.param .u64 touch_x, .param .u32 touch_n)
{ .reg .b32 %n; .reg .b64 %x; ld.param.u64 %x, [touch_x]; ld.param.u32 %n, [touch_n]; st.global.u32 [%x], %n; ret; }
.visible .entry spin(.param .u64 spin_x, .param .u32 spin_turns)
{
  .reg .pred %p; .reg .b32 %turns, %turn, %word, %i, %block, %size, %thread; .reg .b64 %x, %at;
  ld.param.u64 %x, [spin_x]; ld.param.u32 %turns, [spin_turns];
  mov.u32 %block, %ctaid.x; mov.u32 %size, %ntid.x; mov.u32 %thread, %tid.x; mad.lo.u32 %i, %block, %size, %thread;
  mul.wide.u32 %at, %i, 4; add.s64 %x, %x, %at;
  ld.global.u32 %word, [%x]; mov.u32 %turn, 0;
again:
  mad.lo.u32 %word, %word, 1664525, 1013904223; add.u32 %turn, %turn, 1; setp.lt.u32 %p, %turn, %turns; @%p bra again;
  st.global.u32 [%x], %word; ret;
}
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
/// As many as fill a GPU.
const blocks = rt.adapter.software ? 1 : 1024;
const y = rt.alloc(blocks * 1024);
const [empty, touch] = [mod.kernel('empty'), mod.kernel('touch')];
const config = { grid: [1], block: [32] };
await mod.prepare([
  { kernel: 'empty', block: 32 },
  { kernel: 'touch', block: 32 },
  { kernel: 'spin', block: 256 },
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

/// A replay of so many launches, as `measure` counts them.
function replayed(recorded, number, args = () => ({})) {
  let left = 0;
  return (count) => {
    if (left === 0) {
      recorded.replay(args(count));
      left = number;
    }
    left -= 1;
  };
}
const recorded = {
  empty: await measure(
    replayed(
      rt.record(() => {
        for (let count = 0; count < 200; count++) empty.launch(config, []);
      }),
      200,
    ),
    () => rt.synchronize(),
  ),
  pointerAndNumber: await measure(
    replayed(
      rt.record(() => {
        for (let count = 0; count < 200; count++) touch.launch(config, [x, count]);
      }),
      200,
    ),
    () => rt.synchronize(),
  ),
  otherNumbers: await measure(
    replayed(
      rt.record((argument) => {
        for (let count = 0; count < 200; count++) touch.launch(config, [x, argument('n', 0)]);
      }),
      200,
      (n) => ({ n }),
    ),
    () => rt.synchronize(),
  ),
};

/// Steps of 200 launches as a page asks for them, one step after another, beside the time that the GPU needs for them: that which passes on its own
/// clock where it is kept busy until all of them have been asked for.
async function measureSteps(turns, busyTurns) {
  const [steps, perStep] = [20, 200];
  const spin = mod.kernel('spin');
  const big = { grid: [blocks], block: [256] };
  const one = () => {
    for (let count = 0; count < perStep; count++) spin.launch(big, [y, turns]);
  };
  const step = rt.record(one);
  const [begin, end] = [rt.event(), rt.event()];
  const timeOf = async (ask, before) => {
    const times = [];
    for (let round = 0; round < 7; round++) {
      await rt.synchronize();
      before();
      const start = performance.now();
      begin.record();
      for (let count = 0; count < steps; count++) {
        ask();
        // Between two steps what was asked for is submitted.
        await undefined;
      }
      end.record();
      await rt.synchronize();
      times.push({ wall: (performance.now() - start) / steps, gpu: (await end.elapsedSince(begin)) / steps });
    }
    return { wall: median(times.map(({ wall }) => wall)), gpu: median(times.map(({ gpu }) => gpu)) };
  };
  const nothing = () => {};
  const needed = (
    await timeOf(
      () => step.replay(),
      () => spin.launch(big, [y, busyTurns]),
    )
  ).gpu;
  const oneByOne = (await timeOf(one, nothing)).wall;
  const replays = (await timeOf(() => step.replay(), nothing)).wall;
  begin.free();
  end.free();
  return {
    launchesAStep: perStep,
    milliseconds: { needed, oneByOne, recorded: replays },
    shareOneByOne: needed / oneByOne,
    shareRecorded: needed / replays,
  };
}

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
const steps = rt.adapter.software
  ? [await measureSteps(4, 1e5)]
  : [
      await measureSteps(64, 2e7),
      await measureSteps(256, 2e7),
      await measureSteps(1024, 2e7),
      await measureSteps(4096, 2e7),
    ];
const result = { adapter: description || vendor, launches, rounds, byRuntime, recorded, byHand, steps };
console.log(JSON.stringify(result, undefined, 2));
x.free();
y.free();
rt.close();
