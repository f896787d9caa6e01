// A process of scripts/coverage.mjs: parses the PTX files that it receives, and translates their
// entries one by one. It reports each start, so the parent knows which entry hangs or crashes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const dist = (file) => import(pathToFileURL(join(import.meta.dirname, '../dist', file)).href);
const { parsePtx, planFor, translate } = await dist('index.js');
const { positionOf } = await dist('ptx/index.js');

/** The profile of a GPU such as NVIDIA's in WebGPU: subgroups of 32, and exact f32. */
const plan = planFor(32);
const float = { mode: 'exact', denormals: 'flushed', fma: 'fused', contracts: false, div: 'approx', sqrt: 'approx' };

/** Returns the position of a diagnostic, and the opcode or directive at that position. */
function describe({ code, message, span }, source) {
  const lineStart = source.text.lastIndexOf('\n', span.start) + 1;
  const line = source.text.slice(lineStart, lineStart + 300).split('\n')[0] ?? '';
  // This matches a label, a guard and the opcode.
  const opcode = /^\s*(?:[\w$%]+:\s*)?(?:\{\s*)?(?:@!?[%\w$]+\s+)?(\.?[A-Za-z_][\w.:]*)/.exec(line)?.[1] ?? '';
  return { code, message, instruction: opcode, line: positionOf(source, span.start).line };
}

/**
 * Returns the block that the kernel requires. Otherwise returns four warps, or the kernel's maximum
 * if that is less.
 */
function blockOf({ requiredThreads, maxThreads }) {
  if (requiredThreads) return requiredThreads;
  if (!maxThreads) return [128, 1, 1];
  const [x, y, z] = maxThreads;
  return [Math.min(128, x * y * z), 1, 1];
}

/**
 * Returns the processor time since `start` in milliseconds, which does not depend on other load.
 */
function since(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function survey({ path, skip }) {
  const text = readFileSync(path, 'utf8');
  const source = { file: path, text };
  process.send({ kind: 'parse' });
  let start = process.cpuUsage();
  const { module, diagnostics } = parsePtx(text, { file: path, dialect: 'module' });
  const ms = since(start);
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map((error) => describe(error, source));
  const entries = module?.functions.filter(({ kind }) => kind === 'entry') ?? [];
  process.send({ kind: 'parsed', ms, bytes: text.length, errors, entries: entries.map(({ name }) => name) });
  for (const [index, entry] of entries.entries()) {
    if (index < skip) continue;
    process.send({ kind: 'entry', index });
    start = process.cpuUsage();
    let outcome;
    try {
      const { program, diagnostics: found } = translate(module, {
        entry: entry.name,
        block: blockOf(entry),
        plan,
        float,
      });
      outcome = program
        ? { status: 'translated', wgsl: program.code.length, reason: program.reason }
        : { status: 'refused', by: found.map((diagnostic) => describe(diagnostic, source)) };
    } catch (error) {
      outcome = {
        status: 'crashed',
        message: String(error?.stack ?? error)
          .split('\n')
          .slice(0, 3)
          .join(' | '),
      };
    }
    process.send({ kind: 'done', index, ms: since(start), statements: entry.body.length, ...outcome });
  }
  process.send({ kind: 'end' });
}

process.on('message', (/** @type {{ path: string, skip: number }} */ message) => {
  try {
    survey(message);
  } catch (error) {
    process.send({
      kind: 'failed',
      message: String(error?.stack ?? error)
        .split('\n')
        .slice(0, 3)
        .join(' | '),
    });
  }
});
process.on('disconnect', () => process.exit(0));
