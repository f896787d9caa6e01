// Fences between proxies: the checker, and the sanitizer, which reports a missing one (RUN031).
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { interpret } from '../../../src/cpu-ref/interpreter/interpret.ts';
import { kernelText, litmusEntry } from '../../../src/harness/litmus/kernel-text.ts';
import { layoutOf, testBuffers } from '../../../src/harness/litmus/plan.ts';
import { settingsOf } from '../../../src/harness/litmus/settings.ts';
import { type LitmusTest, parseLitmus, verdictOf } from '../../../src/memory-model/index.ts';
import { parsePtxOrThrow } from '../../../src/ptx/index.ts';

const file = 'test/memory-model/proxies.litmus';
const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const tests = parseLitmus({ file, text });
const copy = 'cp.async.bulk.global';
const fenced = parseLitmus({ file, text: text.replaceAll(copy, `fence.proxy.async; ${copy}`) });

const size = { teams: 1, slots: 32, iterations: 1, stressBlocks: 0 };

/** Settings without stress, which place instance i at place i. */
const plainSettings = (found: LitmusTest): Uint8Array =>
  new Uint8Array(Uint32Array.from([0, ...settingsOf(found).map((name) => Number(name.startsWith('mul_')))]).buffer);

/** The codes of the sanitizer's findings in a run of the test. */
function findingsOf(found: LitmusTest): readonly string[] {
  const ptx = `.version 8.7\n.target sm_90\n.address_size 64\n${kernelText(found, size)}`;
  const { blocks, width } = layoutOf(found);
  const bytes = 4096;
  const launch: Launch = {
    id: found.name,
    group: 'litmus',
    ptx,
    ptxFile: 'test.ptx',
    entry: litmusEntry,
    grid: [blocks.length, 1, 1],
    block: [width * size.slots, 1, 1],
    sharedBytes: 0,
    params: testBuffers(found).map((name) => {
      const data = name === 'settings' ? plainSettings(found) : new Uint8Array(bytes);
      return { name, kind: 'buffer', type: 'u32', bytes, data };
    }),
  };
  const { failure, findings } = interpret(parsePtxOrThrow(ptx, { file: 'test.ptx' }), launch, { sanitize: true });
  expect(failure).toBeUndefined();
  return findings.map(({ code }) => code);
}

test.each(tests.map((found, index) => [found.name, found, fenced[index]] as const))(
  '%s: the verdict, and whether the sanitizer reports a missing fence',
  (_, found, withFence) => {
    expect(verdictOf(found)).toBe(found.expectation);
    const isMissing =
      found.expectation === 'allowed' && withFence !== undefined && verdictOf(withFence) === 'forbidden';
    expect([isMissing, findingsOf(found)]).toEqual([
      isMissing,
      isMissing ? ['RUN031'] : expect.not.arrayContaining(['RUN031']),
    ]);
  },
);
