// Tests the passes on IR text. Each file under test/filetests holds cases: a line `; pass: <name>`,
// a program, `; --- after`, and the program after the pass. `UPDATE=1` rewrites the second half.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planFor } from '../../../src/base/lane-plan.ts';
import { threadRanges } from '../../../src/translate/analysis/ranges.ts';
import { readOnlyLoads } from '../../../src/translate/analysis/read-only.ts';
import { passes as translatorPasses } from '../../../src/translate/index.ts';
import { Builder } from '../../../src/translate/ir/builder.ts';
import type { Func, Inst, Program } from '../../../src/translate/ir/nodes.ts';
import { parseProgram } from '../../../src/translate/ir/parse.ts';
import { printProgram } from '../../../src/translate/ir/print.ts';
import { verifyProgram } from '../../../src/translate/ir/verify.ts';
import { legalize } from '../../../src/translate/legalize/index.ts';
import { legalizeMemory } from '../../../src/translate/legalize/memory/memory.ts';
import { cleanUp } from '../../../src/translate/passes/clean-up.ts';
import { compareNext } from '../../../src/translate/passes/compare-next.ts';
import { divideCopies } from '../../../src/translate/passes/divide-copies.ts';
import { fold } from '../../../src/translate/passes/fold.ts';
import { foldRanges } from '../../../src/translate/passes/fold-ranges.ts';
import { hideNegativeZeros } from '../../../src/translate/passes/hide-negative-zeros.ts';
import { hoistLoads } from '../../../src/translate/passes/hoist-loads.ts';
import { joinLoopWays } from '../../../src/translate/passes/join-loop-ways.ts';
import { joinProducts } from '../../../src/translate/passes/join-products.ts';
import { joinWaits } from '../../../src/translate/passes/join-waits.ts';
import { overlapCopies } from '../../../src/translate/passes/overlap-copies.ts';
import { partBitTests } from '../../../src/translate/passes/part-bit-tests.ts';
import { promoteVariables } from '../../../src/translate/passes/promote-variables/index.ts';
import { removeDeadCode } from '../../../src/translate/passes/remove-dead-code.ts';
import { resolveMemory } from '../../../src/translate/passes/resolve-memory.ts';
import { scheduleWaits } from '../../../src/translate/passes/schedule-waits.ts';
import { selectByVotes } from '../../../src/translate/passes/select-by-votes.ts';
import { shareGuards } from '../../../src/translate/passes/share-guards/index.ts';
import { simplifyControlFlow } from '../../../src/translate/passes/simplify-control-flow.ts';
import { unrollLoops } from '../../../src/translate/passes/unroll/index.ts';
import { useMatrices } from '../../../src/translate/passes/use-matrices.ts';
import { casesOf, type FileCase, printCases } from '../../filetests/file-cases.ts';
import { exactFloats } from '../../lockstep/float-profiles.ts';
import { h200Matrices } from '../../lockstep/lockstep-executor.ts';

const folder = join(import.meta.dirname, '../../filetests');

type Pass = (program: Program, builder: Builder) => void;

/** Applies a pass over functions to each function. */
const eachFunc =
  (pass: (func: Func, builder: Builder) => void): Pass =>
  (program, builder) => {
    for (const func of [...program.functions, program.kernel]) pass(func, builder);
  };

const passes: Readonly<Record<string, Pass>> = {
  fold: eachFunc(fold),
  'remove-dead-code': eachFunc(removeDeadCode),
  'simplify-control-flow': eachFunc(simplifyControlFlow),
  'clean-up': eachFunc(cleanUp),
  'promote-variables': (program, builder) => {
    promoteVariables(program, builder);
    for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
  },
  'schedule-waits': scheduleWaits,
  'join-waits': (program, builder) => {
    joinWaits(program, builder, resolveMemory(program, builder, memoryOptions), memoryOptions.block);
  },
  'divide-copies': (program, builder) => {
    const plan = resolveMemory(program, builder, memoryOptions);
    for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
    divideCopies(program, builder, plan, memoryOptions.block);
  },
  'fold-ranges': (program, builder) => {
    for (const func of [...program.functions, program.kernel])
      if (foldRanges(func, threadRanges(memoryOptions.block))) cleanUp(func, builder);
  },
  'unroll-loops': (program, builder) => {
    const readOnly = readOnlyLoads(program, memoryOptions);
    for (const func of [...program.functions, program.kernel])
      if (unrollLoops([func], builder, { float: exactFloats, readOnly }) !== undefined) cleanUp(func, builder);
  },
  'resolve-memory': (program, builder) => {
    resolveMemory(program, builder, memoryOptions);
    for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
  },
  'hoist-loads': (program, builder) => {
    const plan = resolveMemory(program, builder, memoryOptions);
    for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
    for (const func of [...program.functions, program.kernel]) hoistLoads(func, plan);
  },
  'overlap-copies': (program, builder) => {
    resolveMemory(program, builder, memoryOptions);
    for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
    overlapCopies([...program.functions, program.kernel], builder);
  },
  'use-matrices': (program, builder) => {
    const clamps = new Set<Inst>();
    const plan = resolveMemory(program, builder, { ...memoryOptions, clamps });
    const tidy = () => {
      for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
    };
    tidy();
    const { block } = memoryOptions;
    const options = {
      cleanUp: tidy,
      configs: h200Matrices,
      plan: planFor(32),
      block,
      clamps,
      workgroupBytes: 16_384,
      clampsStarts: false,
      maxPackedShare: 2,
    };
    useMatrices(program, builder, plan, options);
    tidy();
  },
  'legalize-memory': (program, builder) => {
    legalizeMemory(program, builder, resolveMemory(program, builder, memoryOptions));
    for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
  },
  // An adapter that flushes subnormals.
  'share-guards': (program, builder) => {
    const plan = resolveMemory(program, builder, memoryOptions);
    for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
    legalizeMemory(program, builder, plan);
    for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
    const float = { ...exactFloats, denormals: 'flushed' } as const;
    shareGuards(program, builder, plan, { float, workgroupBytes: 16_384, votes: true, hidesConstants: true });
    for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
  },
  'hide-negative-zeros': (program, builder) => {
    for (const func of [...program.functions, program.kernel]) hideNegativeZeros(func, builder);
  },
  legalize: (program, builder) => {
    legalize(program, builder, { float: exactFloats });
  },
  // The adapter's own arithmetic.
  'legalize-fast': (program, builder) => {
    legalize(program, builder, { float: { ...exactFloats, mode: 'fast' } });
  },
  // An adapter whose fma rounds twice.
  'legalize-unfused': (program, builder) => {
    legalize(program, builder, { float: { ...exactFloats, fma: 'unfused' } });
  },
  // An adapter whose driver compiles for a GPU.
  'legalize-doubles': (program, builder) => {
    legalize(program, builder, { float: exactFloats, sharedLooks: true });
  },
  'compare-next': eachFunc(compareNext),
  'join-loop-ways': eachFunc(joinLoopWays),
  'select-by-votes': eachFunc(selectByVotes),
  'part-bit-tests': eachFunc(partBitTests),
  'join-products': eachFunc(joinProducts),
  none: () => undefined,
};

const legalPasses: ReadonlySet<string> = new Set(['legalize', 'legalize-fast', 'legalize-unfused', 'legalize-doubles']);

const memoryOptions = { block: [64, 1, 1], lanes: 64, slots: 1 } as const;

/** Prints a program without its header, which a program in text does not need. */
const printed = (program: Program): string =>
  printProgram(program)
    .replace(/^source "ir"\n/, '')
    .trimStart();

function run({ head: pass, before }: FileCase): string {
  const { program, ids } = parseProgram(before);
  expect(verifyProgram(program), 'before').toEqual([]);
  // The printed text parses, and prints the same again.
  const text = printed(program);
  expect(printed(parseProgram(text).program)).toBe(text);
  const change = passes[pass];
  if (change === undefined) throw new Error(`no pass is called ${pass}`);
  change(program, new Builder(ids));
  expect(verifyProgram(program, { legal: legalPasses.has(pass) }), 'after').toEqual([]);
  return printed(program);
}

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ir'));

it('there are file tests for every pass', () => {
  const folders = new Set(files.map((file) => dirname(file)));
  expect(translatorPasses.map(({ name }) => name).filter((name) => !folders.has(name))).toEqual([]);
});

describe.each(files)('%s', (file) => {
  const path = join(folder, file);
  const cases = casesOf(readFileSync(path, 'utf8'), 'pass');
  if (process.env.UPDATE) {
    const updated = cases.map((each) => ({ ...each, results: new Map([['after', run(each)]]) }));
    writeFileSync(path, printCases(updated, 'pass'));
  }
  it.each(cases)('$head: $title', (each) => {
    expect(run(each)).toBe(process.env.UPDATE ? run(each) : each.results.get('after'));
  });
});
