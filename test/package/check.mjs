// Checks the package as users receive it: packs it, installs it into an empty project, and uses it
// there.
//
//    node test/package/check.mjs

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { hoverTexts } from './hover.mjs';

/** The path of an installed browser. If there is none, the test that opens a browser is skipped. */
const browser =
  process.env.CHROME_BIN ?? ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lanewise-package-'));
const project = join(folder, 'project');

/**
 * Runs a program and returns its output. If the program fails, throws an error with the whole
 * output.
 */
function run(program, args, cwd = project) {
  try {
    return execFileSync(program, args, {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw new Error(`${program} ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`);
  }
}

/** Runs a program that must fail. Returns its exit code and output. */
function runFailing(program, args, env = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  return { status, stdout, stderr };
}

function folderBytes(path) {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function check(name, condition, detail = '') {
  if (!condition) throw new Error(`${name} ${detail}`);
  console.log(`ok: ${name}`);
}

const library = `import { parsePtxOrThrow, fragmentToKernel, translate, planFor, warpFunctions } from 'lanewise';

const module = parsePtxOrThrow('shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff;');
const float = { mode: 'exact', denormals: 'flushed', fma: 'unfused', contracts: true, div: 'approx', sqrt: 'approx' } as const;
const { program } = translate(fragmentToKernel(module), { block: [32, 1, 1], plan: planFor(32), float });
const lanes = Uint32Array.from({ length: 32 }, (_, lane) => lane);
const all = (value: number) => new Uint32Array(32).fill(value);
const { results } = warpFunctions['shfl.sync'](
  { mode: 'up' },
  { active: 0xffffffff, exited: 0, sources: { a: lanes, b: all(1), c: all(0), membermask: all(0xffffffff) } },
);
console.log(program?.code.includes('subgroupShuffle'), results['d']?.[5]);
`;

const runtime = `import { type KernelArgument, Runtime } from 'lanewise/runtime';

export async function doubled(ptx: string, values: Float32Array): Promise<Float32Array> {
  using rt = await Runtime.open();
  const module = await rt.load(ptx);
  const memory = rt.alloc(values.byteLength);
  memory.write(values);
  const args: readonly KernelArgument[] = [memory, values.length];
  module.kernel('twice').launch({ grid: 1, block: values.length }, args);
  const device: GPUDevice = rt.device;
  device.pushErrorScope('validation');
  return await memory.read(Float32Array);
}
`;

/**
 * The versions of TypeScript that compile the examples. 5.4 is the oldest supported version, typed
 * arrays are generic since 5.7, and editors still use 5.9.
 */
const compilers = ['5.4', '5.7', '5.9'];

const node = `import { exitCodeOf, openExecutor, runCase, validate } from 'lanewise/node';

const executor = await openExecutor('cpu');
const results = await validate({ queries: ['elect.sync:one-warp'], seed: 1, executors: [executor] });
await executor.close();
console.log(exitCodeOf(results), typeof runCase);
`;

/**
 * Compiles the examples with each of `compilers`, which do not have the types of WebGPU, and
 * requests their documentation as in an editor.
 */
async function checkOlderCompilers(options) {
  const older = join(folder, 'compilers');
  run('mkdir', ['-p', older], folder);
  const packages = compilers.map((version) => `typescript-${version}@npm:typescript@${version}`);
  const flags = ['--silent', '--no-audit', '--no-fund', '--prefer-offline'];
  run('npm', ['install', ...flags, '--prefix', older, ...packages], older);
  run('npm', ['install', ...flags, '--ignore-scripts', '@webgpu/types']);
  const settings = {
    compilerOptions: {
      ...options,
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: ['@webgpu/types'],
      module: 'nodenext',
      noEmit: true,
    },
    include: ['*.ts'],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(settings));
  const libraryOf = (version) => join(older, 'node_modules', `typescript-${version}`, 'lib');
  for (const version of compilers) {
    run(process.execPath, [join(libraryOf(version), 'tsc.js'), '-p', '.']);
    check(`the examples compile with TypeScript ${version}`, true);
  }
  const hovers = { 'runtime.ts': ['Runtime.open', 'rt.alloc'], 'library.ts': ['translate', 'parsePtxOrThrow'] };
  for (const [file, names] of Object.entries(hovers)) {
    const texts = await hoverTexts(join(libraryOf('5.9'), 'tsserver.js'), join(project, file), names);
    for (const name of names) check(`an editor documents ${name}`, texts[name].length > 20, texts[name]);
  }
}

async function main() {
  run('npm', ['pack', '--silent', '--pack-destination', folder], root);
  const name = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  check('the package packs', name !== undefined);
  const tarball = join(folder, name);

  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
  });
  const complaints = messages.map((message) => formatMessage(message, pkg, { color: false }));
  check('publint reports nothing', complaints.length === 0, complaints.join('\n'));

  // The package is ESM only, so CommonJS cannot load it. With this profile, the checker accepts
  // that.
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  run(process.execPath, [attw, tarball, '--profile', 'esm-only', '--no-emoji'], root);
  check('the types resolve for every resolver', true);

  run('mkdir', ['-p', project], folder);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', tarball]);
  const installed = JSON.parse(readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8')).packages;
  const scripts = Object.entries(installed).flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []));
  check('it runs no install script', scripts.length === 0, scripts.join(', '));
  const megabytes = folderBytes(join(project, 'node_modules')) / 1e6;
  check(`it takes ${megabytes.toFixed(1)} MB`, megabytes < 22);
  const parts = ['puppeteer', 'webgpu', 'koffi'].filter((part) => installed[`node_modules/${part}`]);
  check('it contains no part of an executor', parts.length === 0, parts.join(', '));

  writeFileSync(join(project, 'library.ts'), library);
  writeFileSync(join(project, 'node.ts'), node);
  writeFileSync(join(project, 'runtime.ts'), runtime);
  const options = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    strict: true,
    skipLibCheck: false,
    types: [],
    outDir: 'out',
  };
  for (const [module, moduleResolution] of [
    ['esnext', 'bundler'],
    ['nodenext', 'nodenext'],
  ]) {
    const settings = { compilerOptions: { ...options, module, moduleResolution }, include: ['*.ts'] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(settings));
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.']);
    check(`the examples compile with ${moduleResolution} resolution`, true);
  }
  await checkOlderCompilers(options);
  check('the library works without a browser', run(process.execPath, ['out/library.js']) === 'true 4\n');
  check('the executors work', run(process.execPath, ['out/node.js']) === '0 function\n');

  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', 'vite@8', 'unplugin@3']);
  cpSync(join(root, 'docs/examples/saxpy.ptx'), join(project, 'saxpy.ptx'));
  writeFileSync(join(project, 'main.js'), "import { saxpy } from './saxpy.ptx?block=96';\nconsole.log(saxpy);\n");
  writeFileSync(
    join(project, 'vite.config.js'),
    `import lanewise from 'lanewise/vite';
export default { plugins: [lanewise()], build: { rolldownOptions: { input: 'main.js' } } };
`,
  );
  run('npx', ['--no-install', 'vite', 'build']);
  const assets = join(project, 'dist/assets');
  const bundles = readdirSync(assets).map((file) => readFileSync(join(assets, file), 'utf8'));
  check('Vite imports a kernel', bundles.join('').includes('@workgroup_size(96'));
  check('the plugin writes its types', existsSync(join(project, 'saxpy.ptx.lanewise.d.ts')));

  writeFileSync(join(project, 'scan.ptx'), 'shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff;\n');
  const wgsl = run('npx', ['--no-install', 'lanewise', 'translate', 'scan.ptx']);
  check('npx lanewise translate works', wgsl.includes('subgroupShuffle'), wgsl);
  check(
    'npx lanewise --version works',
    /^\d+\.\d+\.\d+\n$/.test(run('npx', ['--no-install', 'lanewise', '--version'])),
  );
  const onCpu = run('npx', ['--no-install', 'lanewise', 'validate', 'elect.sync:one-warp', '--on', 'cpu']);
  check('it validates on the reference, in a thread', /All [\d,]+ lane results/.test(onCpu), onCpu);

  for (const [executor, part] of [
    // If a browser is installed, the executor `chrome` does not need Puppeteer.
    ...(browser ? [] : [['chrome', 'puppeteer']]),
    ['firefox', 'puppeteer'],
    ['dawn', 'webgpu'],
    ['cuda', 'koffi'],
  ]) {
    const { status, stderr } = runFailing('npx', ['--no-install', 'lanewise', 'validate', '--on', executor]);
    const line = `npx -p lanewise -p ${part} lanewise validate --on ${executor}`;
    check(
      `${executor} exits with 3, and prints the command that includes the package`,
      status === 3 && stderr.includes(line),
      stderr,
    );
  }

  // Runs the documented install command, with this package in place of the published one.
  if (browser) {
    const line = ['-y', '-p', tarball, '-p', 'puppeteer@24', 'lanewise', 'validate', 'elect.sync:one-warp'];
    const empty = join(folder, 'empty');
    run('mkdir', ['-p', empty], folder);
    const shown = run('npx', line, empty);
    check('this command works in an empty folder', /All [\d,]+ lane results/.test(shown), shown);
  }
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
