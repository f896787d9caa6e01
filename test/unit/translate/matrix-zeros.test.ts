// The signs of zeros in matrix products, in the reference and in the shader, as an H200 computed
// them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { fragmentWords, matrixForm } from '../../../src/isa/fragments.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';
import { kernelLaunch } from '../cpu-ref/interpreter/interpreter-support.ts';

interface Golden {
  /**
   * The word of D in each lane, keyed by form (`m16n8k16.f32.f16.f16.f32`), then by products and
   * addend.
   */
  readonly results: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
const golden: Golden = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../docs/results/h200-matrix-zeros.json'), 'utf8'),
);

/** Words with -0, 1 and the record's `least` number in every element. */
const words: Readonly<Record<string, { readonly minus: number; readonly one: number; readonly least: number }>> = {
  f16: { minus: 0x8000_8000, one: 0x3c00_3c00, least: 0x0001_0001 },
  bf16: { minus: 0x8000_8000, one: 0x3f80_3f80, least: 0x0001_0001 },
  tf32: { minus: 0x8000_0000, one: 0x3f80_0000, least: 0x0000_2000 },
  f32: { minus: 0x8000_0000, one: 0x3f80_0000, least: 0x0000_0001 },
  e4m3: { minus: 0x8080_8080, one: 0x3838_3838, least: 0x0101_0101 },
};

function wordOf(type: string, text: string): number {
  const known = words[type];
  const size = { 0: 0, 1: known?.one, least: known?.least }[text.replace('-', '')];
  if (known === undefined || size === undefined) throw new RangeError(`no ${text} of ${type}`);
  return (text.startsWith('-') ? known.minus | size : size) >>> 0;
}

/**
 * Builds a launch with one product for each column of the record. All elements of an operand are
 * equal.
 */
function launchOf(name: string, columns: readonly string[]): Launch {
  const [shape = '', dtype = '', atype = '', btype = '', ctype = ''] = name.split('.');
  const layouts = { alayout: 'row', blayout: 'col' };
  const form = matrixForm({ shape, dtype, atype, btype, ctype, ...layouts });
  const operands = columns.map((column) => {
    const [, a = '', b = '', c = ''] = /^(\S+) \* (\S+) \+ (\S+)$/.exec(column) ?? [];
    return [wordOf(atype, a), wordOf(btype, b), wordOf(ctype, c)];
  });
  const repeated = (operand: 'a' | 'b' | 'c', register: string) =>
    `{${Array.from({ length: fragmentWords(form, operand) }, () => register).join(', ')}}`;
  const results = Array.from({ length: fragmentWords(form, 'd') }, (_, index) => `%d${index}`);
  const body = operands.map(
    (_, index) => `
    ld.global.u32 %a, [%in+${12 * index}]; ld.global.u32 %b, [%in+${12 * index + 4}]; ld.global.u32 %c, [%in+${12 * index + 8}];
    mma.sync.aligned.${shape}.row.col.${dtype}.${atype}.${btype}.${ctype} {${results.join(', ')}}, ${repeated('a', '%a')}, ${repeated('b', '%b')}, ${repeated('c', '%c')};
    ${results.map((result) => `st.global.u32 [%rd1], ${result}; add.s64 %rd1, %rd1, 128;`).join(' ')}`,
  );
  const data = Uint32Array.from(operands.flat());
  const launch = kernelLaunch(
    `.reg .b32 %a, %b, %c, %d<8>; .reg .b64 %in; ld.param.u64 %in, [in];\n${body.join('\n')}`,
    {
      words: 32 * columns.length * results.length,
      paramText: ', .param .u64 in',
      params: [{ name: 'in', kind: 'buffer', type: 'u32', bytes: data.byteLength, data: new Uint8Array(data.buffer) }],
    },
  );
  return { ...launch, ptx: launch.ptx.replace('.version 8.6', '.version 8.7') };
}

describe('signs of zeros in matrix products', () => {
  const executors = [
    { name: 'the reference', executor: cpuExecutor() },
    { name: 'subgroups of 32', executor: lockstepExecutor(32) },
    { name: 'subgroups of 32 that flush', executor: lockstepExecutor(32, { flushes: true }) },
    { name: 'subgroups of 8', executor: lockstepExecutor(8) },
  ];
  const forms = Object.entries(golden.results);
  it('are recorded', () => expect(forms.length).toBeGreaterThan(10));

  it.each(forms.flatMap(([form, results]) => executors.map((each) => ({ form, results, ...each }))))(
    'of $form have the signs of an H200, on $name',
    async ({ form, results, executor }) => {
      const columns = Object.keys(results);
      const { outputs } = await executor.run(launchOf(form, columns));
      const found = new Uint32Array((outputs.get(0) ?? new Uint8Array()).slice().buffer);
      const each = found.length / columns.length;
      const text = (word: number) => `0x${word.toString(16).padStart(8, '0')}`;
      const texts = columns.map((column, index) => [
        column,
        [...new Set(found.subarray(index * each, (index + 1) * each))].map(text),
      ]);
      expect(Object.fromEntries(texts)).toEqual(
        Object.fromEntries(Object.entries(results).map(([column, word]) => [column, [word]])),
      );
    },
  );
});
