// Measures launches through an open runtime, and the same dispatches in handwritten WebGPU. This
// module runs in Node and in a page.

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

/** The same kernel in WGSL. One buffer contains the parameters of all launches. */
const wgsl = `
struct Params { n: u32 }
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;
@compute @workgroup_size(32) fn empty() {}
@compute @workgroup_size(32) fn touch() { x[0] = params.n; }
@compute @workgroup_size(256) fn spin(@builtin(global_invocation_id) id: vec3u) {
  var word = x[id.x];
  for (var turn = 0u; turn < params.n; turn += 1u) { word = word * 1664525u + 1013904223u; }
  x[id.x] = word;
}`;

const launches = 1000;
const rounds = 30;
const launchesAStep = 200;
const steps = 20;
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/**
 * Measures the time in microseconds until a launch call returns, and the time in milliseconds until
 * a thousand launches finish.
 */
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

/**
 * Returns a launch function for `measure`. It replays the recorded step once for every
 * `launchesAStep` calls, because a step contains that many launches.
 */
function replayed(recorded, args = () => ({})) {
  return (count) => {
    if (count % launchesAStep === 0) recorded.replay(args(count));
  };
}

/**
 * The launches in handwritten WebGPU: one pass for each submission, one pipeline for each kernel,
 * and one bind group with dynamic offsets for the parameters.
 */
class ByHand {
  #device;
  #pass;
  #encoder;
  #params = new Uint32Array(64 * launches);
  #used = 0;

  constructor(device, x) {
    this.#device = device;
    const stage = 4;
    const layout = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: stage, buffer: { type: 'storage' } },
        { binding: 1, visibility: stage, buffer: { type: 'uniform', hasDynamicOffset: true } },
      ],
    });
    this.uniforms = device.createBuffer({ size: this.#params.byteLength, usage: 0x40 | 0x8 });
    const entries = [
      { binding: 0, resource: { buffer: x } },
      { binding: 1, resource: { buffer: this.uniforms, size: 16 } },
    ];
    this.group = device.createBindGroup({ layout, entries });
    const module = device.createShaderModule({ code: wgsl });
    const both = device.createPipelineLayout({ bindGroupLayouts: [layout] });
    const none = device.createPipelineLayout({ bindGroupLayouts: [] });
    const pipeline = (entryPoint, layout) => device.createComputePipeline({ layout, compute: { module, entryPoint } });
    this.pipelines = { empty: pipeline('empty', none), touch: pipeline('touch', both), spin: pipeline('spin', both) };
  }

  empty() {
    const pass = this.#opened();
    pass.setPipeline(this.pipelines.empty);
    pass.dispatchWorkgroups(1);
  }

  launch(name, n, blocks) {
    const pass = this.#opened();
    pass.setPipeline(this.pipelines[name]);
    this.#params[this.#used / 4] = n;
    pass.setBindGroup(0, this.group, [this.#used]);
    this.#used += 256;
    pass.dispatchWorkgroups(blocks);
  }

  submit() {
    if (!this.#pass) return;
    this.#pass.end();
    this.#pass = undefined;
    if (this.#used > 0) this.#device.queue.writeBuffer(this.uniforms, 0, this.#params, 0, this.#used / 4);
    this.#used = 0;
    this.#device.queue.submit([this.#encoder.finish()]);
  }

  async done() {
    this.submit();
    await this.#device.queue.onSubmittedWorkDone();
  }

  #opened() {
    if (!this.#pass) {
      this.#encoder = this.#device.createCommandEncoder();
      this.#pass = this.#encoder.beginComputePass();
    }
    return this.#pass;
  }
}

/**
 * Measures the time of consecutive steps of launches, submitted as in a page, and the GPU time that
 * the steps need. For the GPU time, a kernel keeps the GPU busy until all launches have been
 * submitted.
 */
async function measureSteps({ rt, spin, hand, y, blocks }, turns, busyTurns) {
  const config = { grid: [blocks], block: [256] };
  const one = () => {
    for (let count = 0; count < launchesAStep; count++) spin.launch(config, [y, turns]);
  };
  const step = rt.record(one);
  const byHand = () => {
    for (let count = 0; count < launchesAStep; count++) hand.launch('spin', turns, blocks);
    hand.submit();
  };
  const [begin, end] = [rt.event(), rt.event()];
  const timeOf = async (ask, before = () => {}) => {
    const times = [];
    for (let round = 0; round < 5; round++) {
      await rt.synchronize();
      before();
      const start = performance.now();
      begin.record();
      for (let count = 0; count < steps; count++) {
        ask();
        // Lets the runtime submit between two steps.
        await undefined;
      }
      end.record();
      const asked = (performance.now() - start) / steps;
      await rt.synchronize();
      times.push({ asked, wall: (performance.now() - start) / steps, gpu: (await end.elapsedSince(begin)) / steps });
    }
    return Object.fromEntries(['asked', 'wall', 'gpu'].map((name) => [name, median(times.map((time) => time[name]))]));
  };
  const busy = () => {
    spin.launch(config, [y, busyTurns]);
    rt.flush();
  };
  const needed = (await timeOf(() => step.replay(), busy)).gpu;
  const neededByHand = (await timeOf(byHand, busy)).gpu;
  const [oneByOne, recorded, written] = [await timeOf(one), await timeOf(() => step.replay()), await timeOf(byHand)];
  begin.free();
  end.free();
  return {
    microsecondsALaunch: (1000 * needed) / launchesAStep,
    milliseconds: { needed, neededByHand, oneByOne, recorded, byHand: written },
    shareOneByOne: needed / oneByOne.wall,
    shareRecorded: needed / recorded.wall,
    shareByHand: neededByHand / written.wall,
  };
}

/** Runs all measurements. Returns the results as JSON values. */
export async function measureLaunches(rt) {
  const mod = await rt.load(ptx);
  const x = rt.alloc(16);
  /** Enough blocks to fill a GPU. */
  const blocks = rt.adapter.software ? 1 : 1024;
  const y = rt.alloc(blocks * 1024);
  const [empty, touch, spin] = ['empty', 'touch', 'spin'].map((name) => mod.kernel(name));
  const config = { grid: [1], block: [32] };
  await mod.prepare([
    { kernel: 'empty', block: 32 },
    { kernel: 'touch', block: 32 },
    { kernel: 'spin', block: 256 },
  ]);
  const done = () => rt.synchronize();
  const record = (ask) =>
    rt.record((argument) => {
      for (let count = 0; count < launchesAStep; count++) ask(argument);
    });
  const byRuntime = {
    empty: await measure(() => empty.launch(config, []), done),
    pointerAndNumber: await measure((count) => touch.launch(config, [x, count]), done),
  };
  const recorded = {
    empty: await measure(replayed(record(() => empty.launch(config, []))), done),
    pointerAndNumber: await measure(replayed(record(() => touch.launch(config, [x, 1]))), done),
    otherNumbers: await measure(
      replayed(
        record((argument) => touch.launch(config, [x, argument('n', 0)])),
        (n) => ({ n }),
      ),
      done,
    ),
  };
  const hand = new ByHand(rt.device, y.buffer.buffer);
  const byHand = {
    empty: await measure(
      () => hand.empty(),
      () => hand.done(),
    ),
    pointerAndNumber: await measure(
      (count) => hand.launch('touch', count, 1),
      () => hand.done(),
    ),
  };
  const lengths = rt.adapter.software ? [4] : [64, 256, 1024];
  const stepsOf = [];
  for (const turns of lengths) {
    // The number of iterations that occupy a large GPU for a tenth of a second, until all launches
    // have been submitted.
    const busyTurns = rt.adapter.software ? 1e5 : 3e6;
    stepsOf.push({ turns, ...(await measureSteps({ rt, spin, hand, y, blocks }, turns, busyTurns)) });
  }
  x.free();
  y.free();
  hand.uniforms.destroy();
  const { description, vendor } = rt.adapter;
  const adapter = description || vendor;
  return { adapter, launches, rounds, launchesAStep, byRuntime, recorded, byHand, steps: stepsOf };
}
