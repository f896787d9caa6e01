// Trains the demo's transformer without the demo, and reports the bits of its losses and its steps
// per second.
//
//     node scripts/gpt.mjs train --on dawn --size small --steps 200 --float exact     after `npm run build`
//     node scripts/gpt.mjs plan --size small                     the plan for demo/gpt/native.py
//     node scripts/gpt.mjs collect a.json b.json …               results of both as one document, with compared losses
//     node scripts/gpt.mjs bundle FOLDER                         the input of `--bundle FOLDER`, which then does not need vite
//
// `--on`: dawn (LANEWISE_DAWN selects its driver), chrome, chrome-software, firefox.

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { launchBrowser } from './browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    on: { type: 'string', default: 'dawn' },
    size: { type: 'string', default: 'small' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '3' },
    float: { type: 'string', default: 'exact' },
    matrices: { type: 'string', default: 'f32' },
    lanes: { type: 'string' },
    bundle: { type: 'string' },
  },
});
const options = {
  size: values.size,
  seed: Number(values.seed),
  steps: Number(values.steps),
  seconds: Number(values.seconds),
  float: values.float,
  matrices: values.matrices,
  ...(values.lanes ? { lanes: values.lanes } : {}),
};

async function bundle(folder) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: true,
      copyPublicDir: false,
      target: 'es2023',
      modulePreload: false,
      rolldownOptions: {
        input: join(root, 'demo/gpt/run.ts'),
        output: { entryFileNames: 'run.js', chunkFileNames: '[name].js', format: 'es' },
      },
    },
  });
}

async function withBundle(use) {
  if (values.bundle) return await use(values.bundle);
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-gpt-'));
  try {
    await bundle(folder);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inNode(folder) {
  await import(pathToFileURL(join(folder, 'run.js')).href);
  return globalThis.gpt;
}

async function onDawn(folder) {
  const { driverEnvironment, driverFromEnvironment } = await import('../dist/harness/webgpu/dawn/vulkan-drivers.js');
  const { installedBrowser } = await import('../dist/harness/webgpu/browser/find-browser.js');
  Object.assign(process.env, driverEnvironment(driverFromEnvironment(process.env.LANEWISE_DAWN), installedBrowser()));
  const { create } = await import('webgpu');
  Object.assign(globalThis, { gpu: create(['enable-dawn-features=allow_unsafe_apis,vulkan_enable_f16_on_nvidia']) });
  const gpt = await inNode(folder);
  return { on: 'dawn', ...(await gpt.run(options, globalThis.gpu)) };
}

async function inPage(kind, folder) {
  const server = createServer((request, response) => {
    if (request.url === '/run.js') response.writeHead(200, { 'content-type': 'text/javascript' });
    else response.writeHead(200, { 'content-type': 'text/html' });
    const page = '<!doctype html><meta charset="utf-8"><script type="module" src="run.js"></script>';
    response.end(request.url === '/run.js' ? readFileSync(join(folder, 'run.js')) : page);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const browser = await launchBrowser(kind);
  try {
    const page = await browser.newPage();
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForFunction(() => 'gpt' in globalThis);
    const measured = await page.evaluate((given) => globalThis.gpt.run(given), options);
    return { on: await browser.version(), ...measured };
  } finally {
    await browser.close();
    server.close();
  }
}

/** Returns the type of the matrices. Results without a type have f32 matrices. */
const matricesOf = ({ matrices = 'f32' }) => matrices;

const sha256 = (losses) => createHash('sha256').update(losses.join('\n')).digest('hex');

/**
 * Returns the number of losses before the first loss whose bits differ from those of the reference.
 * The comparison ends with the shorter list.
 */
function agreeing(losses, reference) {
  const compared = Math.min(losses.length, reference.length);
  const first = losses.slice(0, compared).findIndex((bits, step) => bits !== reference[step]);
  return { comparedSteps: compared, sameSteps: first === -1 ? compared : first };
}

/**
 * Combines the runs in the files into one document, with native runs as the reference. Runs of a
 * different commit or seed have different losses, so one document cannot include them.
 */
function collect(files) {
  const models = new Map();
  for (const file of files) {
    const run = JSON.parse(readFileSync(file, 'utf8'));
    const key = `${run.parameters} ${run.tokens} ${matricesOf(run)}`;
    models.set(key, [...(models.get(key) ?? []), run]);
  }
  const what =
    'Losses of the demo’s transformer, as the bits of f32, and steps a second; compared with the first native run of each size';
  const list = [...models.values()].sort((a, b) => a[0].parameters - b[0].parameters || a[0].tokens - b[0].tokens);
  return { what, models: list.map(modelOf) };
}

function modelOf(runs) {
  const reference = runs.find(({ on }) => on === 'cuda') ?? runs[0];
  const { parameters, launches, tokens, losses } = reference;
  return {
    parameters,
    ...(matricesOf(reference) === 'f16' ? { matrices: 'f16' } : {}),
    launchesAStep: launches,
    charactersAStep: tokens,
    reference: `${reference.on}: ${reference.adapter}`,
    losses: { sha256: sha256(losses), bits: losses.join(' ') },
    runs: runs.map((run) => ({
      on: run.on,
      adapter: run.adapter,
      ...(run.float ? { float: run.float } : {}),
      ...(run.subgroupMatrices ? { subgroupMatrices: true } : {}),
      ...(run.products ? { productsLikeReference: run.products.difference ?? run.products.compared } : {}),
      ...agreeing(run.losses, losses),
      sha256: sha256(run.losses),
      ...(run.stepsPerSecond > 0 ? { stepsPerSecond: Number(run.stepsPerSecond.toPrecision(4)) } : {}),
      ...(reference.stepsPerSecond > 0 && run.stepsPerSecond > 0
        ? { ofNative: Number((run.stepsPerSecond / reference.stepsPerSecond).toPrecision(2)) }
        : {}),
    })),
  };
}

const [command, ...files] = positionals;
if (command === 'bundle') await bundle(files[0]);
else if (command === 'plan') console.log(await withBundle(async (folder) => (await inNode(folder)).plan(options)));
else if (command === 'collect') console.log(JSON.stringify(collect(files), undefined, 2));
else if (command === 'train') {
  const result = await withBundle((folder) => (values.on === 'dawn' ? onDawn(folder) : inPage(values.on, folder)));
  console.log(JSON.stringify(result));
  // Exit explicitly, because Dawn's threads would keep the process running.
  process.exit(0);
} else {
  console.error('node scripts/gpt.mjs train|plan|collect|bundle: see the head of this file');
  process.exit(2);
}
