// `lanewise fuzz --front-end`
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../harness/files/make-folder.ts';
import { maxPtxBytes, readText } from '../harness/files/read-text.ts';
import { type FrontEndInput, fuzzFrontEnd } from '../harness/fuzz/front-end.ts';
import { generateKernel } from '../harness/fuzz/kernels/generate.ts';
import { printKernel } from '../harness/fuzz/print/print.ts';
import { grouped } from '../harness/report/text.ts';
import { startProgress } from '../harness/runs/progress.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { type Console, UsageError } from './console.ts';
import type { FuzzCommandOptions } from './fuzz-options.ts';
import { toJson, toolRecord } from './report-files.ts';

/** The number of generated kernels to mutate if no files are given. */
const generated = 50;

export function fuzzFrontEndCommand(
  files: readonly string[],
  seed: number,
  count: number,
  { first = 0, failures: maxFailures, out, json }: FuzzCommandOptions,
  console: Console,
): number {
  const corpus = files.length > 0 ? files.map(readInput) : generatedInputs(seed);
  console.err(`seed ${seed}\n`);
  const progress = startProgress(console.errStream, 'inputs');
  const start = performance.now();
  const result = fuzzFrontEnd(corpus, {
    seed,
    first,
    count,
    maxFailures,
    onProgress: (done, failures) => progress.update(done, count, `${failures} failures`),
  });
  progress.stop();
  const { inputs, parsed, translated, failures, slowestMs } = result;
  const saved = failures.map(({ index, from, text, problem }) => {
    makeFolder(out);
    const path = join(out, `front-end-${seed}-${index}.ptx`);
    writeFileSync(path, text);
    console.err(`${console.errColors.red(`✗ ${path}`)} (from ${from})\n${problem}\n`);
    return { index, from, problem, path };
  });
  const seconds = (performance.now() - start) / 1000;
  if (json) {
    const run = { command: 'fuzz', seed, first, frontEnd: true, ms: Math.round(seconds * 1000) };
    console.out(
      toJson({ schemaVersion: 1, tool: toolRecord(), run, inputs, parsed, translated, slowestMs, failures: saved }),
    );
  }
  const what = `${grouped(inputs)} inputs (${grouped(parsed)} still parse, ${grouped(translated)} are translated), the slowest ${slowestMs.toFixed(0)} ms; ${seconds.toFixed(1)} s`;
  const passed = failures.length === 0 && inputs > 0;
  const { green, red } = console.outColors;
  (json ? console.err : console.out)(
    `${passed ? green(`Nothing failed: ${what}`) : red(`${failures.length} failures: ${what}`)}\n`,
  );
  return passed ? exitCodes.ok : exitCodes.mismatch;
}

function readInput(path: string): FrontEndInput {
  try {
    return { name: path, text: readText(path, maxPtxBytes) };
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function generatedInputs(seed: number): FrontEndInput[] {
  return Array.from({ length: generated }, (_, index) => {
    const { id, ptx } = printKernel(generateKernel(seed, index));
    return { name: id, text: ptx };
  });
}
