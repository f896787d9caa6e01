// The control trees of the corpus print, parse and print the same text again, and the verifier
// accepts the parsed trees.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planFor } from '../../../../src/base/lane-plan.ts';
import { type Module, parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { parseControl } from '../../../../src/translate/control/parse.ts';
import { printControl } from '../../../../src/translate/control/print.ts';
import { assertControl } from '../../../../src/translate/control/verify.ts';
import { translate } from '../../../../src/translate/index.ts';
import { drawn, inTurn } from '../../../effort.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';

const folders = ['test/kernels', 'bench/kernels'].map((folder) => join(import.meta.dirname, '../../../..', folder));
const files = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.ptx'))
    .map((file) => join(folder, file)),
);

/** Returns a kernel's control trees, keyed by the pass that built them. */
function treesOf(module: Module, entry: string, plan: Parameters<typeof translate>[1]['plan']) {
  const trees: (readonly ['structure' | 'lower-control', string])[] = [];
  translate(module, {
    entry,
    block: [128, 1, 1],
    plan,
    float: exactFloats,
    observe: (pass, text) => {
      if (pass === 'structure' || pass === 'lower-control') trees.push([pass, text]);
    },
  });
  return trees;
}

/**
 * Returns the first different line only: Vitest needs minutes to show the difference of two long
 * texts.
 */
function firstDifference(before: string, after: string): string {
  const [lines, others] = [before.split('\n'), after.split('\n')];
  const index = lines.findIndex((line, at) => line !== others[at]);
  return index < 0 ? '' : `${lines[index]} | ${others[index]}`;
}

const nextPlan = inTurn([planFor(32), planFor(0), planFor(8), planFor(64)], 1);

const nextFiles = drawn(files, 12);

describe('the control tree of the corpus', () => {
  it.each(nextFiles)('%s', (path) => {
    const module = parsePtxOrThrow(readFileSync(path, 'utf8'), { file: path });
    const entries = module.functions.filter(({ kind }) => kind === 'entry');
    for (const { name } of drawn(entries, 2)) {
      for (const plan of nextPlan()) {
        for (const [pass, text] of treesOf(module, name, plan)) {
          const { tree, ...named } = parseControl(text);
          expect(firstDifference(text, printControl(tree, named)), `${name} after ${pass}`).toBe('');
          expect(() => assertControl(tree, pass), `${name} after ${pass}`).not.toThrow();
        }
      }
    }
  });
});

it('locations in the PTX text also print and parse', () => {
  const text = `control k {
  %p:i1 = special.i1 "%p" !1..2
  if %p !3..4 {
    switch 1 !5..6 {
      case 0 {
        trap !7..8
      }
      case 1 {
        return %p !9..10
      }
    }
  }
  mask split %p !11..12
  mask other
  mask join
}
`;
  const { tree, ...named } = parseControl(text);
  expect(printControl(tree, { ...named, spans: true })).toBe(text);
});
