// Spellings of PTX that ptxas accepts: the parser accepts them, and those that run return the same
// results in the reference and in WGSL.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { parsePtx, renderDiagnostics } from '../../../src/ptx/index.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

interface Spelling {
  readonly name: string;
  readonly expected: string;
  readonly ptx: string;
}

const header = '.version 9.0\n.target sm_100a\n.address_size 64\n';
const text = readFileSync(new URL('../../ptx/spellings.txt', import.meta.url), 'utf8');
const spellings = text
  .split(/^=== /m)
  .slice(1)
  .map((section): Spelling => {
    const end = section.indexOf('\n');
    const [name = '', expected = ''] = section.slice(0, end).split(': ');
    const body = section.slice(end + 1);
    return { name, expected, ptx: body.includes('.version') ? body : header + body };
  });

const isRun = ({ expected }: Spelling) => /^\d/.test(expected);
/** The second parameter, if a kernel has one: the bytes 0 to 31. */
const counting = { name: 'in', kind: 'bytes', data: Uint8Array.from({ length: 32 }, (_, index) => index) } as const;
const executors = [cpuExecutor(), lockstepExecutor(32), lockstepExecutor(1)];

test('the list of spellings is not empty', () => expect(spellings.length).toBeGreaterThan(20));

describe.each(spellings)('$name', (spelling) => {
  const { expected, ptx } = spelling;

  test.each(['\n', '\r\n', '\r'])('parses with lines that end in %j', (newline) => {
    const written = ptx.replaceAll('\n', newline);
    const { module, diagnostics } = parsePtx(written);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    expect(renderDiagnostics({ file: 'k.ptx', text: written }, errors)).toBe('');
    const refused = module?.functions.flatMap(({ body }) =>
      body.flatMap((statement) => (statement.kind === 'unsupported' ? [statement.diagnostic.code] : [])),
    );
    expect([...new Set(refused)]).toEqual(expected.startsWith('PTX') ? [expected] : []);
  });

  test.runIf(isRun(spelling))('returns the expected words', async () => {
    const words = expected.split(' ').map(Number);
    const buffer = { name: 'out', kind: 'buffer', type: 'u32', bytes: 4 * words.length } as const;
    const launch: Launch = {
      id: 'spelling',
      group: '',
      ptx,
      ptxFile: 'k.ptx',
      entry: 'k',
      grid: [1, 1, 1],
      block: [words.length, 1, 1],
      sharedBytes: 0,
      params: ptx.includes('in[32]') ? [buffer, counting] : [buffer],
    };
    for (const executor of executors) {
      const { outputs } = await executor.run(launch);
      const [out] = [...outputs.values()];
      const found = Array.from(words, (_, index) =>
        out ? new DataView(out.buffer, out.byteOffset).getUint32(4 * index, true) : undefined,
      );
      expect({ lanes: executor.describe().subgroupSize, found }).toEqual({
        lanes: executor.describe().subgroupSize,
        found: words,
      });
    }
  });
});
