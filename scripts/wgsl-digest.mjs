// Writes a hash of the WGSL of every kernel in folders of PTX, on four lane plans. A comparison of
// two such files names the kernels whose shader a compiler change affects.
//
//     npm run build && node scripts/wgsl-digest.mjs --out before.json FOLDER...
//     npm run build && node scripts/wgsl-digest.mjs --against before.json FOLDER...
//
// `--dist PATH` uses another checkout's build. `--text KERNEL` prints the shaders of one kernel
// instead. `--every N` uses each N-th file. `--ignore-comments` compares the shaders without their
// comments. A changed shader is listed with its file, kernel, plan and mode; the exit code is 1 if
// any changed.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    against: { type: 'string' },
    dist: { type: 'string', default: join(import.meta.dirname, '../dist') },
    text: { type: 'string' },
    every: { type: 'string', default: '1' },
    'ignore-comments': { type: 'boolean', default: false },
  },
});
if (folders.length === 0) {
  console.error('usage: node scripts/wgsl-digest.mjs [--out FILE] [--against FILE] [--dist PATH] FOLDER...');
  process.exit(2);
}

const { parsePtx, planFor, translate } = await import(pathToFileURL(resolve(values.dist, 'index.js')).href);
const plans = { native: planFor(32), wide: planFor(64), narrow: planFor(8), portable: planFor(0) };
// The profile of a GPU such as NVIDIA's in WebGPU, which needs the exact forms of f32 operations.
const float = { mode: 'exact', denormals: 'flushed', fma: 'fused', contracts: false, div: 'approx', sqrt: 'approx' };

function blockOf({ requiredThreads, maxThreads }) {
  if (requiredThreads) return requiredThreads;
  if (!maxThreads) return [128, 1, 1];
  const [x, y, z] = maxThreads;
  return [Math.min(128, x * y * z), 1, 1];
}

function translated(module, entry, plan) {
  try {
    return translate(module, { entry: entry.name, block: blockOf(entry), plan, float });
  } catch (error) {
    return { crash: String(error?.message ?? error) };
  }
}

/** Returns the text of the shader. WGSL does not have strings, so `//` always starts a comment. */
const textOf = ({ code }) => (values['ignore-comments'] ? code.replace(/\s*\/\/.*/g, '') : code);

const digests = {};
const every = Number(values.every);
for (const folder of folders) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ptx'))
    .sort()
    .filter((_, index) => index % every === 0);
  for (const file of files) {
    const path = join(folder, file);
    const { module } = parsePtx(readFileSync(path, 'utf8'), { file: path, dialect: 'module' });
    for (const entry of module?.functions.filter(({ kind }) => kind === 'entry') ?? []) {
      if (values.text !== undefined && values.text !== entry.name) continue;
      for (const [name, plan] of Object.entries(plans)) {
        const { program, crash } = translated(module, entry, plan);
        if (values.text !== undefined) console.log(`// ${name}\n${program ? textOf(program) : (crash ?? 'refused')}`);
        const digest = program ? createHash('sha1').update(textOf(program)).digest('hex').slice(0, 12) : 'none';
        const key = `${relative('.', path)} ${entry.name} ${name}`;
        digests[key] = crash === undefined ? `${digest} ${program?.mode ?? 'refused'}` : `crash ${crash}`;
      }
    }
  }
}

if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(digests, undefined, 1)}\n`);
if (values.against !== undefined) {
  const before = JSON.parse(readFileSync(values.against, 'utf8'));
  const changed = Object.keys(digests).filter((key) => before[key] !== undefined && before[key] !== digests[key]);
  for (const key of changed) console.log(`${key}: ${before[key]} -> ${digests[key]}`);
  const compared = Object.keys(digests).filter((key) => before[key] !== undefined).length;
  console.log(`${changed.length} of ${compared} shaders changed`);
  process.exitCode = changed.length > 0 ? 1 : 0;
} else if (values.text === undefined) console.log(`${Object.keys(digests).length} shaders`);
