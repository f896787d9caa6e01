// Measures the processor time of a launch: an empty kernel through the runtime, single and
// recorded, and the same dispatches in handwritten WebGPU. Also measures how much GPU time a step
// of 200 launches needs if the launches are submitted while the GPU works.
//
// node bench/launches.mjs [--on dawn|chrome|chrome-software|firefox] after `npm run build`; prints
// JSON
//
// bench/native/launches.cu performs the same measurements in CUDA.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { on } = parseArgs({ options: { on: { type: 'string', default: 'dawn' } } }).values;

async function inDawn() {
  const { driverEnvironment, driverFromEnvironment } = await import('../dist/harness/webgpu/dawn/vulkan-drivers.js');
  const { installedBrowser } = await import('../dist/harness/webgpu/browser/find-browser.js');
  Object.assign(process.env, driverEnvironment(driverFromEnvironment(process.env.LANEWISE_DAWN), installedBrowser()));
  const { Runtime } = await import('../dist/runtime/node.js');
  const { measureLaunches } = await import('./launch-costs.mjs');
  const rt = await Runtime.open();
  const measured = await measureLaunches(rt);
  rt.close();
  return { on, ...measured };
}

const page = `<!doctype html><meta charset="utf-8"><script type="module">
import { Runtime } from './dist/runtime/index.js';
import { measureLaunches } from './bench/launch-costs.mjs';
globalThis.measure = async () => await measureLaunches(await Runtime.open());
</script>`;

/** Serves the modules in `dist` unchanged, as for a page without a bundler. */
function serve(request, response) {
  const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
  if (path === '/') return void response.writeHead(200, { ...isolated, 'content-type': 'text/html' }).end(page);
  if (!/^\/(dist|bench)\//.test(path) || !['.js', '.mjs'].includes(extname(path)))
    return void response.writeHead(404).end();
  response.writeHead(200, { ...isolated, 'content-type': 'text/javascript' }).end(readFileSync(join(root, path)));
}
/** The page's headers. They reduce the step of its clock from 100 µs to 5 µs. */
const isolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

async function inBrowser() {
  const { launchBrowser } = await import('../scripts/browser.mjs');
  const server = createServer(serve);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const browser = await launchBrowser(on);
  try {
    const tab = await browser.newPage();
    await tab.goto(`http://127.0.0.1:${server.address().port}/`);
    await tab.waitForFunction(() => 'measure' in globalThis);
    const measured = await tab.evaluate(() => globalThis.measure());
    return { on: await browser.version(), ...measured };
  } finally {
    await browser.close();
    server.close();
  }
}

console.log(JSON.stringify(await (on === 'dawn' ? inDawn() : inBrowser()), undefined, 2));
// Exit explicitly, because Dawn's threads would keep the process running.
process.exit(0);
