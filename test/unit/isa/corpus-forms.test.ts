// Coverage: each form of the instructions on matrices, copies, mbarriers, images, parts of words
// and narrow floats occurs in a kernel of the corpus.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  asyncUpdateRows,
  clusterRows,
  copyRows,
  floatPairRows,
  hintRows,
  type IsaRow,
  matrixRows,
  mbarrierRows,
  packedIntegerRows,
  smallFloatRows,
  textureRows,
  videoRows,
  wmmaRows,
} from '../../../src/isa/index.ts';
import { matchOpcode, splitOpcode } from '../../../src/isa/match.ts';

const folder = new URL('../../kernels/', import.meta.url);

/** Returns the slot values that occur in the PTX of some case, by row: `shape=m16n8k16`. */
function formsOfCorpus(): ReadonlyMap<string, ReadonlySet<string>> {
  const cases = readdirSync(folder).filter((name) => name.endsWith('.json'));
  // The first line of a case names the PTX file. The rest is data.
  const files = new Set(
    cases.flatMap(
      (name) => /"ptx":"([^"]+)"/.exec(readFileSync(new URL(name, folder), 'utf8').slice(0, 500))?.[1] ?? [],
    ),
  );
  const opcodes = new Set<string>();
  for (const file of files) {
    const text = readFileSync(new URL(file, folder), 'utf8');
    for (const [, opcode = ''] of text.matchAll(/(?:^|[;{}\n])\s*(?:@!?%\w+\s+)?([a-z]\w*\.[\w.:]+)/g))
      opcodes.add(opcode);
  }
  const forms = new Map<string, Set<string>>();
  for (const opcode of opcodes) {
    const match = matchOpcode(splitOpcode(opcode));
    if (match === undefined) continue;
    const { row } = match.pattern;
    const found = forms.get(row.name) ?? new Set();
    forms.set(row.name, found);
    for (const [slot, value] of Object.entries(match.mods)) found.add(`${slot}=${value}`);
  }
  return forms;
}

const rows: readonly IsaRow[] = [
  ...matrixRows, ...wmmaRows, ...copyRows, ...asyncUpdateRows, ...clusterRows, ...mbarrierRows, ...hintRows,
  ...textureRows, ...videoRows, ...packedIntegerRows, ...smallFloatRows, ...floatPairRows,
]; // biome-ignore format: one list

/**
 * Values that only the validation suites of a row cover: types that differ in name only, and hints.
 */
const withoutCase: Readonly<Record<string, readonly string[]>> = {
  'mma.sp.bf16': ['metadata=sp::ordered_metadata'],
  'mma.sp.s4': ['atype=u4', 'btype=s4'],
};

const forms = formsOfCorpus();

describe('the corpus uses', () => {
  test.each(rows.map((row) => [row.name, row] as const))('%s with each value of its slots', (name, { where = {} }) => {
    const found = forms.get(name);
    expect(found, 'any form').toBeDefined();
    const missing = Object.entries(where)
      .flatMap(([slot, values]) => values.map((value) => `${slot}=${value}`))
      .filter((form) => !found?.has(form));
    expect(missing).toEqual(withoutCase[name] ?? []);
  });
});
