// `lanewise fuzz --doors`
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../harness/files/make-folder.ts';
import { doorNames, doorShares } from '../harness/fuzz/doors/doors.ts';
import { type KnockResult, maxInputMs, maxMemoryBytes } from '../harness/fuzz/doors/knock.ts';
import { knockInThread } from '../harness/fuzz/doors/knock-in-thread.ts';
import { grouped } from '../harness/report/text.ts';
import { startProgress } from '../harness/runs/progress.ts';
import { exitCodes } from '../harness/runs/results.ts';
import type { Console } from './console.ts';
import type { FuzzCommandOptions } from './fuzz-options.ts';
import { toJson, toolRecord } from './report-files.ts';

/**
 * Tests every entry point with its part of `count` hostile inputs. Returns 1 if an entry point
 * handled an input incorrectly, and otherwise 0.
 */
export async function fuzzDoorsCommand(
  seed: number,
  count: number,
  { first = 0, out, json }: FuzzCommandOptions,
  console: Console,
): Promise<number> {
  console.err(`seed ${seed}\n`);
  const start = performance.now();
  const results: (KnockResult & { readonly ms: number })[] = [];
  const print = json ? console.err : console.out;
  for (const name of doorNames) {
    const each = Math.ceil(count * doorShares[name]);
    const progress = startProgress(console.errStream, 'inputs');
    const began = performance.now();
    const onProgress = (done: number): void => progress.update(done, each, name);
    const result = await knockInThread(name, { seed, first, count: each, onProgress });
    progress.stop();
    results.push({ ...result, ms: Math.round(performance.now() - began) });
    print(`${lineOf(result, console)}\n`);
  }
  const failed = results.filter(({ failures }) => failures.length > 0);
  const saved = failed.flatMap(({ door, failures }) =>
    failures.map(({ index, problem, input }) => {
      makeFolder(out);
      const path = join(out, `door-${door}-${seed}-${index}`);
      writeFileSync(path, input);
      console.err(`${console.errColors.red(`✗ ${path}`)}\n${problem}\n`);
      return { door, index, problem, path };
    }),
  );
  if (json) {
    const run = { command: 'fuzz', doors: true, seed, first, ms: Math.round(performance.now() - start) };
    const limits = { maxInputMs, maxMemoryBytes };
    const doors = results.map(({ failures, ...result }) => ({ ...result, failures: failures.length }));
    console.out(toJson({ schemaVersion: 1, tool: toolRecord(), run, limits, doors, failures: saved }));
  }
  return failed.length === 0 ? exitCodes.ok : exitCodes.mismatch;
}

function lineOf({ door, inputs, outcomes, failures, slowest, peakBytes }: KnockResult, console: Console): string {
  const { green, red } = console.outColors;
  const counts = Object.entries(outcomes).map(([outcome, times]) => `${grouped(times)} ${outcome}`);
  const what = `${door}: ${grouped(inputs)} inputs (${counts.join(', ')}), the slowest ${slowest.ms.toFixed(0)} ms, ${Math.round(peakBytes / 2 ** 20)} MiB`;
  return failures.length === 0 ? green(`✓ ${what}`) : red(`✗ ${failures.length} failures: ${what}`);
}
