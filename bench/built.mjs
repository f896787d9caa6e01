// Measures f32 kernels in built modules and the same kernels in the runtime, on one device, and
// compares their results.
//
//     node bench/built.mjs [hardware|swiftshader|lavapipe] [scale] [kernel…]
//
// `scale` is the size of the problems; the default suits a GPU (16), or a software adapter (1).

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Runtime } from 'lanewise/runtime';

const root = fileURLToPath(new URL('..', import.meta.url));
const [driver = 'hardware', scaleText, ...chosen] = process.argv.slice(2);
const scale = Number(scaleText ?? (driver === 'hardware' ? 16 : 1));
if (driver !== 'hardware') {
  const { driverEnvironment } = await import(join(root, 'dist/harness/webgpu/dawn/vulkan-drivers.js'));
  const { installedBrowser } = await import(join(root, 'dist/harness/webgpu/browser/find-browser.js'));
  Object.assign(process.env, driverEnvironment({ driver }, installedBrowser()));
}
const { create, globals } = await import('webgpu');
Object.assign(globalThis, globals);
// The runtime reads the names of WGSL features from `navigator.gpu`, as in Chrome.
Object.defineProperty(globalThis, 'navigator', { value: { gpu: create([]) }, configurable: true });

const width = 128 * scale;
const steps = 16 * scale;
const bodies = 256 * scale * Math.min(scale, 4);
const side = 64 * scale;
// The number of elements. A grid has at most 65,535 blocks of 256 threads.
const length = 256 * Math.min(65535, 512 * scale * scale);

/**
 * The kernels: the file, the block, the grid, and the arguments. An argument that is an object is a
 * buffer of f32.
 */
const entries = [
  {
    file: 'docs/examples/saxpy.ptx',
    kernel: 'saxpy',
    block: [256],
    grid: [length / 256],
    args: [length, 1.5, { floats: length }, { floats: length }],
  },
  {
    file: 'bench/kernels/neural.ptx',
    kernel: 'matmul',
    block: [16, 16],
    grid: [side / 64, side / 64],
    args: [{ floats: side * side }, { floats: side * side }, { floats: side * side }, side],
  },
  {
    file: 'demo/gallery/kernels/bodies.ptx',
    kernel: 'move_bodies',
    block: [256],
    grid: [bodies / 256],
    args: [bodies, 0.01, 0.1, { floats: 4 * bodies }, { floats: 4 * bodies }, { floats: 4 * bodies }],
  },
  {
    file: 'demo/gallery/kernels/mandelbrot.ptx',
    kernel: 'mandelbrot',
    block: [8, 32],
    grid: [width / 8, width / 32],
    args: [width, steps, -2, -1.5, 3 / width, { floats: width * width }, { floats: width * width }],
  },
];

/** Returns the time of the fastest round, because other programs can only slow a round down. */
const fastest = (values) => Math.min(...values);
const folder = mkdtempSync(join(tmpdir(), 'lanewise-built-'));
const rt = await Runtime.open({ gpu: navigator.gpu });
const { device } = rt;
const { vendor, architecture, description } = device.adapterInfo;
const rows = [];
try {
  for (const { file, kernel, block, grid, args } of entries) {
    if (chosen.length > 0 && !chosen.includes(kernel)) continue;
    const output = join(folder, `${kernel}.mjs`);
    const options = ['--entry', kernel, '--block', block.join(','), '-o', output];
    execFileSync(process.execPath, [join(root, 'bin/lanewise.js'), 'build', join(root, file), ...options]);
    const built = await import(pathToFileURL(output).href);
    const started = performance.now();
    await built.prepare(device);
    const prepareMs = performance.now() - started;
    const loaded = await rt.load(readFileSync(join(root, file), 'utf8'));
    const native = loaded.kernel(kernel);
    await native.prepare({ block });

    const pointers = args.map((arg) => (typeof arg === 'object' ? rt.alloc(4 * arg.floats) : undefined));
    const fill = () => {
      for (const [index, pointer] of pointers.entries())
        pointer?.write(Float32Array.from({ length: args[index].floats }, (_, at) => Math.sin(at + index)));
      rt.flush();
    };
    const own = args.map((arg, index) => pointers[index] ?? arg);
    const bound = args.map((arg, index) => pointers[index]?.buffer ?? arg);
    const runRuntime = (count) => {
      for (let at = 0; at < count; at++) native.launch({ grid, block }, own);
      return rt.synchronize();
    };
    const runBuilt = async (count) => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      for (let at = 0; at < count; at++) built.launch(device, kernel, { grid, pass }, bound);
      pass.end();
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
    };
    const results = [];
    for (const run of [runRuntime, runBuilt]) {
      fill();
      await run(1);
      const read = await Promise.all(pointers.map((pointer) => pointer?.read(Uint32Array)));
      results.push(read.map((words) => words && Buffer.from(words.buffer).toString('latin1')).join());
    }
    // Double the batch until its duration makes the time for submitting it negligible.
    let count = 1;
    for (; count < 4096; count *= 2) {
      const begin = performance.now();
      await runRuntime(count);
      if (performance.now() - begin > 100) break;
    }
    const times = { runtime: [], built: [] };
    for (let round = 0; round < 15; round++) {
      for (const [name, run] of [
        ['runtime', runRuntime],
        ['built', runBuilt],
      ]) {
        const begin = performance.now();
        await run(count);
        times[name].push((performance.now() - begin) / count);
      }
    }
    const [runtimeMs, builtMs] = [fastest(times.runtime), fastest(times.built)];
    const row = {
      kernel,
      same: results[0] === results[1],
      count,
      runtimeMs,
      builtMs,
      ratio: builtMs / runtimeMs,
      prepareMs,
    };
    rows.push(row);
    console.error(row);
    for (const pointer of pointers) pointer?.free();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify({ adapter: { vendor, architecture, description }, scale, rows }, null, 1));
process.exit(rows.every(({ same }) => same) ? 0 : 1);
