// Passes on built kernels: random graphs compute the same results afterwards. The corpus stays
// well-formed, and its IR prints, parses and prints the same again.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { buildProgram } from '../../../../src/translate/build/index.ts';
import { CompileError } from '../../../../src/translate/diagnostics.ts';
import { Builder } from '../../../../src/translate/ir/builder.ts';
import type { Program } from '../../../../src/translate/ir/nodes.ts';
import { parseProgram } from '../../../../src/translate/ir/parse.ts';
import { printProgram } from '../../../../src/translate/ir/print.ts';
import { verifyProgram } from '../../../../src/translate/ir/verify.ts';
import { legalize } from '../../../../src/translate/legalize/index.ts';
import { legalizeMemory } from '../../../../src/translate/legalize/memory/memory.ts';
import { cleanUp } from '../../../../src/translate/passes/clean-up.ts';
import { resolveMemory } from '../../../../src/translate/passes/resolve-memory.ts';
import { buildEntry } from '../../../build-entry.ts';
import { drawn, effort, inTurn } from '../../../effort.ts';
import { evaluateKernel } from '../../../ir/evaluate-kernel.ts';
import { generator, randomGraph, words } from '../../../ir/random-graph.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';

const fast = { ...exactFloats, mode: 'fast' } as const;

const outBytes = 128;
const fuel = 40;
const le = (value: number, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, index) => Math.floor(value / 2 ** (8 * index)) & 0xff);

function outputOf(program: Program, seed: number): Uint8Array {
  const random = generator(seed);
  const bytes = new Uint8Array(outBytes + 4 * words);
  bytes.fill(0xa5, 0, outBytes);
  for (let index = outBytes; index < bytes.length; index++) bytes[index] = random(256);
  evaluateKernel(program, { bytes, params: [le(0, 8), le(outBytes, 8), le(fuel, 4)] });
  return bytes;
}

const tidy = (program: Program, builder: Builder) => {
  for (const func of [...program.functions, program.kernel]) cleanUp(func, builder);
};

describe('random graphs', () => {
  for (let first = 0; first < effort(25, 100); first += 25) {
    it(`compute the same results after clean-up, seeds ${first} to ${first + 24}`, () => {
      for (let seed = first; seed < first + 25; seed++) {
        const module = parsePtxOrThrow(randomGraph(7 * seed + 3));
        const entry = module.functions.find(({ kind }) => kind === 'entry');
        if (entry === undefined) throw new Error('no kernel');
        const { program, ids } = buildProgram(module, entry, { block: [1, 1, 1], dynamicShared: 0 });
        const before = outputOf(program, seed);
        tidy(program, new Builder(ids));
        expect(verifyProgram(program), `seed ${seed}`).toEqual([]);
        expect(outputOf(program, seed), `seed ${seed}`).toEqual(before);
      }
    });
  }
});

const folder = join(import.meta.dirname, '../../../kernels');
const files = readdirSync(folder).filter((file) => file.endsWith('.ptx'));

function expectText(program: Program) {
  const text = printProgram(program);
  const again = printProgram(parseProgram(text).program);
  // Compares line by line: Vitest needs minutes to show the difference of two long texts.
  const lines = again.split('\n');
  const differing = text.split('\n').findIndex((line, index) => line !== lines[index]);
  expect(differing === -1 ? '' : `${text.split('\n')[differing]} | ${lines[differing]}`).toBe('');
}

/** A short run uses one profile for each file, in turn. */
const nextProfiles = inTurn([exactFloats, fast], 1);

describe('the corpus', () => {
  it.each(files)('%s', (file) => {
    const module = parsePtxOrThrow(readFileSync(join(folder, file), 'utf8'));
    const profiles = nextProfiles();
    const entries = module.functions.filter(({ kind }) => kind === 'entry');
    for (const entry of drawn(entries, 1)) {
      for (const float of profiles) {
        const block = [64, 1, 1] as const;
        const { program, ids } = buildEntry(module, entry, { block, dynamicShared: 1024 });
        const builder = new Builder(ids);
        expect(verifyProgram(program)).toEqual([]);
        expectText(program);
        tidy(program, builder);
        expect(verifyProgram(program)).toEqual([]);
        try {
          const plan = resolveMemory(program, builder, { block, lanes: 64, slots: 1 });
          legalizeMemory(program, builder, plan);
          legalize(program, builder, { float });
        } catch (error) {
          // The table of limits lists the rejected kernels.
          if (!(error instanceof CompileError)) throw error;
          continue;
        }
        expect(verifyProgram(program, { legal: true })).toEqual([]);
        expectText(program);
      }
    }
  });
});
