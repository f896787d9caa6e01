// Runs small PTX kernels natively, at optimizer levels 0 and 4, and shows their differences from
// the reference interpreter by buffer.
//
// Usage:
//     node scripts/native-differences.mjs [--json FILE] [--level N]… [case.json…]
// Default cases: the kernels in test/kernels/native-differences, and the kernels in test/fuzz-cases
// that NVIDIA's optimizer changes. Needs `npm run build` and an NVIDIA driver.
// docs/lab-notes/native-compiler.md is based on its output.

import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openExecutor, readCase, runOnCpu } from '../dist/node.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, level: { type: 'string', multiple: true, default: ['0', '4'] } },
});
const tests = join(import.meta.dirname, '../test');
const folder = join(tests, 'kernels/native-differences');
const changed = /^(?:unused_group_result|vote_before_merge|stale_predicate)/;
const casesOf = (path, wanted) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.json') && wanted.test(name))
    .map((name) => join(path, name));
const paths =
  positionals.length > 0 ? positionals : [...casesOf(folder, /./), ...casesOf(join(tests, 'fuzz-cases'), changed)];
const timeoutMs = 10_000;
/** The maximum number of differing elements shown for a buffer. */
const shown = 6;

const bytesOf = (type) => Math.max(1, Number(/\d+/.exec(type)?.[0] ?? 32) / 8);
const hex = (bytes, at, size) =>
  bytes
    ? `0x${[...bytes.subarray(at, at + size)]
        .reverse()
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join('')}`
    : 'nothing';

/** Returns, by buffer, the elements that differ and the number of elements that PTX defines. */
function compare(launch, reference, outputs) {
  return launch.params.flatMap((param, index) => {
    const expected = reference.outputs.get(index);
    if (param.kind !== 'buffer' || !expected) return [];
    const size = bytesOf(param.type);
    const undefinedBytes = reference.undefinedMasks.get(index);
    const got = outputs.get(index);
    const differing = [];
    let defined = 0;
    for (let at = 0; at < expected.length; at += size) {
      const open = undefinedBytes?.subarray(at, at + size).some((byte) => byte !== 0) ?? false;
      if (!open) defined++;
      const [want, have] = [hex(expected, at, size), hex(got, at, size)];
      if (want !== have) differing.push({ index: at / size, reference: want, native: have, ...(open ? { open } : {}) });
    }
    return differing.length > 0
      ? [{ buffer: param.name, defined, differing: differing.length, elements: differing }]
      : [];
  });
}

let executor;
try {
  executor = await openExecutor('cuda');
} catch (error) {
  console.error(error.message);
  process.exit(3);
}
const { adapter } = executor.describe();
console.log(`${adapter.device}, ${adapter.host ?? ''}`);
const report = [];
for (const path of paths) {
  const launch = readCase(path);
  const reference = runOnCpu(launch, { maxSteps: 5_000_000 });
  const levels = {};
  for (const level of values.level) {
    try {
      const { outputs } = await executor.run(launch, { optimize: Number(level), timeoutMs });
      levels[level] = compare(launch, reference, outputs);
    } catch (error) {
      levels[level] = `${error.kind ?? error.name}: ${error.message.split('\n').slice(0, 3).join(' ')}`;
    }
  }
  report.push({ case: basename(path, '.json'), levels });
  for (const [level, found] of Object.entries(levels)) {
    const name = `${basename(path, '.json')} at level ${level}`;
    if (typeof found === 'string') console.log(`✗ ${name}: ${found}`);
    else if (found.length === 0) console.log(`✓ ${name}`);
    else console.log(`≠ ${name}`);
    for (const { buffer, differing, elements } of typeof found === 'string' ? [] : found) {
      const some = elements.slice(0, shown).map((each) => `[${each.index}] ${each.reference} → ${each.native}`);
      console.log(`    ${buffer}: ${differing} differ: ${some.join(', ')}${differing > shown ? ', …' : ''}`);
    }
  }
}
if (values.json) {
  const command = ['node scripts/native-differences.mjs', ...process.argv.slice(2)].join(' ');
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(values.json, `${JSON.stringify({ command, date, adapter, report }, null, 1)}\n`);
}
await executor.close();
